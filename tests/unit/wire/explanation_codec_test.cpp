#include "wire/explanation_codec.h"

#include <catch2/catch.hpp>

#include "dray/policy/amounts.h"

namespace dray::wire::explanation_codec_test {
namespace {

using planner::Explanation;

Explanation waiting() {
  Explanation made;
  made.pod = "a/p";
  made.standing = planner::Standing::waits;
  made.reason = Reason::devices_in_use;
  made.summary = "wants 2 devices of class gpu on one node; the most is 1 (n0)";
  made.job =
      planner::JobView{.name = "a/g", .members = 4, .running = 1, .minimum = 3, .have_room = 2};
  planner::QueueView queue;
  queue.name = "a";
  queue.position = 8;
  queue.waiting = 9;
  queue.ahead = {"a/x", "a/y"};
  queue.more_ahead = 5;
  queue.others_ahead = 1;
  queue.levels.push_back({.queue = "a",
                          .resource = {.name = "gpu"},
                          .quota = 2,
                          .limit = policy::unlimited,
                          .used = 1,
                          .fair_share = 2,
                          .asked = 2});
  made.queue = queue;
  made.nodes = {{Reason::devices_in_use, made.summary, 2, {"n0", "n1"}},
                {Reason::node_unschedulable, "the node is cordoned", 5, {"n2", "n3", "n4"}}};
  made.nodes_left_out = 3;
  made.nearest = "n0: it would fit there if a/r ended, which has 1 device (gpu-0)";
  made.helps = {"it starts once one of these has ended: a/r"};
  made.notes = {"kube-scheduler last said: no"};
  return made;
}

}  // namespace

TEST_CASE("an explanation as JSON; what is unlimited is null") {
  CHECK(
      encode(waiting()) ==
      R"j({"pod":"a/p","standing":"waits","reason":"DevicesInUse","summary":"wants 2 devices of class gpu on one node; the most is 1 (n0)",)j"
      R"j("job":{"name":"a/g","pods":4,"running":1,"startTogether":3,"haveRoom":2},)j"
      R"j("queue":{"name":"a","levels":[{"queue":"a","resource":"gpu","asked":2,"held":1,"quota":2,"fairShare":2,"limit":null}],)j"
      R"j("position":8,"waiting":9,"ahead":["a/x","a/y"],"moreAhead":5,"otherQueuesAhead":1},)j"
      R"j("nodes":[{"count":2,"reason":"DevicesInUse","message":"wants 2 devices of class gpu on one node; the most is 1 (n0)","names":["n0","n1"]},)j"
      R"j({"count":5,"reason":"NodeUnschedulable","message":"the node is cordoned","names":["n2","n3","n4"]}],)j"
      R"j("nodesLeftOut":3,"nearest":"n0: it would fit there if a/r ended, which has 1 device (gpu-0)",)j"
      R"j("helps":["it starts once one of these has ended: a/r"],"notes":["kube-scheduler last said: no"]})j");
}

}  // namespace dray::wire::explanation_codec_test

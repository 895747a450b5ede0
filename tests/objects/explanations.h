#pragma once

#include "dray/planner/explanation.h"
#include "dray/policy/amounts.h"

namespace dray::objects {

/// Why a pod of a gang waits, with something in every part.
inline planner::Explanation waiting_explanation() {
  planner::Explanation made;
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

}  // namespace dray::objects

#include "wire/explanation_codec.h"

#include <catch2/catch.hpp>

#include "tests/objects/explanations.h"

namespace dray::wire::explanation_codec_test {
TEST_CASE("an explanation as JSON; what is unlimited is null") {
  CHECK(
      encode(objects::waiting_explanation()) ==
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

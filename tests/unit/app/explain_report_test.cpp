#include "app/explain/explain_report.h"

#include <catch2/catch.hpp>

#include "tests/objects/explanations.h"

namespace dray::app::explain_report_test {
namespace {

using planner::Explanation;
using planner::Standing;

}  // namespace

TEST_CASE("the text of a pod that waits") {
  CHECK(explanation_text(objects::waiting_explanation()) ==
        R"(a/p waits: wants 2 devices of class gpu on one node; the most is 1 (n0)
  job      a/g: 4 pods, 1 running; 3 have to start together, room for 2
  queue    a, number 8 of 9 jobs waiting there; ahead: a/x, a/y and 5 more; 1 job of other queues comes first
           a, GPUs: asks for 2, holds 1, quota 2, fair share 2, limit none
  nodes that refuse it:
        2  wants 2 devices of class gpu on one node; the most is 1 (n0)
        5  the node is cordoned (n2, n3, n4 and 2 more)
        3  for other reasons
  nearest  n0: it would fit there if a/r ended, which has 1 device (gpu-0)
  what would help:
    - it starts once one of these has ended: a/r
  kube-scheduler last said: no
)");
}

TEST_CASE("the text of a pod that does not wait") {
  struct Row {
    Standing standing;
    std::string want;
  };
  const auto row = GENERATE(Row{Standing::runs, "a/p: S\n"}, Row{Standing::starts, "a/p: S\n"},
                            Row{Standing::done, "a/p: S\n"},
                            Row{Standing::follows, "a/p waits, and has a place: S\n"},
                            Row{Standing::bypasses, "a/p is not dray's to place: S\n"},
                            Row{Standing::not_ours, "a/p is not dray's to place: S\n"});
  Explanation made;
  made.pod = "a/p";
  made.standing = row.standing;
  made.summary = "S";
  CHECK(explanation_text(made) == row.want);
  made.devices = {"gpu: d/p/g0"};
  CHECK(explanation_text(made) == row.want + "  device   gpu: d/p/g0\n");
}

TEST_CASE("without a policy the queue says so") {
  Explanation made;
  made.queue.emplace().name = "default";
  CHECK(explanation_text(made).contains(
      "  queue    default (no quotas and no limits are in force)\n"));
}

}  // namespace dray::app::explain_report_test

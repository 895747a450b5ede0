#include "service/write_line.h"

#include <catch2/catch.hpp>

namespace dray::service::write_line_test {
namespace {

TEST_CASE("a write that is denied is told of at any verbosity, others to who asks") {
  const engine::Write read = engine::ReadPod{{"default", "p"}};
  const auto line = [&](ErrorCode code) { return line_of(read, fail(code, "403 no right")); };
  const LogFields fields{{"write", "ReadPod"}, {"pod", "default/p"}};
  CHECK(line(ErrorCode::denied) ==
        LogLine{true, 0, "ReadPod default/p: the API server denies it: 403 no right", fields});
  CHECK(line(ErrorCode::conflict) == LogLine{false, 2, "ReadPod default/p: 403 no right", fields});
  CHECK(line_of(read, {}) == LogLine{false, 4, "ReadPod default/p: done", fields});
}

TEST_CASE("decisions are said in words, at the level of decisions; steps below it") {
  const PodKey pod{"default", "p"};
  const auto line = [](engine::Write write) { return line_of(write, {}); };
  const auto evicted = line(engine::EvictPod{.pod = pod, .uid = Uid("u")});
  CHECK(evicted ==
        LogLine{false, 2, "evicted default/p", {{"write", "EvictPod"}, {"pod", "default/p"}}});
  CHECK(line(engine::EvictPod{.pod = pod, .uid = Uid("u"), .dry_run = true}).verbosity == 4);
  engine::SetPodCondition waits{.pod = pod, .uid = Uid("u"), .condition = {}, .wakes = false};
  waits.condition.type = "DrayAdmitted";
  waits.condition.status = "False";
  waits.condition.message = "dray: no room";
  CHECK(line(waits).message == "default/p waits: dray: no room");
  CHECK(line(waits).verbosity == 2);
  waits.condition.status = "True";
  CHECK(line(waits).verbosity == 4);
  const auto bound = line(engine::BindPod{.pod = pod, .uid = Uid("u"), .node = NodeName("n")});
  CHECK(bound.verbosity == 4);
  CHECK(bound.fields == LogFields{{"write", "BindPod"}, {"pod", "default/p"}, {"node", "n"}});
}

}  // namespace
}  // namespace dray::service::write_line_test

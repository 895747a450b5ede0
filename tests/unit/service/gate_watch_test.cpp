#include "service/gate_watch.h"

#include <catch2/catch.hpp>

#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::gate_watch_test {
namespace {

using testing::eventually;
using Gates = std::optional<alloc::FeatureGates>;

/// What is known of a cluster that answers so.
GateReport report_of(const Result<Gates>& gates, const alloc::Features& ours = {}) {
  net::testing::Loop loop;
  testing::FakeCluster cluster(loop.io);
  cluster.seen.change([&](auto& all) { all.gates = gates; });
  GateWatch watch(loop.io, cluster, ours);
  CHECK(watch.report().to_string() == "not known: not read yet");
  watch.start();
  REQUIRE(eventually([&] { return watch.report().unknown != "not read yet"; }));
  const auto report = watch.report();
  CHECK(cluster.seen.get().gates_read == 1);  // and not again before an hour has passed
  loop.stop();
  return report;
}

}  // namespace

TEST_CASE("gates that stand alike, and a cluster without any, are nothing to tell") {
  CHECK(report_of(Gates(alloc::FeatureGates{{"DRADeviceTaints", true}})).to_string().empty());
  CHECK(report_of(Gates()) == GateReport{});
}

TEST_CASE("each gate that differs is told, and how to end that") {
  alloc::Features ours;
  ours.derived_attributes = true;
  const auto report =
      report_of(Gates(alloc::FeatureGates{{"DRADeviceTaints", false}, {"DRANew", true}}), ours);
  CHECK(report.differences.size() == 3);
  CHECK(report.to_string() ==
        "DRADerivedAttributes is off in the API server and on here: --feature-gates "
        "DRADerivedAttributes=false; DRADeviceTaints is off in the API server and on here: "
        "--feature-gates DRADeviceTaints=false; DRANew is on in the API server, and this dray does "
        "not know it");
}

TEST_CASE("gates that cannot be read are not known, which is no difference") {
  const auto report = report_of(fail(ErrorCode::denied, "403 Forbidden"));
  CHECK(report.to_string() == "not known: 403 Forbidden");
  CHECK(report.differences.empty());
}

}  // namespace dray::service::gate_watch_test

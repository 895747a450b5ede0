#include "metrics/metrics.h"

#include <catch2/catch.hpp>

namespace dray::metrics::metrics_test {
namespace {

using Catch::Contains;

TEST_CASE("the page shows what was counted, under dray_ names") {
  Metrics metrics("1.2.3");
  metrics.extender_call("filter", "ok", std::chrono::microseconds(40));
  metrics.extender_call("filter", "ok", std::chrono::microseconds(60));
  metrics.write("BindPod", "conflict", std::chrono::milliseconds(3));
  EngineFigures figures;
  figures.synced = true;
  figures.nodes = 9;
  figures.binds_done = 4;
  const auto page = metrics.page(figures);
  CHECK_THAT(page, Contains("dray_build_info{version=\"1.2.3\"} 1"));
  CHECK_THAT(page, Contains("dray_extender_requests_total{result=\"ok\",verb=\"filter\"} 2"));
  CHECK_THAT(page, Contains("dray_extender_request_duration_seconds_count{verb=\"filter\"} 2"));
  CHECK_THAT(page, Contains("dray_api_writes_total{kind=\"BindPod\",result=\"conflict\"} 1"));
  CHECK_THAT(page, Contains("dray_nodes 9"));
  CHECK_THAT(page, Contains("dray_synced 1"));
  CHECK_THAT(page, Contains("dray_leader 0"));
  CHECK_THAT(page, Contains("dray_binds_total{result=\"bound\"} 4"));
}

TEST_CASE("queues come and go; a policy that is not in force says why") {
  Metrics metrics("x");
  EngineFigures figures;
  figures.queues.push_back({"research", "gpu", 16, 12, 20});
  auto page = metrics.page(figures);
  CHECK_THAT(page, Contains("dray_queue_fair_share{queue=\"research\",resource=\"gpu\"} 16"));
  CHECK_THAT(page, Contains("dray_queue_allocated{queue=\"research\",resource=\"gpu\"} 12"));
  CHECK_THAT(page, Contains("dray_queue_requested{queue=\"research\",resource=\"gpu\"} 20"));
  CHECK_THAT(page, Contains("dray_policy_in_force 1"));
  figures.queues.clear();
  figures.policy_problem = "7:12: no such key";
  page = metrics.page(figures);
  CHECK_THAT(page, !Contains("research"));
  CHECK_THAT(page, Contains("dray_policy_in_force 0"));
  CHECK_THAT(page, Contains("dray_policy_problem{reason=\"7:12: no such key\"} 1"));
}

TEST_CASE("a counter read off the engine follows it and never falls") {
  Metrics metrics("x");
  EngineFigures figures;
  for (const auto& [plans, shown] : {std::pair(5.0, "5"), {7.0, "7"}, {0.0, "7"}}) {
    figures.plans = plans;
    CHECK_THAT(metrics.page(figures), Contains(std::string("dray_plans_total ") + shown));
  }
}

}  // namespace
}  // namespace dray::metrics::metrics_test

#include "metrics/metrics.h"

#include <catch2/catch.hpp>

namespace dray::metrics::metrics_test {
namespace {

using Catch::Contains;
using engine::Engine;

std::string page(Metrics& metrics, const Engine::Status& status = {},
                 const std::string& problem = "") {
  return metrics.page({.engine = status, .policy_problem = problem});
}

TEST_CASE("what is counted and timed is on the page, by its labels") {
  Metrics metrics("1.2.3");
  metrics.count("dray_extender_requests_total", {"filter", "ok"});
  metrics.count("dray_extender_requests_total", {"filter", "ok"});
  metrics.count("dray_extender_requests_total", {"filter", "error"});
  metrics.count("dray_plan_jobs_total", {}, 7);
  metrics.observe("dray_api_write_duration_seconds", {"BindPod"}, std::chrono::microseconds(40));
  metrics.observe("dray_api_write_duration_seconds", {"BindPod"}, std::chrono::seconds(60));
  const auto shown = page(metrics);
  CHECK_THAT(shown, Contains("dray_build_info{version=\"1.2.3\"} 1\n"));
  CHECK_THAT(shown, Contains("dray_extender_requests_total{result=\"ok\",verb=\"filter\"} 2\n"));
  CHECK_THAT(shown, Contains("dray_extender_requests_total{result=\"error\",verb=\"filter\"} 1\n"));
  CHECK_THAT(shown, Contains("dray_plan_jobs_total 7\n"));
  CHECK_THAT(shown, Contains("dray_api_write_duration_seconds_count{kind=\"BindPod\"} 2\n"));
  CHECK_THAT(shown,
             Contains("dray_api_write_duration_seconds_bucket{kind=\"BindPod\",le=\"5e-05\"} 1"));
  CHECK_THAT(shown,
             Contains("dray_api_write_duration_seconds_bucket{kind=\"BindPod\",le=\"10\"} 1"));
}

TEST_CASE("a metric is on the page before anything happened") {
  Metrics metrics("x");
  const auto shown = page(metrics);
  for (const auto& row : table) {
    INFO(row.name);
    CHECK_THAT(shown,
               Contains("# HELP " + std::string(row.name) + " " + std::string(row.help) + "\n"));
    if (row.type != Type::histogram && row.label_count() == 0 &&
        !row.name.starts_with("dray_recorder_")) {
      CHECK_THAT(shown, Contains("\n" + std::string(row.name) + " "));
    }
  }
  CHECK_THAT(shown, Contains("# TYPE dray_extender_requests_total counter\n"));
  CHECK_THAT(shown, Contains("# TYPE dray_extender_request_duration_seconds histogram\n"));
  CHECK_THAT(shown, Contains("# TYPE dray_queue_fair_share gauge\n"));
  CHECK_THAT(shown, Contains("dray_broken_invariants_total 0\n"));
}

TEST_CASE("each figure of the engine is under its own name") {
  Metrics metrics("x");
  Engine::Status status;
  status.nodes = 2;
  status.devices = 3;
  status.devices_allocated = 4;
  status.pods_waiting = 5;
  status.reservations = 6;
  status.binds_in_flight = 7;
  status.plans_made = 8;
  status.reservations_expired = 9;
  status.binds_done = 10;
  status.binds_undone = 11;
  status.gangs_binding = 12;
  status.gangs_refused = 13;
  status.evictions[1] = {14, 15};
  const auto shown = page(metrics, status);
  for (const auto* line :
       {"dray_nodes 2", "dray_devices 3", "dray_devices_allocated 4", "dray_pods_waiting 5",
        "dray_reservations 6", "dray_binds_in_flight 7", "dray_plans_total 8",
        "dray_reservations_expired_total 9", "dray_binds_total{result=\"bound\"} 10",
        "dray_binds_total{result=\"undone\"} 11", "dray_gangs_binding 12",
        "dray_gang_binds_refused_total 13",
        "dray_evictions_total{cause=\"Preemption\",result=\"evicted\"} 14",
        "dray_evictions_total{cause=\"Preemption\",result=\"refused\"} 15",
        "dray_evictions_total{cause=\"Reclaim\",result=\"evicted\"} 0"}) {
    CHECK_THAT(shown, Contains("\n" + std::string(line) + "\n"));
  }
}

TEST_CASE("synced and leading are shown apart") {
  Metrics metrics("x");
  Engine::Status status;
  status.synced = true;
  CHECK_THAT(page(metrics, status), Contains("\ndray_synced 1\n") && Contains("\ndray_leader 0\n"));
  status.synced = false;
  status.leading = true;
  CHECK_THAT(page(metrics, status), Contains("\ndray_synced 0\n") && Contains("\ndray_leader 1\n"));
}

Engine::Status with_queue() {
  Engine::Status status;
  status.resources.push_back({});
  status.resources.back().name = "gpu";
  planner::QueueReport queue;
  queue.queue = policy::QueueName("research");
  queue.fair_share = policy::Amounts(1, 16);
  queue.allocated = policy::Amounts(1, 12);
  queue.requested = policy::Amounts(1, 20);
  status.queues.push_back(queue);
  return status;
}

TEST_CASE("queues come and go") {
  Metrics metrics("x");
  const auto shown = page(metrics, with_queue());
  CHECK_THAT(shown, Contains("dray_queue_fair_share{queue=\"research\",resource=\"gpu\"} 16\n"));
  CHECK_THAT(shown, Contains("dray_queue_allocated{queue=\"research\",resource=\"gpu\"} 12\n"));
  CHECK_THAT(shown, Contains("dray_queue_requested{queue=\"research\",resource=\"gpu\"} 20\n"));
  CHECK_THAT(page(metrics), !Contains("research"));
}

TEST_CASE("a queue of a policy that counts more than the last plan shows what both know") {
  Metrics metrics("x");
  auto status = with_queue();
  status.resources.push_back(status.resources.front());
  status.resources.back().name = "nic";
  CHECK_THAT(page(metrics, status), Contains("resource=\"gpu\"} 16\n") && !Contains("nic"));
}

TEST_CASE("what the policy gives a queue is shown, no bound as nothing, and who waits in it") {
  policy::PolicyConfig config;
  config.resources.push_back({.name = "gpu", .rules = {}});
  config.resources.back().rules.emplace_back().device_class = ClassName("gpu");
  for (const auto* name : {"a", "b"}) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(3);
  }
  config.queues[0].limit["gpu"] = Quantity(5);
  auto made = policy::compile(config);
  REQUIRE(made);
  Engine::Status status;
  status.policy = std::make_shared<const policy::Policy>(*std::move(made));
  status.resources = status.policy->counting.resources();
  status.queues_waiting[policy::QueueName("a")] = {2, 7};
  status.waiting_for[Reason::queue_limit] = 6;
  Metrics metrics("x");
  const auto shown = page(metrics, status);
  CHECK_THAT(shown, Contains("dray_queue_quota{queue=\"b\",resource=\"gpu\"} 3\n"));
  CHECK_THAT(shown, Contains("dray_queue_limit{queue=\"a\",resource=\"gpu\"} 5\n"));
  CHECK_THAT(shown, !Contains("dray_queue_limit{queue=\"b\""));
  CHECK_THAT(shown, Contains("dray_queue_jobs_waiting{queue=\"a\"} 2\n"));
  CHECK_THAT(shown, Contains("dray_queue_pods_waiting{queue=\"a\"} 7\n"));
  CHECK_THAT(shown, Contains("dray_queue_pods_waiting{queue=\"b\"} 0\n"));
  CHECK_THAT(shown, Contains("dray_pods_waiting_by_reason{reason=\"QueueLimit\"} 6\n"));
}

TEST_CASE("devices, watches and the recorder are shown as they were read") {
  Reading reading;
  reading.devices[DriverName("g")] = {.free = 1,
                                      .tainted = 2,
                                      .blocked = 17,
                                      .in_use = 3,
                                      .shared = 4,
                                      .free_on_used_nodes = 5,
                                      .most_free_on_one_node = 6};
  reading.class_devices[ClassName("c")] = {.in_use = 3};
  reading.watches.push_back({"pods", 7, 8, std::chrono::seconds(9), std::chrono::seconds(10)});
  reading.recording = {true, 11, 12};
  reading.lease_epoch = 13;
  reading.policy_generation = 14;
  Metrics metrics("x");
  const auto shown = metrics.page(reading);
  for (const auto* line :
       {"dray_class_devices{device_class=\"c\",state=\"in_use\"} 3",
        "dray_driver_devices{driver=\"g\",state=\"free\"} 1",
        "dray_driver_devices{driver=\"g\",state=\"tainted\"} 2",
        "dray_driver_devices{driver=\"g\",state=\"blocked\"} 17",
        "dray_driver_devices{driver=\"g\",state=\"in_use\"} 3",
        "dray_driver_devices{driver=\"g\",state=\"shared\"} 4",
        "dray_driver_free_devices_on_used_nodes{driver=\"g\"} 5",
        "dray_driver_free_devices_on_one_node{driver=\"g\"} 6",
        "dray_watch_lists_total{kind=\"pods\"} 7", "dray_watch_corrections_total{kind=\"pods\"} 8",
        "dray_watch_silence_seconds{kind=\"pods\"} 9",
        "dray_watch_failing_seconds{kind=\"pods\"} 10", "dray_recorder_recording 1",
        "dray_recorder_steps_total 11", "dray_recorder_steps_waiting 12", "dray_lease_epoch 13",
        "dray_policy_generation 14"}) {
    CHECK_THAT(shown, Contains("\n" + std::string(line) + "\n"));
  }
  CHECK_THAT(metrics.page({}), !Contains("\ndray_recorder_recording ") && !Contains("driver="));
}

TEST_CASE("a policy that is not in force says why") {
  Metrics metrics("x");
  CHECK_THAT(page(metrics), Contains("\ndray_policy_in_force 1\n") && !Contains("reason="));
  const auto shown = page(metrics, {}, "7:12: no such key");
  CHECK_THAT(shown, Contains("\ndray_policy_in_force 0\n"));
  CHECK_THAT(shown, Contains("dray_policy_problem{reason=\"7:12: no such key\"} 1\n"));
}

TEST_CASE("what a policy names and the cluster lacks has a sample each") {
  Metrics metrics("x");
  CHECK_THAT(page(metrics), !Contains("\ndray_policy_warning{"));
  CHECK_THAT(metrics.page({.policy_warnings = {"a: no class", "b: no label"}}),
             Contains("\ndray_policy_warning{warning=\"a: no class\"} 1\n") &&
                 Contains("\ndray_policy_warning{warning=\"b: no label\"} 1\n"));
}

TEST_CASE("a counter read off the engine follows it and never falls; a gauge does") {
  Metrics metrics("x");
  Engine::Status status;
  for (const auto& [now, counted] : {std::pair(5U, "5"), {7U, "7"}, {0U, "7"}}) {
    status.plans_made = now;
    status.nodes = now;
    const auto shown = page(metrics, status);
    CHECK_THAT(shown, Contains(std::string("\ndray_plans_total ") + counted + "\n"));
    CHECK_THAT(shown, Contains("\ndray_nodes " + std::to_string(now) + "\n"));
  }
}

}  // namespace
}  // namespace dray::metrics::metrics_test

#include "app/simulate/pack_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace dray::app::pack_run_test {
namespace {

using std::chrono::seconds;

simulate::JobsRun jobs_run() {
  simulate::JobsRun run;
  run.policy = "fair";
  run.seed = ~std::uint64_t{0};
  run.jobs = {{.started = seconds(1),
               .ended = Duration(-1),
               .waited = seconds(3),
               .lost = seconds(4),
               .evictions = 5,
               .failures = 6,
               .moves = 7},
              {}};
  run.curves = {{.name = "a\nb", .held = {0.1, -1e300}, .waiting = {}}};
  run.stays = {{.job = 1, .node = 2, .gpus = 0xffffffff, .from = seconds(3), .to = seconds(4)}};
  run.span = seconds(9);
  run.gpus = 1.0 / 3;
  run.used = 2;
  run.events = 3;
  run.plans = 4;
  run.cycles = 5;
  run.models = {{.model = "H100", .gpus = 8, .used = 0.5}};
  run.waiting = {{.reason = "no room", .jobs = 3}};
  run.pods_of_several = 6;
  run.pods_together = 7;
  run.gangs = {{.level = "node", .gangs = 8, .together = 9}};
  run.classes = {{.name = "nic", .devices = 10, .used = 11}};
  run.fragmented = {0.25, 12};
  return run;
}

simulate::PodsRun pods_run() {
  simulate::PodRecord pod;
  pod.pod = {"default", "a"};
  pod.created = seconds(1);
  pod.bound = seconds(2);
  pod.ended = seconds(3);
  pod.evicted = true;
  pod.failed = true;
  pod.node = NodeName("n");
  AllocatedDevice device;
  device.request = "req/sub";
  device.device = {DriverName("d"), PoolName("p"), DeviceName("g")};
  device.admin_access = false;
  device.tolerations = {
      {.key = "k", .op = "Exists", .value = "v", .effect = "NoExecute", .toleration_seconds = 5}};
  device.binding_conditions = {"ready"};
  device.binding_failure_conditions = {"broken", ""};
  device.share_id = "id";
  device.consumed_capacity = {{"memory", *Quantity::parse("40Gi")},
                              {"cores", *Quantity::parse("1500m")}};
  device.skip_node_operations = {"all"};
  pod.devices = {device, {}};
  pod.asks = {{.name = "gpu", .count = 2}};
  pod.queue = "team";
  pod.job = "default/gang";
  pod.reason = Reason::class_missing;
  pod.detail = "why";
  return {.policy = "none",
          .pods = {pod, {}},
          .span = seconds(4),
          .length = seconds(7),
          .events = 5,
          .plans = 6};
}

simulate::ExperimentRun experiment_run() {
  simulate::ExperimentRun run;
  run.strategy = simulate::Strategy::packing;
  run.seed = 42;
  run.decisions = {{.node = -1, .gpus = 0}, {.node = 7, .gpus = 3}};
  run.points[130] = {.pods = 1, .allocated = 99.5, .fragmented = 0.25, .fragmented_idle = 50};
  run.refused = 1;
  run.refused_for = {{.reason = "no GPU", .jobs = 1}};
  run.allocated = 0.1;
  return run;
}

/// All that begins like it and is shorter, and what is longer.
template <class Run>
bool takes_nothing_else(const std::string& bytes) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (unpack_run<Run>(std::string_view(bytes).substr(0, size))) return false;
  }
  return !unpack_run<Run>(bytes + "x");
}

}  // namespace

TEST_CASE("a run that was packed is the same run") {
  const auto jobs = jobs_run();
  CHECK(unpack_run<simulate::JobsRun>(pack_run(jobs)) == jobs);
  const auto pods = pods_run();
  CHECK(unpack_run<simulate::PodsRun>(pack_run(pods)) == pods);
  const auto experiment = experiment_run();
  CHECK(unpack_run<simulate::ExperimentRun>(pack_run(experiment)) == experiment);
}

TEST_CASE("bytes that are cut off, or of something else, are no run") {
  CHECK(takes_nothing_else<simulate::JobsRun>(pack_run(jobs_run())));
  CHECK(takes_nothing_else<simulate::PodsRun>(pack_run(pods_run())));
  CHECK(takes_nothing_else<simulate::ExperimentRun>(pack_run(experiment_run())));
  CHECK_FALSE(unpack_run<simulate::JobsRun>(std::string(100, '\xff')));
}

}  // namespace dray::app::pack_run_test

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/replay/policy_diff.h"
#include "app/replay/replay_report.h"
#include "dray/sim/calm_cluster.h"
#include "dray/sim/kubelet.h"
#include "service/record/record_file.h"
#include "service/record/recorder.h"
#include "service/record/replay.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"
#include "tests/unit/net/support.h"

// A day of a cluster in virtual time is recorded and replayed: pods and gangs of two queues that
// take back from each other, a node that is away for some hours, a dray that decides it all.

namespace dray::app::recorded_day_test {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr int nodes = 4;
constexpr int gpus_of_node = 4;
constexpr int arrivals = 300;
constexpr Duration day = 24h;

std::shared_ptr<policy::PolicyConfig> policy_of(int quota_of_a) {
  auto config = std::make_shared<policy::PolicyConfig>();
  policy::CountingRule rule;
  rule.device_class = ClassName(gpu_driver);
  config->resources = {{"gpu", {rule}}};
  for (const auto& [name, quota] :
       {std::pair("a", quota_of_a), std::pair("b", nodes * gpus_of_node - quota_of_a)}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(quota);
    config->queues.push_back(std::move(queue));
  }
  config->pod_queues.otherwise = policy::QueueName("b");
  config->reclaim.enabled = true;
  return config;
}

/// A cluster, its dray and the dray's record.
class Day {
 public:
  Day() : cluster_(options()) {
    for (int i = 0; i < nodes; ++i) add_node(i);
    create(make_driver_class(gpu_driver, gpu_driver));
    for (int count : {1, 2, 4}) {
      create(make_template(fmt::format("gpus-{}", count),
                           {request("gpus", exactly(count, gpu_driver))}));
    }
    cluster_.set_policy(policy_of(8));
    auto engine = options().engine;
    engine.share_id_seed = 1;  // of a first start
    service::RecorderOptions wanted;
    wanted.folder = folder_.path() + "/record";
    wanted.segment_bytes = 2U << 20U;
    wanted.most_waiting = SIZE_MAX;  // a day passes faster than any disk is
    auto opened = service::Recorder::open(wanted, engine, cluster_.now());
    REQUIRE(opened);
    recorder_ = *std::move(opened);
    cluster_.set_step_observer([this](const sim::EngineStep& step) { note(step); });
    cluster_.set_observer([this](const sim::WatchEvent& event) { saw(event); });
  }

  /// Lives it, and names the record's files.
  std::vector<std::string> live() {
    cluster_.start_dray();
    const auto begin = cluster_.now();
    std::mt19937 random(14);
    std::uniform_int_distribution<int> seconds(0, static_cast<int>(day / 1s) - 1);
    for (int i = 0; i < arrivals; ++i) {
      cluster_.at(begin + std::chrono::seconds(seconds(random)),
                  [this, i, draw = random()] { arrive(i, draw); });
    }
    cluster_.at(begin + 9h, [this] { remove(Kind::node, "", "n0"); });
    cluster_.at(begin + 13h, [this] { create(make_node("n0")); });
    cluster_.run_until(begin + day);
    recorder_.reset();
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/record")) {
      files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
  }

  [[nodiscard]] int bound() const { return bound_; }
  [[nodiscard]] int evicted() const { return evicted_; }

 private:
  static sim::CalmOptions options() {
    sim::CalmOptions made;
    made.server.gate_pods = true;
    made.server.protect_claims = true;
    made.engine.plan_pause = 50ms;
    return made;
  }

  void create(KubeObject object) {
    const auto created = cluster_.server().create(std::move(object), cluster_.now());
    REQUIRE(created);
  }
  void remove(Kind kind, const std::string& space, const std::string& name) {
    sim::DeleteOptions at_once;
    at_once.grace_seconds = 0;
    REQUIRE(cluster_.server().remove(kind, space, name, at_once, cluster_.now()));
  }
  void add_node(int index) {
    const auto name = fmt::format("n{}", index);
    create(make_node(name));
    create(make_gpus(name, gpus_of_node));
  }

  /// A pod, or a gang of three, which run for five minutes to three quarters of an hour.
  void arrive(int number, std::uint64_t draw) {
    const auto name = fmt::format("j{}", number);
    const bool gang = draw % 5 == 0;
    if (gang) create(make_group(name, 3));
    for (int i = 0; i < (gang ? 3 : 1); ++i) {
      auto pod = with_template(make_pod(fmt::format("{}-{}", name, i)),
                               fmt::format("gpus-{}", gang ? 1 : 1 << (draw / 5 % 3)));
      pod.meta.labels["dray.dev/queue"] = draw / 16 % 3 == 0 ? "b" : "a";
      pod.meta.annotations[sim::run_seconds_annotation] = std::to_string(300 + draw / 64 % 2'400);
      if (gang) pod.pod_group = name;
      create(std::move(pod));
    }
  }

  void saw(const sim::WatchEvent& event) {
    const auto* pod = std::get_if<Pod>(event.object.get());
    if (pod == nullptr) return;
    if (event.type == sim::WatchEvent::Type::deleted) {
      evicted_ += pod->finished() ? 0 : 1;
    } else if (pod->finished()) {  // somebody tidies up
      cluster_.at(cluster_.now() + 1min, [this, name = pod->meta.name] {
        if (cluster_.server().find<Pod>("default", name) != nullptr) {
          remove(Kind::pod, "default", name);
        }
      });
    }
  }

  void note(const sim::EngineStep& step) {
    service::RecordInput input = service::TickInput{};
    std::optional<extender::FilterResponse> answer;
    if (const auto* event = std::get_if<const engine::Event*>(&step.input)) {
      input = service::input_of(**event);
    } else if (const auto* filter = std::get_if<sim::EngineStep::Filter>(&step.input)) {
      input =
          service::FilterInput{std::make_shared<const extender::FilterRequest>(filter->request)};
      answer = filter->answer;
    } else if (const auto* bind = std::get_if<sim::EngineStep::Bind>(&step.input)) {
      input = service::BindInput{bind->id, bind->request};
      ++bound_;
    }
    const bool idle = recorder_->wants_idle() && service::is_idle(cluster_.engine(), step.at);
    recorder_->note(step.at, std::move(input), step.effects, std::move(answer), idle);
  }

  net::testing::TempFolder folder_;
  sim::CalmCluster cluster_;
  std::unique_ptr<service::Recorder> recorder_;
  int bound_ = 0;
  int evicted_ = 0;
};

void feed(service::Replay& replay, const std::vector<std::string>& files) {
  for (const auto& file : files) {
    REQUIRE(service::read_record(file, [&](std::string_view line) { return replay.feed(line); }));
  }
}

}  // namespace

TEST_CASE("a day is decided again, byte for byte, and another policy's differences are told") {
  Day lived;
  const auto files = lived.live();
  CHECK(lived.bound() > arrivals);
  CHECK(lived.evicted() > 0);
  CHECK(files.size() > 3);

  service::Replay replay;
  PolicyDiff same(*policy_of(8));
  PolicyDiff other(*policy_of(2));
  replay.on_plan([&](const planner::PlanInput& input, const planner::Plan& plan) {
    same.see(input, plan, replay.options());
    other.see(input, plan, replay.options());
  });
  feed(replay, files);
  const auto& report = replay.report();
  INFO(replay_text(report));
  CHECK(report.differences == 0);
  CHECK(report.whole_run);
  CHECK(report.compared == report.steps);
  REQUIRE((report.from && report.to));
  CHECK(*report.to - *report.from > 23h);
  CHECK(policy_diff_text(same).ends_with("it would have decided the same\n"));
  CHECK(other.differences().size() > 10);
  for (const auto& each : other.differences()) {
    INFO(each.job << " was: " << each.was << ", would: " << each.would);
    CHECK(!each.was.empty());
    CHECK(!each.would.empty());
    CHECK(each.was != each.would);
  }

  service::Replay rest;
  feed(rest, {files.begin() + 2, files.end()});
  CHECK(rest.report().differences == 0);
  CHECK(rest.report().decisions > 0);
}

}  // namespace dray::app::recorded_day_test

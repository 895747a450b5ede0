#pragma once

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/record/recorder.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"

namespace dray::service::testing {

/// An engine that is recorded, beside an API server that says yes.
class RecordedWorld {
 public:
  explicit RecordedWorld(std::uint64_t segment_bytes = std::uint64_t{1} << 30,
                         std::uint64_t total_bytes = std::uint64_t{1} << 30) {
    options_.plan_pause = std::chrono::milliseconds(50);
    engine_ = std::make_unique<engine::Engine>(options_);
    auto recorder = Recorder::open({.folder = folder_.path() + "/record",
                                    .segment_bytes = segment_bytes,
                                    .total_bytes = total_bytes},
                                   options_, now_);
    REQUIRE(recorder);
    recorder_ = *std::move(recorder);
  }

  void tell(engine::Event event) {
    take(std::move(event));
    while (!later_.empty()) {
      auto next = std::move(later_.front());
      later_.pop_front();
      take(std::move(next));
    }
  }
  void tell_object(KubeObject object) { tell(cluster::ObjectChanged{std::move(object)}); }
  /// Two nodes with two devices each, and leadership.
  void begin() {
    tell_object(dray::testing::make_class());
    for (const auto* node : {"n0", "n1"}) {
      tell_object(dray::testing::make_node(node));
      tell_object(dray::testing::make_gpus(node, 2));
    }
    tell(engine::Synced{});
    tell(engine::LeadershipChanged{true, 1});
  }
  /// A gated pod with a claim of one device.
  void add_pod(const std::string& name) {
    tell_object(dray::testing::make_claim("c-" + name, 1));
    tell_object(dray::testing::make_pod(name, "c-" + name));
    tick(1);
  }
  /// The pod and its claim are gone.
  void end_pod(const std::string& name) {
    tell(cluster::ObjectGone{Kind::pod, "default", name, Uid("uid-" + name)});
    tell(cluster::ObjectGone{Kind::resource_claim, "default", "c-" + name, Uid("uid-c-" + name)});
    tick(1);
  }
  extender::FilterResponse filter(const std::string& name) {
    auto request = std::make_shared<extender::FilterRequest>();
    request->pod = dray::testing::make_pod(name, "c-" + name, false);
    request->node_names = {NodeName("n0"), NodeName("n1")};
    auto answer = engine_->filter(*request, now_);
    auto response = answer.response;
    note(FilterInput{request}, answer.effects, response);
    carry(std::move(answer.effects));
    return response;
  }
  void tick(int seconds) {
    now_ += std::chrono::seconds(seconds);
    auto effects = engine_->tick(now_);
    note(TickInput{}, effects, {});
    carry(std::move(effects));
    while (!later_.empty()) {
      auto next = std::move(later_.front());
      later_.pop_front();
      take(std::move(next));
    }
  }

  /// Ends the recording and names its files.
  std::vector<std::string> files() {
    recorder_.reset();
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/record")) {
      found.insert(entry.path().string());
    }
    return {found.begin(), found.end()};
  }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] int lifted() const { return lifted_; }

 private:
  void take(engine::Event event) {
    auto effects = engine_->apply(event, now_);
    note(input_of(event), effects, {});
    carry(std::move(effects));
  }
  void note(RecordInput input, const engine::Effects& effects,
            std::optional<extender::FilterResponse> answer) {
    recorder_->note(now_, std::move(input), effects, std::move(answer), is_idle(*engine_, now_));
  }
  void carry(engine::Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<engine::SendWrite>(&effect)) {
        if (std::holds_alternative<engine::LiftGate>(send->write)) ++lifted_;
        engine::WriteOutcome outcome = engine::WrittenObject();
        if (std::holds_alternative<engine::ReadConfigMap>(send->write)) {
          outcome = fail(ErrorCode::not_found, "not there");
        }
        later_.emplace_back(engine::WriteDone{send->id, std::move(outcome)});
      } else if (const auto* want = std::get_if<engine::WantPlan>(&effect)) {
        later_.emplace_back(engine::Planned{
            want->generation, std::make_shared<const planner::Plan>(planner_.plan(*want->input))});
      }
    }
  }

  net::testing::TempFolder folder_;
  engine::Options options_;
  Time now_ = dray::testing::start;
  std::unique_ptr<engine::Engine> engine_;
  planner::Planner planner_{engine::allocator_options(options_, 1)};
  std::unique_ptr<Recorder> recorder_;
  std::deque<engine::Event> later_;
  int lifted_ = 0;
};

}  // namespace dray::service::testing

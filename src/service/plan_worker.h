#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>

#include "dray/engine/engine.h"
#include "metrics/metrics.h"

namespace dray::service {

class Tracer;

/// Makes plans beside the engine's strand, one after the other, on a thread of its own.
class PlanWorker {
 public:
  /// How a plan is made; the service's is Planner::plan().
  using MakePlan = std::function<planner::Plan(const planner::PlanInput&)>;
  /// Told on the worker's thread.
  struct Listener {
    std::function<void(engine::Planned)> planned;
    /// An invariant broke in a plan: none is made any more.
    std::function<void(std::string)> broken;
  };

  /// Who is told how plans go.
  struct Watchers {
    // NOLINTNEXTLINE(google-explicit-constructor): where there is no tracer.
    Watchers(metrics::Metrics& counted, Tracer* traced = nullptr)
        : metrics(counted), tracer(traced) {}

    metrics::Metrics& metrics;
    Tracer* tracer;  ///< null: nobody wants spans
  };

  PlanWorker(MakePlan make, Watchers watchers, Listener listener);
  /// Waits for the plan under way; those that were asked for and not begun are not made.
  ~PlanWorker();
  PlanWorker(const PlanWorker&) = delete;
  PlanWorker& operator=(const PlanWorker&) = delete;

  /// Any thread.
  void ask(engine::WantPlan wanted);

 private:
  void work(const engine::WantPlan& wanted);

  // Fixed after construction.
  metrics::Metrics& metrics_;
  Tracer* tracer_;
  Listener listener_;
  // Owned by the thread.
  MakePlan make_;
  bool broken_ = false;
  std::shared_ptr<const planner::Plan> last_;
  boost::asio::thread_pool thread_;
};

}  // namespace dray::service

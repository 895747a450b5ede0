#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dray::metrics {

/// Figures that are read off the engine when /metrics is asked for.
struct EngineFigures {
  bool synced = false;
  bool leading = false;
  double nodes = 0;
  double devices = 0;
  double devices_allocated = 0;
  double pods_waiting = 0;
  double reservations = 0;
  double binds_in_flight = 0;
  double plans = 0;
  double reservations_expired = 0;
  double binds_done = 0;
  double binds_undone = 0;
  double gangs_binding = 0;
  double gangs_refused = 0;
  double evictions = 0;
  double evictions_refused = 0;
  /// What a queue has of a counted resource, as of the last plan.
  struct Queue {
    std::string queue;
    std::string resource;
    double fair_share = 0;
    double allocated = 0;
    double requested = 0;
  };
  std::vector<Queue> queues;
  /// Why a policy is not in force as it was written: empty where it is.
  std::string policy_problem;
};

/// Every metric of dray; names and labels are fixed here. Any thread.
class Metrics {
 public:
  explicit Metrics(const std::string& version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  using Seconds = std::chrono::duration<double>;

  /// A call of the extender: verb is filter, prioritize, preempt or bind; result is ok, refused
  /// (the answer leaves no node) or error.
  void extender_call(std::string_view verb, std::string_view result, Seconds took);
  /// A write to the API server; result is ok or the ErrorCode's name.
  void write(std::string_view kind, std::string_view result, Seconds took);
  /// A step of the engine on its strand, by what caused it.
  void engine_step(std::string_view cause, Seconds took);
  void plan(std::size_t jobs, std::size_t nodes_tried, Seconds took);

  /// The page in Prometheus' text format, version 0.0.4.
  [[nodiscard]] std::string page(const EngineFigures& figures);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace dray::metrics

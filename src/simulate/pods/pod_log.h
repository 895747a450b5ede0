#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dray/sim/api_server.h"
#include "dray/simulate/pods_run.h"

namespace dray::simulate {

/// Writes down what happens to pods, as the API server commits it.
class PodLog {
 public:
  /// Times are told since `origin`, and those before it as 0.
  PodLog(const sim::ApiServer& server, Time origin) : server_(server), origin_(origin) {}

  /// A pod that runs already, and is no part of the log.
  void runs_already(const Pod& pod);
  /// The record of the pod that is bound by this; null: none is. Good until the next call.
  PodRecord* saw(const sim::WatchEvent& event, Time now);
  /// From now on pods that go from this node go because it failed; none: no node does.
  void node_fails(const NodeName& node) { failing_ = node; }

  /// When something last happened to a pod.
  [[nodiscard]] Duration last() const { return last_; }
  [[nodiscard]] std::size_t bound() const { return bound_; }
  [[nodiscard]] std::size_t created() const { return records_.size(); }
  /// Pods that run and end by themselves; of those that ran already only while somebody waits, for
  /// whom they may make room.
  [[nodiscard]] std::size_t to_end() const {
    return to_end_ + (waiting_ > 0 ? others_to_end_.size() : 0);
  }
  /// By creation; of those that wait also what they ask for by the claims that they have now.
  [[nodiscard]] std::vector<PodRecord> take();

 private:
  void take_place(PodRecord& record, const Pod& pod);

  const sim::ApiServer& server_;
  Time origin_;
  NodeName failing_;
  std::vector<PodRecord> records_;
  std::map<Uid, std::size_t> places_;
  Duration last_{0};
  std::size_t bound_ = 0;
  std::size_t waiting_ = 0;
  std::size_t to_end_ = 0;
  std::set<PodKey> others_to_end_;
};

}  // namespace dray::simulate

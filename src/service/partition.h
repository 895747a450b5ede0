#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/disruption.h"
#include "dray/model/extender_api.h"
#include "kube/cluster_api.h"

namespace dray::service {

/// Which part of the cluster a dray decides about.
struct PartitionOptions {
  std::string nodes;                 ///< label selector; empty: all
  std::vector<std::string> drivers;  ///< of devices; empty: all
};

/// The part of a cluster that one dray decides about: for its engine nothing else is there. Nodes
/// by their labels, slices by their driver, and of claims those that have no devices yet or one of
/// these drivers'. Thread-safe.
class Partition {
 public:
  /// The whole cluster.
  Partition() = default;
  /// What is wrong with the options, if anything.
  [[nodiscard]] static Result<void> check(const PartitionOptions& options);
  /// Of options that check() accepts.
  explicit Partition(const PartitionOptions& options);

  /// The event as the engine is told it; nothing: it is about another part.
  [[nodiscard]] std::optional<kube::WatchEvent> see(kube::WatchEvent event);
  /// Takes the nodes of other parts out of the answer: pods that the engine lets pass stay here.
  void keep_own(extender::FilterResponse& response) const;

 private:
  using Key = std::tuple<Kind, std::string, std::string>;
  [[nodiscard]] bool whole() const { return nodes_text_.empty() && drivers_.empty(); }
  [[nodiscard]] bool is_ours(const KubeObject& object) const;
  enum class Verdict : std::uint8_t { ours, left, others };
  [[nodiscard]] Verdict judge(const KubeObject& object);

  // Fixed after construction.
  std::string nodes_text_;
  LabelSelector nodes_;
  std::set<std::string, std::less<>> drivers_;
  // Under the mutex.
  mutable std::mutex mutex_;
  std::set<Key> known_;  ///< nodes, slices and claims that the engine was told of
};

}  // namespace dray::service

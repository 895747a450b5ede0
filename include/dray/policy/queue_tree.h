#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/strong.h"
#include "dray/base/time.h"
#include "dray/policy/amounts.h"

namespace dray::policy {

/// Name of a queue.
using QueueName = Strong<std::string, struct QueueNameTag>;
/// A queue's place in its QueueTree: queues stand in the order of their names.
using QueueIndex = Strong<std::uint32_t, struct QueueIndexTag>;

/// What one queue may have, as configured.
struct QueueSpec {
  QueueName name;
  std::optional<QueueName> parent;  ///< none: a top queue
  std::int32_t priority = 100;      ///< higher first
  Time created;                     ///< older first, before names
  Amounts quota;                    ///< what it is owed ("deserved"); unlimited: all that there is
  Amounts limit;
  Amounts over_quota_weight;
  std::optional<Duration> preempt_min_runtime;
  std::optional<Duration> reclaim_min_runtime;

  bool operator==(const QueueSpec&) const = default;
};

/// A queue of a tree: its configuration and what is counted in it and below it.
struct Queue : QueueSpec {
  std::optional<QueueIndex> parent_index;
  bool orphan = false;  ///< names a parent that is not there: it gets no share
  std::vector<QueueIndex> children;

  Amounts requested;  ///< what its jobs hold, and what its pending ones ask for
  Amounts allocated;  ///< what its jobs hold
  Amounts allocated_nonpreemptible;
  Amounts usage;       ///< part of the cluster that it had over time, 0 to 1
  Amounts fair_share;  ///< what it may hold now: see fair_share.h

  bool operator==(const Queue&) const = default;
};

/// The tenant tree, of any depth. Queues keep their places; their counts change.
class QueueTree {
 public:
  QueueTree() = default;

  /// Fails on two queues of one name, on a cycle, and on amounts that are not `resources` many. A
  /// parent that is not there makes an orphan: with objects that arrive in any order, it may come.
  [[nodiscard]] static Result<QueueTree> make(std::vector<QueueSpec> specs, std::size_t resources);

  /// The queue of that name, if there is one.
  [[nodiscard]] std::optional<QueueIndex> find(std::string_view name) const;
  /// A queue by its place, which is one of this tree.
  [[nodiscard]] const Queue& operator[](QueueIndex index) const { return queues_[index.get()]; }
  /// The same, to count in it.
  [[nodiscard]] Queue& operator[](QueueIndex index) { return queues_[index.get()]; }
  /// All queues in the order of their names.
  [[nodiscard]] std::span<const Queue> queues() const { return queues_; }
  /// The queues without a parent, in the order of their names; orphans are none.
  [[nodiscard]] std::span<const QueueIndex> tops() const { return tops_; }
  /// How many resources its amounts have.
  [[nodiscard]] std::size_t resources() const { return resources_; }

  /// The queue above; nullptr for tops and orphans.
  [[nodiscard]] const Queue* parent_of(const Queue& queue) const {
    return queue.parent_index ? &(*this)[*queue.parent_index] : nullptr;
  }
  /// From the top queue down to `leaf`.
  [[nodiscard]] std::vector<QueueIndex> path_to(QueueIndex leaf) const;

  /// Calls `f` with `leaf` and each of its ancestors, upwards.
  template <class F>
  void upwards(QueueIndex leaf, F f) {
    for (std::optional at = leaf; at; at = (*this)[*at].parent_index) f((*this)[*at]);
  }

  /// A job of `leaf` holds `amounts` more (asked for before or not is the caller's to say).
  void add_allocated(QueueIndex leaf, const Amounts& amounts, bool preemptible);
  /// What was added by add_allocated ends, in the leaf and all queues above it.
  void remove_allocated(QueueIndex leaf, const Amounts& amounts, bool preemptible);
  /// A job of `leaf` asks for `amounts`: counts in all queues above it too.
  void add_requested(QueueIndex leaf, const Amounts& amounts);
  /// It does not ask for them any more.
  void remove_requested(QueueIndex leaf, const Amounts& amounts);

  bool operator==(const QueueTree&) const = default;

 private:
  Result<void> link();
  [[nodiscard]] Result<void> check_acyclic() const;

  std::vector<Queue> queues_;
  std::vector<QueueIndex> tops_;
  std::size_t resources_ = 0;
};

}  // namespace dray::policy

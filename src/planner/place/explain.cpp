#include "planner/place/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/count_of.h"
#include "planner/place/resource_words.h"
#include "planner/place/shortages.h"

namespace dray::planner {
namespace {

/// Why nodes were refused: the Reason that got furthest is the job's, the rest is for people.
class Refusals {
 public:
  void add(Reason reason) {
    auto& known = entry(reason);
    if (!known.plain) known.words = plain_text(reason);
    known.plain = true;
    ++known.others;
  }
  /// In other words than the Reason's.
  void count(Reason reason, std::string_view words) {
    auto& known = entry(reason);
    known.words = words;
    known.plain = false;
    ++known.others;
  }
  void add(Reason reason, const std::shared_ptr<const alloc::Shortage>& shortage,
           const NodeName& node) {
    shortages_.add(shortage, node);
    (void)entry(reason);
  }
  [[nodiscard]] Reason furthest() const {
    const auto at = std::ranges::max_element(entries_, ByProgress(), &Entry::reason);
    return at == entries_.end() ? Reason::no_node_fits : at->reason;
  }
  /// What devices lack first, then the other nodes: `…; elsewhere: the node is cordoned (2 nodes)`.
  [[nodiscard]] std::string summary(const Shortages::PoolFaults& faults) {
    std::ranges::sort(
        entries_, [](const Entry& a, const Entry& b) { return ByProgress()(b.reason, a.reason); });
    auto said = devices(faults);
    std::string rest;
    for (const auto& [reason, words, others, plain] : entries_) {
      if (others == 0) continue;
      rest += fmt::format("{}{} ({})", rest.empty() ? "" : ", ", words, count_of(others, "node"));
    }
    if (said.empty() || rest.empty()) return said + rest;
    return said + "; elsewhere: " + rest;
  }
  [[nodiscard]] std::string devices(const Shortages::PoolFaults& faults) const {
    return shortages_.text(faults);
  }

 private:
  struct Entry {
    Reason reason = Reason::none;
    std::string_view words = {};  ///< constant
    std::size_t others = 0;       ///< nodes without a shortage of devices
    bool plain = false;           ///< they are the Reason's
  };

  /// Nodes beside each other mostly say the same.
  Entry& entry(Reason reason) {
    if (last_ < entries_.size() && entries_[last_].reason == reason) return entries_[last_];
    const auto at = std::ranges::find(entries_, reason, &Entry::reason);
    last_ = static_cast<std::size_t>(at - entries_.begin());
    if (at == entries_.end()) entries_.push_back({.reason = reason});
    return entries_[last_];
  }

  std::vector<Entry> entries_;
  std::size_t last_ = 0;
  Shortages shortages_;
};

/// Why a node refused the member.
struct Answer {
  Reason reason = Reason::none;  ///< none: it did not
  std::string_view words = {};   ///< constant; empty: the Reason's
  /// What devices lack; null: it is something else. Valid until the next answer.
  const std::shared_ptr<const alloc::Shortage>* shortage = nullptr;
};

Answer answer_of(const NoRoom& failure, Fit& fit, cluster::NodeIndex node) {
  const auto& task = *failure.task;
  if (fit.refused(task, node)) return {.reason = Reason::node_refused};
  if (const auto barred = failure.barred.find(node); barred != failure.barred.end()) {
    return {.reason = barred->second, .words = "devices that were there went to others of the job"};
  }
  const auto& seen = fit.verdict(task, node);
  if (seen.idle == Reason::none) return {};
  const auto reason = seen.releasing != Reason::none ? seen.releasing : seen.idle;
  return {.reason = reason, .shortage = seen.shortage ? &seen.shortage : nullptr};
}

/// There may be others, of another group, that do.
std::string of_these(std::string text) {
  static constexpr std::string_view nowhere = "no node has ";
  const auto at = text.find(nowhere);
  if (at != std::string::npos) text.replace(at, nowhere.size(), "none of these has ");
  return text;
}

/// What tells nodes of one Reason apart, and of a resource the numbers.
struct Lack {
  std::string what;
  cluster::NodeAllocatableLack resource;
};

Lack lack_of(const Answer& answer, const Task& task, Fit& fit, const Overlay& overlay,
             cluster::NodeIndex node) {
  if (answer.shortage != nullptr) {
    const auto& shortage = **answer.shortage;
    return {shortage.request + "\n" + shortage.device_class + "\n" + shortage.together, {}};
  }
  if (!answer.words.empty() || answer.reason == Reason::gang_no_room) return {};
  auto alone = task.shape->fit.lack(overlay.releasing(), node);
  if (answer.reason != Reason::node_resources) return {std::move(alone.what), {}};
  if (!alone.what.empty()) {
    return {alone.what, {.resource = alone.what, .wanted = alone.wanted, .left = alone.left}};
  }
  // Of the pod alone there is enough: its devices take of the node, too (KEP-5517).
  auto together = fit.lack_with_devices(task, node).value_or(cluster::NodeAllocatableLack());
  return {together.resource + (together.of_pod ? "\nof the pod" : "\nwith devices"), together};
}

/// A group of nodes as it grows.
struct Alike {
  Reason reason = Reason::none;
  std::string what;  ///< of their Lack
  std::string_view words;
  Shortages shortages;
  bool lacks_devices = false;
  cluster::NodeAllocatableLack lack;  ///< of a resource of nodes, where most is left
  NodeName best;                      ///< that node
  std::vector<NodeName> nodes;

  [[nodiscard]] std::string text(const Shortages::PoolFaults& faults) const {
    if (lacks_devices) return of_these(shortages.text(faults));
    if (!words.empty()) return std::string(words);
    switch (reason) {
      case Reason::node_selector:
        return what == "required node affinity"
                   ? "the pod's required node affinity does not match the node"
                   : "the pod wants the " + what + ", the node does not have it";
      case Reason::node_taint:
        return "the node has the " + what + ", which the pod does not tolerate";
      case Reason::node_ports:
        return "the host " + what + " is taken";
      case Reason::gang_no_room:
        return "the node takes such a pod, but others of the job go there already";
      case Reason::node_resources:
        if (what == "pods") return "the node has as many pods as it may have";
        if (lack.of_pod) return wants_text(lack);
        return fmt::format("{}; the most that a node has left is {} ({})", wants_text(lack),
                           amount_text(lack.resource, lack.left), best.get());
      default:
        return std::string(plain_text(reason));
    }
  }
  /// As in NodesAlike.
  [[nodiscard]] const std::string& key() const {
    return lack.resource.empty() ? what : lack.resource;
  }
  /// What a pod may ask for itself on the best node: of a resource.
  [[nodiscard]] std::int64_t left() const { return lack.of_pod ? 0 : lack.left - lack.devices; }
};

/// Of nodes by their names, as Shortages has them.
Shortages::PoolFaults faults_of(Fit& fit, const Overlay& overlay) {
  return [&](const NodeName& node) {
    const auto index = overlay.snapshot().node(node);
    return index ? fit.pool_faults(*index) : std::string();
  };
}

}  // namespace

Refusal explain(const NoRoom& failure, Fit& fit, const Overlay& overlay) {
  if (fit.exhausted()) return {Reason::planning, "the budget of this plan is used up", {}};
  Refusals refusals;
  const auto faults = faults_of(fit, overlay);
  for (const auto node : failure.among) {
    const auto answer = answer_of(failure, fit, node);
    if (answer.reason == Reason::none) continue;
    if (answer.reason == Reason::allocation_error && answer.words.empty()) {
      return {answer.reason, fit.error_on(*failure.task, node), {}};
    }
    if (answer.shortage != nullptr) {
      refusals.add(answer.reason, *answer.shortage, overlay.snapshot().name(node));
    } else if (!answer.words.empty()) {
      refusals.count(answer.reason, answer.words);
    } else {
      refusals.add(answer.reason);
    }
  }
  return {refusals.furthest(), refusals.summary(faults), refusals.devices(faults)};
}

std::vector<NodesAlike> nodes_alike(const NoRoom& failure, Fit& fit, const Overlay& overlay) {
  std::vector<Alike> groups;
  const auto& task = *failure.task;
  for (const auto node : failure.among) {
    auto answer = answer_of(failure, fit, node);
    if (answer.reason == Reason::none) {
      // Others of the chunk were there, and are undone.
      if (failure.placed == 0 || failure.no_domain) continue;
      answer.reason = Reason::gang_no_room;
    }
    const auto& name = overlay.snapshot().name(node);
    const auto lack = lack_of(answer, task, fit, overlay, node);
    auto found = std::ranges::find_if(groups, [&](const Alike& group) {
      if (group.what != lack.what || group.words != answer.words) return false;
      return group.lacks_devices ? answer.shortage != nullptr : group.reason == answer.reason;
    });
    if (found == groups.end()) {
      auto& made = groups.emplace_back();
      made.reason = answer.reason;
      made.what = lack.what;
      made.words = answer.words;
      made.lack = lack.resource;
      made.best = name;
      found = groups.end() - 1;
    }
    if (answer.shortage != nullptr) {
      found->lacks_devices = true;
      if (ByProgress()(found->reason, answer.reason)) found->reason = answer.reason;
      found->shortages.add(*answer.shortage, name);
    }
    if (lack.resource.left > found->lack.left) {
      found->lack = lack.resource;
      found->best = name;
    }
    found->nodes.push_back(name);
  }
  std::vector<NodesAlike> alike;
  alike.reserve(groups.size());
  const auto faults = faults_of(fit, overlay);
  for (auto& group : groups) {
    alike.push_back({.reason = group.reason,
                     .what = group.lacks_devices ? std::string() : group.key(),
                     .text = group.text(faults),
                     .left = group.left(),
                     .nearest = group.lacks_devices ? group.shortages.nearest() : group.best,
                     .free_would_do = !group.lacks_devices || group.shortages.free_would_do(),
                     .nodes = std::move(group.nodes)});
  }
  return alike;
}

}  // namespace dray::planner

#include "dray/policy/queue_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dray::policy {

namespace {

Queue make_queue(QueueSpec spec, std::size_t resources) {
  Queue queue{std::move(spec), {}, false, {}, {}, {}, {}, {}, {}};
  queue.requested = queue.allocated = queue.allocated_nonpreemptible = queue.usage =
      queue.fair_share = Amounts(resources);
  return queue;
}

}  // namespace

Result<QueueTree> QueueTree::make(std::vector<QueueSpec> specs, std::size_t resources) {
  std::ranges::sort(specs, {}, &QueueSpec::name);
  QueueTree tree;
  tree.resources_ = resources;
  tree.queues_.reserve(specs.size());
  for (auto& spec : specs) {
    if (spec.quota.size() != resources || spec.limit.size() != resources ||
        spec.over_quota_weight.size() != resources) {
      return fail(ErrorCode::invalid,
                  fmt::format("queue {}: does not give {} resources", spec.name.get(), resources));
    }
    tree.queues_.push_back(make_queue(std::move(spec), resources));
  }
  if (auto linked = tree.link(); !linked) return std::unexpected(std::move(linked.error()));
  return tree;
}

Result<void> QueueTree::link() {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    auto& queue = queues_[i];
    if (i > 0 && queues_[i - 1].name == queue.name) {
      return fail(ErrorCode::invalid, fmt::format("queue {}: is there twice", queue.name.get()));
    }
    if (!queue.parent) {
      tops_.push_back(QueueIndex(i));
    } else if (const auto parent = find(queue.parent->get())) {
      queue.parent_index = *parent;
      (*this)[*parent].children.push_back(QueueIndex(i));
    } else {
      queue.orphan = true;
    }
  }
  return check_acyclic();
}

Result<void> QueueTree::check_acyclic() const {
  for (const auto& queue : queues_) {
    std::size_t steps = 0;
    for (const auto* at = &queue; at != nullptr; at = parent_of(*at)) {
      if (++steps > queues_.size()) {
        return fail(ErrorCode::invalid,
                    fmt::format("queue {}: its parents form a cycle", queue.name.get()));
      }
    }
  }
  return {};
}

std::optional<QueueIndex> QueueTree::find(std::string_view name) const {
  const auto by_name = [](const Queue& queue) -> std::string_view { return queue.name.get(); };
  const auto it = std::ranges::lower_bound(queues_, name, {}, by_name);
  if (it == queues_.end() || it->name.get() != name) return std::nullopt;
  return QueueIndex(static_cast<std::uint32_t>(it - queues_.begin()));
}

std::vector<QueueIndex> QueueTree::path_to(QueueIndex leaf) const {
  std::vector<QueueIndex> path;
  for (std::optional at = leaf; at; at = (*this)[*at].parent_index) path.push_back(*at);
  std::ranges::reverse(path);
  return path;
}

void QueueTree::add_allocated(QueueIndex leaf, const Amounts& amounts, bool preemptible) {
  upwards(leaf, [&](Queue& queue) {
    queue.allocated += amounts;
    if (!preemptible) queue.allocated_nonpreemptible += amounts;
  });
}

void QueueTree::remove_allocated(QueueIndex leaf, const Amounts& amounts, bool preemptible) {
  upwards(leaf, [&](Queue& queue) {
    queue.allocated -= amounts;
    if (!preemptible) queue.allocated_nonpreemptible -= amounts;
  });
}

void QueueTree::add_requested(QueueIndex leaf, const Amounts& amounts) {
  upwards(leaf, [&](Queue& queue) { queue.requested += amounts; });
}

void QueueTree::remove_requested(QueueIndex leaf, const Amounts& amounts) {
  upwards(leaf, [&](Queue& queue) { queue.requested -= amounts; });
}

}  // namespace dray::policy

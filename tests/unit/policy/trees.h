#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// Amounts from a list.
inline Amounts amounts(std::initializer_list<double> values) {
  Amounts amounts(values.size());
  std::size_t i = 0;
  for (const auto value : values) amounts[i++] = value;
  return amounts;
}

/// A queue of one resource: no bounds, weight 1.
inline QueueSpec spec(std::string name, std::string parent = "", double quota = 0) {
  QueueSpec spec;
  spec.name = QueueName(std::move(name));
  if (!parent.empty()) spec.parent = QueueName(std::move(parent));
  spec.quota = amounts({quota});
  spec.limit = amounts({unlimited});
  spec.over_quota_weight = amounts({1});
  return spec;
}

inline QueueTree tree_of(std::vector<QueueSpec> specs) {
  return QueueTree::make(std::move(specs), 1).value();
}

inline QueueIndex at(const QueueTree& tree, std::string_view name) {
  return tree.find(name).value();
}

inline Queue& queue(QueueTree& tree, std::string_view name) {
  return tree[at(tree, name)];
}

}  // namespace dray::policy

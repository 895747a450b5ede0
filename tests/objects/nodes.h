#pragma once

#include <string>
#include <utility>

#include "dray/model/node.h"
#include "tests/objects/meta.h"

namespace dray::testing {

/// A node with room for 110 pods and 1 Ti of memory.
inline Node make_node(const std::string& name, std::int64_t cpus = 64) {
  Node node;
  node.meta = cluster_meta(name);
  node.allocatable = {
      {"cpu", Quantity(cpus)}, {"memory", Quantity(1LL << 40)}, {"pods", Quantity(110)}};
  return node;
}

inline Node make_node(const std::string& name, Labels labels) {
  auto node = make_node(name);
  node.meta.labels = std::move(labels);
  return node;
}

}  // namespace dray::testing

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dray/cluster/node_fit.h"
#include "dray/cluster/snapshot.h"
#include "dray/planner/pod_claims.h"
#include "planner/state/demand.h"

namespace dray::planner {

/// What decides where a pod fits: its requirements and its claims' specifications, names apart. A
/// view: pod and claims outlive it.
class ShapeSpec {
 public:
  ShapeSpec(const Pod& pod, const PodClaims& claims) : pod_(pod), claims_(claims) {}

  /// Whether both fit the same nodes, whichever these are.
  bool operator==(const ShapeSpec& other) const;
  /// Equal ones have equal hashes.
  [[nodiscard]] std::size_t hash() const;

 private:
  const Pod& pod_;
  const PodClaims& claims_;
};

/// Pods that fit the same nodes (kube-scheduler's equivalence class).
struct Shape {
  std::shared_ptr<const Pod> pod;  ///< one of them
  cluster::NodeFit fit;
  PodClaims claims;  ///< of that one: what they ask for counts
  std::vector<std::string> class_resources;
  PodDemand demand;
  bool partial = false;  ///< asks for a part of a device
  /// Its claims have devices, or other users: only this pod is like this, and only now.
  bool singular = false;
  std::uint32_t number = 0;
};

/// All shapes of a planner. They keep their places and numbers.
class ShapeTable {
 public:
  using Singular = std::vector<std::unique_ptr<Shape>>;

  void clear();
  /// Singular shapes end with the plan that made them. The caller holds the last one's until
  /// nothing points to them.
  [[nodiscard]] Singular take_singular();

  /// The shape of such pods; null: there is none yet.
  [[nodiscard]] const Shape* find(const Pod& pod, const PodClaims& claims) const;
  /// Adds one, with a number of its own.
  const Shape* add(Shape shape);
  /// How many there are, singular ones apart.
  [[nodiscard]] std::size_t size() const { return shapes_.size(); }

 private:
  static constexpr std::uint32_t singular_bit = 0x8000'0000U;

  std::unordered_multimap<std::size_t, std::unique_ptr<Shape>> shapes_;  ///< by ShapeSpec::hash()
  Singular singular_;
  std::uint32_t next_ = 0;
  std::uint32_t next_singular_ = 0;
};

}  // namespace dray::planner

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dray/cluster/node_fit.h"
#include "dray/cluster/snapshot.h"
#include "dray/planner/pod_claims.h"
#include "planner/state/demand.h"
#include "planner/state/kept.h"

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

/// All shapes of a planner, each with a number of its own; singular ones are only their tasks'.
class ShapeTable {
 public:
  /// Of pods and claims that shapes hold on to: with more, those that nobody has go.
  static constexpr std::size_t most_bytes = std::size_t{8} << 20U;

  void clear() { shapes_.clear(); }

  /// The shape of such pods; null: there is none yet.
  [[nodiscard]] Kept<Shape>::Value find(const Pod& pod, const PodClaims& claims) const;
  /// Adds one that is not there.
  [[nodiscard]] Kept<Shape>::Value add(Shape shape);
  /// How many are kept.
  [[nodiscard]] std::size_t size() const { return shapes_.size(); }

 private:
  static constexpr std::uint32_t singular_bit = 0x8000'0000U;

  Kept<Shape> shapes_{most_bytes};  ///< by ShapeSpec::hash()
  std::uint32_t next_ = 0;
  std::uint32_t next_singular_ = 0;  ///< from 0 again after 2^31: no plan has so many
};

}  // namespace dray::planner

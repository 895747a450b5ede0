#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "dray/cel/selector_memo.h"
#include "planner/place/devices.h"
#include "planner/state/nodes.h"

namespace dray::planner {

/// What Feasibility has found out, kept from plan to plan with the changes of nodes' hardware up to
/// which it holds.
struct FeasibilityMemory {
  struct OfShape {
    std::uint64_t seen = 0;                      ///< NodeTable::hardware_changes()
    std::optional<cluster::NodeIndex> taken_by;  ///< a node that could; none: no node could
  };
  std::unordered_map<std::uint32_t, OfShape> shapes;  ///< by number
  /// Devices of a class that all nodes publish together; none: some may have several users.
  struct OfClass {
    std::uint64_t seen = 0;
    std::optional<std::size_t> devices;
  };
  std::map<ClassName, OfClass> classes;
  cel::SelectorMemo memo;

  void clear() {
    shapes.clear();
    classes.clear();
    memo.clear();
  }
};

/// Whether the cluster as it is could take pods if nothing else were on it. That depends on the
/// nodes' labels, taints, resources and published devices, on device classes and on the policy; it
/// does not depend on what is in use, so that nobody's leaving changes it.
class Feasibility {
 public:
  Feasibility(std::shared_ptr<const cluster::Snapshot> snapshot, const NodeTable& nodes,
              alloc::Allocator& allocator, FeasibilityMemory& memory);

  /// Why the chunk could never start.
  struct Infeasible {
    const Task* homeless =
        nullptr;                 ///< a pod that no node could take; null: each could go somewhere
    std::string too_large = {};  ///< …but all nodes together could not hold them
    /// It stays so until hardware or the job's claims change, and is known then at no cost.
    bool lasting = true;
  };
  /// Of the job's next chunk, where no other one could start in its place. Nothing: it is not
  /// infeasible, or that is not known. A gang is too large by sums alone: one that is not may be
  /// infeasible yet. At most `most` pods and nodes are looked at.
  [[nodiscard]] std::optional<Infeasible> check(PlanJob& job, std::size_t most);
  /// How many pods and nodes were looked at so far.
  [[nodiscard]] std::size_t looks() const { return looks_; }

 private:
  [[nodiscard]] std::optional<Infeasible> check_chunk(const PlanJob& job,
                                                      std::span<const std::uint32_t> chunk,
                                                      std::size_t most);
  [[nodiscard]] bool nowhere(const Task& task, std::size_t most);
  [[nodiscard]] bool exists(cluster::NodeIndex node) const;
  [[nodiscard]] bool could_take(const Task& task, cluster::NodeIndex node);
  [[nodiscard]] std::string too_large(const PlanJob& job, std::span<const std::uint32_t> chunk);
  [[nodiscard]] std::optional<std::size_t> devices_of(const ClassName& name);

  const NodeTable& nodes_;
  Devices devices_;
  cluster::AllocatedState empty_;  ///< the snapshot, but for a node that is looked at
  FeasibilityMemory& memory_;
  std::size_t looks_ = 0;
};

}  // namespace dray::planner

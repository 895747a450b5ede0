#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dray/cluster/node_facts.h"
#include "dray/policy/amounts.h"
#include "planner/state/tolerations.h"

namespace dray::planner {

/// Whether a node takes no pods whoever they are: it is cordoned, not ready or unreachable.
[[nodiscard]] bool is_out_of_use(const cluster::NodeFacts& node);

/// What is free of the counted resources, summed by the taints that keep pods off it, so that a
/// node that changes costs its own numbers and the total costs as many sums as there are different
/// taints. Exact up to a millionth of a unit: sums do not depend on the order of changes.
class UsableCapacity {
 public:
  /// Free amounts that a node has behind one list of device taints; none: behind no such taint.
  using Parts = std::vector<std::pair<std::vector<DeviceTaint>, policy::Amounts>>;

  void clear();
  /// The node has so much; it had none, or something else before.
  void put(cluster::NodeIndex node, const cluster::NodeFacts& facts, const Parts& parts);
  /// It is not there any more.
  void remove(cluster::NodeIndex node);
  /// Nor is any from this index on.
  void remove_from(std::size_t limit);
  /// The sum of what somebody of these may use.
  [[nodiscard]] policy::Amounts total(const Tolerations& tolerations, std::size_t resources);

 private:
  __extension__ typedef __int128 Sum;

  struct Group {
    Taints taints;
    std::vector<Sum> sums;
    std::size_t parts = 0;
    Tolerations::Witness witness;
  };
  using Groups = std::map<std::string, Group>;
  struct Part {
    Groups::iterator group;
    policy::Amounts amounts;
  };

  static void add(Group& group, const policy::Amounts& amounts, bool more);

  Groups groups_;  ///< by the text of their taints
  std::vector<std::vector<Part>> by_node_;
};

}  // namespace dray::planner

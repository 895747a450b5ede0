#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/model/object.h"

namespace dray::engine {

/// Which pods speak of which group objects, there or not: when one of these changes, only they are
/// looked at again.
class GroupMembers {
 public:
  /// Namespace and name: of the groups of all projects together, as one name rarely serves two.
  using Group = std::pair<std::string, std::string>;

  /// A pod is there, or says something else than before.
  void put(const Pod& pod);
  void erase(const Uid& pod);
  [[nodiscard]] std::vector<PodKey> of(const Group& group) const;

 private:
  std::map<Group, std::map<Uid, PodKey>> members_;
  std::map<Uid, std::set<Group>> groups_;
};

}  // namespace dray::engine

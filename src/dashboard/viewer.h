#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "dray/policy/policy.h"

namespace dray::dashboard {

class Picture;

/// Whose names somebody may see: those of all namespaces, or of some. What else there is, is told
/// in counts.
struct Viewer {
  bool everything = true;
  std::set<std::string, std::less<>> namespaces;  ///< where not everything
  std::set<std::string, std::less<>> queues;      ///< where not everything: whose names he may see
  std::string name;                               ///< of the user; empty: nobody was asked
  std::size_t unasked = 0;  ///< namespaces that he does not see since nobody could ask yet

  [[nodiscard]] bool sees(const std::string& name_space) const {
    return everything || namespaces.contains(name_space);
  }
  /// The queue's name, or where it is another tenant's its place in the policy: `(queue 3)`, which
  /// is no name that a queue can have.
  [[nodiscard]] std::string queue_name(const policy::QueueName& queue,
                                       const policy::QueueTree& tree) const;
};

/// The queues that somebody knows who sees these namespaces: those of their jobs, those that the
/// policy gives to them, and the queues above.
[[nodiscard]] std::set<std::string, std::less<>> queues_of(
    const std::set<std::string, std::less<>>& namespaces, const Picture& picture);

}  // namespace dray::dashboard

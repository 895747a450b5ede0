#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dray/model/pod.h"
#include "dray/policy/config.h"

namespace dray::engine {

/// Whose pods may be in which queue, by the policy file: the queue's own list, or that of the
/// nearest queue above that has one. Labels and group objects only choose among these.
class QueueUsers {
 public:
  QueueUsers() = default;
  explicit QueueUsers(const policy::PolicyConfig& config);

  /// A queue that is not there is nobody's to refuse.
  [[nodiscard]] bool allows(std::string_view queue, const Pod& pod) const;
  /// The same as text, see encode_queue_users().
  [[nodiscard]] Labels lines() const;

 private:
  struct Rule {
    std::vector<std::string> namespaces;
    std::vector<std::string> service_accounts;
  };
  std::map<std::string, Rule, std::less<>> rules_;  ///< of the queues that are not everybody's
};

}  // namespace dray::engine

#pragma once

#include <string>
#include <vector>

#include "dray/policy/config.h"

namespace dray::app {

/// One thing that two policies say differently.
struct ConfigChange {
  std::string subject;  ///< `queue research`, `reclaim`
  std::string what;     ///< `gpu quota`; empty for a subject that is added or removed
  std::string was;      ///< as a file has it; `none` where nothing is said
  std::string would;

  /// `queue research: gpu quota 16 → 24`
  [[nodiscard]] std::string to_string() const;
  bool operator==(const ConfigChange&) const = default;
};

/// What `would` says otherwise than `was`, defaults written out or not: in the order of the file's
/// keys, queues by their names.
[[nodiscard]] std::vector<ConfigChange> changes_between(const policy::PolicyConfig& was,
                                                        const policy::PolicyConfig& would);

}  // namespace dray::app

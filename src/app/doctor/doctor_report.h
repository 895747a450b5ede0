#pragma once

#include <string>

#include "app/doctor/finding.h"
#include "app/doctor/stranded.h"

namespace dray::app {

/// A paragraph a finding: its name, object and what was seen, then why it matters and the mend.
[[nodiscard]] std::string findings_text(const Findings& findings);
/// {"findings":[{"name":…,"object":…,"what":…,"why":…,"mend":…}]}
[[nodiscard]] std::string findings_json(const Findings& findings);

/// A line a thing that would be left behind.
[[nodiscard]] std::string stranded_text(const std::vector<Stranded>& stranded);
/// {"stranded":[{"name":…,"object":…,"what":…}]}
[[nodiscard]] std::string stranded_json(const std::vector<Stranded>& stranded);

}  // namespace dray::app

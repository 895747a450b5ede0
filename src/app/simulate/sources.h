#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/trace.h"
#include "dray/simulate/workload.h"

namespace dray::app {

/// Where a cluster or a workload comes from: `openb:nodes.csv`.
struct TraceSource {
  std::string form;     ///< openb, philly…
  std::string path;     ///< or what is to be made, of `nodes` and `synthetic`
  bool is_file = true;  ///< it is a path
};
/// Splits at the first colon; where no form is before it, all is a path.
[[nodiscard]] TraceSource parse_source(std::string_view text);

/// `submit=queued_at,gpus=num_gpus`: columns of csv:FILE, by what they are called here. Nothing is
/// given for a workload of another form.
[[nodiscard]] Result<std::map<std::string, std::string, std::less<>>> parse_columns(
    std::string_view text, const std::string& workload);

/// Errors begin with file, line and column. What is skipped goes into `warnings`.
[[nodiscard]] Result<std::vector<simulate::GpuNode>> load_nodes(const std::string& source,
                                                                const simulate::TraceRules& rules,
                                                                std::vector<std::string>& warnings);
[[nodiscard]] Result<simulate::Workload> load_workload(const std::string& source,
                                                       const simulate::TraceRules& rules,
                                                       std::vector<std::string>& warnings);

}  // namespace dray::app

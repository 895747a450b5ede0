#pragma once

#include <string>
#include <vector>

#include "app/match/match_devices.h"

namespace dray::app {

/// Devices that answer alike in a line: verdict, how many, of how many nodes, the first of them,
/// and why not; at the end the counts. Where one sub-expression decided by more than a few values,
/// the first of them stands for all.
[[nodiscard]] std::string match_table(const std::vector<DeviceMatch>& matches, bool coloured);
/// A line a device, and one with the counts.
[[nodiscard]] std::string match_rows(const std::vector<DeviceMatch>& matches);
/// Those that match, for other commands: `device/gpu.nvidia.com/n1/gpu-0`, a line each.
[[nodiscard]] std::string match_names(const std::vector<DeviceMatch>& matches);
/// {"devices":[{"node":…,"device":…,"match":true|false,"error":…,"selector":…,"why":…}],
/// "matched":…,"notMatched":…,"failed":…}; node is null for a device that is not of one node.
[[nodiscard]] std::string match_json(const std::vector<DeviceMatch>& matches);

/// The value of each sub-expression of each selector on the device, nested by indentation.
[[nodiscard]] std::string explain_table(const OfferedDevice& device,
                                        std::vector<NamedSelector>& selectors);
/// {"device":…,"selectors":[{"selector":…,"parts":[{"expression":…,"depth":…,"value":…,
/// "reached":…}]}]}; of a part that failed `error` instead of `value`.
[[nodiscard]] std::string explain_json(const OfferedDevice& device,
                                       std::vector<NamedSelector>& selectors);

}  // namespace dray::app

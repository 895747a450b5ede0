#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/match/match_devices.h"

namespace dray::app {

/// What may have been meant where a selector does not compile: `did you mean attributes?`; empty:
/// nothing is near. `message`: the compiler's.
[[nodiscard]] std::string compile_hint(std::string_view message);

/// What may have been meant by an attribute, a capacity or a domain that no device has:
/// `no device has productNam; did you mean productName?`, each once, sorted.
[[nodiscard]] std::vector<std::string> key_hints(const std::vector<DeviceMatch>& matches);

}  // namespace dray::app

#pragma once

#include <string>
#include <string_view>

namespace dray::cel {

/// The pattern with the names of Unicode classes as RE2 writes them. Go 1.25 and later also take
/// the long names of categories, and any case, and overlook spaces, `_` and `-`: `\pl`,
/// `\p{letter}`. What neither knows stays as it is.
[[nodiscard]] std::string with_re2_class_names(std::string_view pattern);

}  // namespace dray::cel

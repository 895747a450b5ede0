#include "wire/json/first_value.h"

#include <cstddef>

namespace dray::wire {

std::string_view first_value(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return json.substr(0, i + 1);
      --depth;
    }
  }
  return json;
}

}  // namespace dray::wire

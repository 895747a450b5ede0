#include "wire/policy/policy_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dray/policy/config.h"
#include "wire/policy/section_shape.h"

namespace dray::wire {

PolicyShape policy_shape() {
  return shape_of<policy::PolicyConfig>();
}

std::string expected(const PolicyShape& shape) {
  switch (shape.form) {
    case Form::object:
      return "fields";
    case Form::map:
      return "names with values";
    case Form::list:
      return "a list";
    case Form::text:
      return "a text";
    case Form::word:
      return fmt::format("{}", fmt::join(shape.words, " or "));
    case Form::boolean:
      return "true or false";
    case Form::integer:
      return shape.minimum == INT32_MIN
                 ? "a whole number"
                 : fmt::format("a whole number of at least {}", shape.minimum);
    case Form::number:
      return "a number";
    case Form::quantity:
      return "an amount, as 16, 500m or 80Gi";
    case Form::bound:
      return "an amount, as 16, 500m or 80Gi, or unlimited";
    case Form::duration:
      return "a time with its unit, as 90s, 1h30m or 7d";
    case Form::manifest:
      return fmt::format("a {} as in a manifest", shape.words.front());
  }
  return "";
}

}  // namespace dray::wire

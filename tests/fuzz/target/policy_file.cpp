#include <algorithm>
#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/targets.h"
#include "wire/policy/policy_codec.h"
#include "wire/policy/policy_format.h"
#include "wire/policy/policy_writer.h"

/// A policy file is read, or every problem has its place. What is written of it is read as the same
/// policy, and formatting it changes nothing but its form.
void dray::fuzz::policy_file(std::string_view input) {
  const auto file = wire::read_policy(input);
  const auto lines = 2 + static_cast<int>(std::ranges::count(input, '\n'));
  for (const auto& problem : file.problems) {
    DRAY_CHECK(!problem.text.empty());
    DRAY_CHECK(problem.place.line <= lines);
  }
  const auto formatted = wire::format_policy(input);
  if (!file.config) {
    DRAY_CHECK(!file.problems.empty());
    return;
  }
  const auto again = wire::decode_policy(wire::encode_policy(*file.config));
  DRAY_CHECK(again && *again == *file.config);
  if (!formatted) return;
  const auto of_formatted = wire::read_policy(*formatted);
  DRAY_CHECK(of_formatted.config && *of_formatted.config == *file.config);
  DRAY_CHECK(wire::format_policy(*formatted) == *formatted);
}

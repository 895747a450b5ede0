#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/meta.h"

namespace dray::service {

/// A label selector as kubectl takes it: `pool=blue`, `zone in (a, b)`, `!spot`, several by commas,
/// all of which must hold. Immutable; any thread may match.
class LabelSelector {
 public:
  /// Everything.
  LabelSelector() = default;
  [[nodiscard]] static Result<LabelSelector> parse(std::string_view text);

  [[nodiscard]] bool matches(const Labels& labels) const;

 private:
  enum class Op : std::uint8_t { in, not_in, exists, absent };
  struct Rule {
    std::string key;
    Op op = Op::exists;
    std::vector<std::string> values;
  };
  [[nodiscard]] static Result<Rule> parse_rule(std::string_view text);

  std::vector<Rule> rules_;
};

}  // namespace dray::service

#include <string_view>

#include "dray/base/check.h"
#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/yaml/duration.h"

namespace dray::fuzz {
namespace {

void check_quantity(std::string_view text) {
  const auto amount = Quantity::parse(text);
  if (!amount) {
    DRAY_CHECK(!amount.error().message.empty());
    return;
  }
  // Beyond it upstream writes no suffix, and the text says less: `100` for 10^29.
  static const auto most_written = Quantity::parse("999E").value();
  if (*amount > most_written || *amount < Quantity() - most_written) return;
  const auto written = amount->to_string();
  const auto again = Quantity::parse(written);
  DRAY_CHECK(again && *again == *amount);
  DRAY_CHECK(again->to_string() == written);
  const auto twice = *amount + *amount;
  DRAY_CHECK(twice - *amount == *amount);
  DRAY_CHECK(twice.sign() == amount->sign());
  if (const auto units = amount->exact_units()) DRAY_CHECK(Quantity(*units) == *amount);
  if (const auto milli = amount->exact_milli()) DRAY_CHECK(Quantity::from_milli(*milli) == *amount);
  (void)amount->value();
  (void)amount->milli_value();
  (void)amount->as_approximate_double();
  (void)amount->to_decimal();
}

void check_time(std::string_view text) {
  if (const auto time = parse_time(text)) {
    DRAY_CHECK(parse_time(format_micro_time(*time)) == *time);
    DRAY_CHECK(parse_time(format_time(*time)).has_value());
  }
}

void check_duration(std::string_view text) {
  if (const auto duration = wire::parse_duration(text)) {
    DRAY_CHECK(wire::parse_duration(wire::format_duration(*duration)) == *duration);
  }
}

}  // namespace

/// Quantities, times and durations are what they say when they are written again. The first
/// character says which.
void quantity(std::string_view bytes) {
  Input input(bytes);
  switch (input.pick(3)) {
    case 0:
      return check_quantity(input.rest());
    case 1:
      return check_time(input.rest());
    default:
      return check_duration(input.rest());
  }
}

}  // namespace dray::fuzz

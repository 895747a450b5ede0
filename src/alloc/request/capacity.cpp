#include "alloc/request/capacity.h"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "dray/alloc/consumption.h"

namespace dray::alloc {
namespace {

constexpr auto max_int = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view not_representable =
    "capacity request cannot be represented in the device's range arithmetic";

/// Go's / and %: truncating, as in C++; here with the step added that rounding up needs.
std::int64_t steps_up(std::int64_t distance, std::int64_t step) {
  auto n = distance / step;
  if (distance % step != 0) ++n;
  return n;
}

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  (void)__builtin_add_overflow(a, b, &sum);
  return sum;
}
std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  (void)__builtin_mul_overflow(a, b, &product);
  return product;
}

Result<Quantity> round_up_milli(const Quantity& asked, const CapacityRange& range) {
  const auto asked_milli = asked.exact_milli();
  if (!asked_milli) {
    return fail(ErrorCode::invalid, fmt::format("{}: request {} is not a representable milli value",
                                                not_representable, asked.to_string()));
  }
  const auto step = range.step->milli_value();
  const auto min = range.min.milli_value();
  const auto n = steps_up(wrap_add(*asked_milli, -min), step);
  if (n > wrap_add(max_int, -min) / step) {
    return fail(ErrorCode::invalid,
                fmt::format("{}: rounding request {} up to the next step passes the milli-value "
                            "range",
                            not_representable, asked.to_string()));
  }
  const auto milli = wrap_add(min, wrap_multiply(step, n));
  const auto format = range.step->format();
  return milli % 1000 == 0 ? Quantity(milli / 1000, format) : Quantity::from_milli(milli, format);
}

Result<Quantity> round_up(const Quantity& asked, const CapacityRange& range, bool fractional) {
  if (asked < range.min) return range.min;
  if (!range.step) return asked;
  if (counts_in_milli(range, fractional)) return round_up_milli(asked, range);
  if (asked > Quantity(max_int)) {
    return fail(ErrorCode::invalid, fmt::format("{}: request {} exceeds MaxInt64",
                                                not_representable, asked.to_string()));
  }
  const auto step = range.step->value();
  const auto min = range.min.value();
  const auto n = step == 0 ? 0 : steps_up(wrap_add(asked.value(), -min), step);
  if (min >= 0 && step != 0 && n > (max_int - min) / step) {
    return fail(ErrorCode::invalid,
                fmt::format("{}: rounding request {} up to the next step passes MaxInt64",
                            not_representable, asked.to_string()));
  }
  return Quantity(wrap_add(min, wrap_multiply(step, n)), range.step->format());
}

bool violates_range(const Quantity& consumed, const CapacityRange& range, bool fractional) {
  if (range.max && consumed > *range.max) return true;
  if (!range.step) return false;
  if (counts_in_milli(range, fractional)) {
    const auto milli = consumed.exact_milli();
    if (!milli) return true;
    return wrap_add(*milli, -range.min.milli_value()) % range.step->milli_value() != 0;
  }
  const auto step = range.step->value();
  return step != 0 && wrap_add(consumed.value(), -range.min.value()) % step != 0;
}

/// Go's == on two Quantity values: the amount and how it is held.
bool same_as_written(const Quantity& a, const Quantity& b) {
  return a == b && a.format() == b.format() && a.as_int64() == b.as_int64();
}

}  // namespace

bool counts_in_milli(const CapacityRange& range, bool fractional) {
  if (!fractional || !range.min.exact_milli()) return false;
  if (range.max && !range.max->exact_milli()) return false;
  if (!range.step) return true;
  const auto step = range.step->exact_milli();
  return step && *step >= 1;
}

Result<Quantity> consumed_capacity(const Quantity* asked, const DeviceCapacity& capacity,
                                   bool fractional) {
  const auto& policy = capacity.request_policy;
  if (asked == nullptr) {
    return policy && policy->default_value ? *policy->default_value : capacity.value;
  }
  if (!policy) return *asked;
  if (policy->valid_range) return round_up(*asked, *policy->valid_range, fractional);
  for (const auto& valid : policy->valid_values) {
    if (*asked <= valid) return valid;
  }
  return *asked;
}

bool violates_policy(const Quantity& consumed, const CapacityRequestPolicy& policy,
                     bool fractional) {
  if (policy.default_value && same_as_written(consumed, *policy.default_value)) return false;
  if (policy.valid_range) return violates_range(consumed, *policy.valid_range, fractional);
  if (policy.valid_values.empty()) return false;
  for (const auto& valid : policy.valid_values) {
    if (consumed == valid) return false;
  }
  return true;
}

CapacityPlan plan_capacity(const Counters& asked, const cluster::DeviceTraits& traits,
                           bool fractional) {
  CapacityPlan plan;
  const auto unsuitable = [&] {
    plan.kind = CapacityPlan::Kind::unsuitable;
    return plan;
  };
  for (const auto& [name, unused] : asked) {
    if (!traits.capacity.contains(name)) return unsuitable();
  }
  for (const auto& [name, capacity] : traits.capacity) {
    const auto request = asked.find(name);
    auto consumed = consumed_capacity(request == asked.end() ? nullptr : &request->second, capacity,
                                      fractional);
    if (consumed && consumed->sign() < 0) {
      consumed = fail(ErrorCode::invalid, "capacity value is negative");
    }
    if (!consumed) {
      plan.kind = CapacityPlan::Kind::error;
      plan.error = fmt::format("capacity \"{}\": {}", name, consumed.error().message);
      return plan;
    }
    plan.taken.push_back(amount_of(*consumed));
    plan.total.push_back(amount_of(capacity.value));
    plan.consumed.emplace(name, std::move(*consumed));
  }
  for (const auto& [name, capacity] : traits.capacity) {
    if (!capacity.request_policy) continue;
    if (violates_policy(plan.consumed.at(name), *capacity.request_policy, fractional)) {
      return unsuitable();
    }
  }
  for (std::size_t i = 0; i < plan.taken.size(); ++i) {
    if (plan.taken[i] > plan.total[i]) return unsuitable();
  }
  return plan;
}

std::optional<Counters> consumption(const Counters& asked, const cluster::DeviceTraits& traits,
                                    const Features& features) {
  if (!features.consumable_capacity) return Counters{};
  auto plan = plan_capacity(asked, traits, features.fractional_capacity_range);
  if (plan.kind != CapacityPlan::Kind::fits) return std::nullopt;
  if (!traits.allow_multiple_allocations) return Counters{};
  return std::move(plan.consumed);
}

}  // namespace dray::alloc

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/validation/context.h"

// Source: validateRequestPolicy of pkg/apis/resource/validation/validation.go of Kubernetes 1.37.

namespace dray::wire {
namespace {

constexpr std::size_t max_valid_values = 10;

/// Numbers that upstream reads with Quantity.Value(), which holds from 0 to the largest int64.
bool is_in_range(const Quantity& quantity) {
  return quantity.sign() >= 0 && quantity <= Quantity(std::numeric_limits<std::int64_t>::max());
}

bool is_fractional(const Quantity& quantity) {
  return quantity.to_decimal().find('.') != std::string::npos;
}

class RequestPolicyChecker {
 public:
  RequestPolicyChecker(bool fractional, FieldErrors& errors)
      : fractional_(fractional), errors_(errors) {}

  void run(const Field& policy, const Quantity& most) {
    const auto values = policy.child("validValues");
    const auto range = policy.child("validRange");
    const auto fallback = policy.child("default");
    if (!values.items().empty() && range.present()) {
      return errors_.forbidden(policy,
                               "exactly one policy can be specified, cannot specify "
                               "\"validValues\" and \"validRange\" at the same time");
    }
    if (!values.items().empty()) {
      if (!fallback.present()) {
        return errors_.required(fallback, "required when validValues is defined");
      }
      valid_values(values, fallback.quantity(), most);
    } else if (range.present()) {
      if (!fallback.present()) {
        return errors_.required(fallback, "required when validRange is defined");
      }
      valid_range(range, fallback.quantity(), most);
    }
  }

 private:
  void valid_values(const Field& values, const Quantity& fallback, const Quantity& most) {
    const auto items = values.items();
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (items[i - 1].quantity() > items[i].quantity()) {
        errors_.invalid(items[i], items[i].quantity().to_string(),
                        "values must be sorted in ascending order");
      }
    }
    check_set(
        values, max_valid_values, errors_,
        [&](const Field& each) {
          if (each.quantity() <= most) return;
          errors_.invalid(
              each, each.quantity().to_string(),
              fmt::format("option is larger than capacity value: {}", most.to_string()));
        },
        [this](const Field& each) {
          return fractional_ ? each.quantity().to_decimal()
                             : std::to_string(each.quantity().value());
        });
    const bool known =
        items.size() <= max_valid_values &&
        std::ranges::any_of(items, [&](const Field& each) { return each.quantity() == fallback; });
    if (!known) {
      errors_.invalid(values, fallback.to_string(),
                      "default value is not valid according to the requestPolicy");
    }
  }

  struct Range {
    Field field;
    Quantity fallback;
    Quantity min;
    std::optional<Quantity> max;
    std::optional<Quantity> step;

    /// With the names that errors give them.
    [[nodiscard]] std::vector<std::pair<const char*, Quantity>> all() const {
      std::vector<std::pair<const char*, Quantity>> values{{"default", fallback}, {"min", min}};
      if (max) values.emplace_back("max", *max);
      if (step) values.emplace_back("step", *step);
      return values;
    }
  };

  void valid_range(const Field& field, const Quantity& fallback, const Quantity& most) {
    const auto min = field.child("min");
    if (!min.present()) return errors_.required(min, "required when validRange is defined");
    Range range{field, fallback, min.quantity(), {}, {}};
    if (field.child("max").present()) range.max = field.child("max").quantity();
    if (field.child("step").present()) range.step = field.child("step").quantity();
    bounds(range, most);
    const auto values = range.all();
    const bool milli = fractional_ && std::ranges::any_of(values, [](const auto& value) {
                         return is_fractional(value.second);
                       });
    if (milli) {
      bool safe = true;
      for (const auto& [name, value] : values) {
        if (value.exact_milli()) continue;
        errors_.invalid(field.child(name), value.to_string(),
                        "value cannot be represented as a milli value");
        safe = false;
      }
      if (!safe) return;
    }
    if (range.step) steps(range, most, milli);
  }

  void bounds(const Range& range, const Quantity& most) {
    const auto& [field, fallback, min, max, step] = range;
    const auto wrong = [&](const char* name, const Quantity& value, const char* what,
                           const Quantity& than) {
      errors_.invalid(field.child(name), value.to_string(),
                      fmt::format("{}: {}", what, than.to_string()));
    };
    if (min > most) wrong("min", min, "min is larger than capacity value", most);
    if (fallback < min) wrong("default", fallback, "default is less than min", min);
    if (!max) return;
    if (min > *max) wrong("max", min, "min is larger than max", *max);
    if (*max > most) wrong("max", *max, "max is larger than capacity value", most);
    if (fallback > *max) wrong("default", fallback, "default is more than max", *max);
  }

  void steps(const Range& range, const Quantity& most, bool milli) {
    const auto step = range.field.child("step");
    if (range.step->sign() <= 0) {
      return errors_.invalid(step, range.step->to_string(), "must be greater than zero");
    }
    const auto added = range.min + *range.step;
    if (added > most) {
      errors_.invalid(step, range.step->to_string(),
                      fmt::format("one step {} is larger than capacity value: {}",
                                  added.to_string(), most.to_string()));
    }
    bool safe = true;
    for (const auto& [name, value] : range.all()) {
      if (milli || is_in_range(value)) continue;
      errors_.invalid(range.field.child(name), value.to_string(),
                      value.sign() < 0 ? "must be greater than or equal to 0"
                                       : "must not be larger than 9223372036854775807");
      safe = false;
    }
    if (!safe) return;
    const auto number = [milli](const Quantity& of) {
      return milli ? of.milli_value() : of.value();
    };
    const auto check = [&](const Quantity& value) {
      if ((number(value) - number(range.min)) % number(*range.step) == 0) return;
      errors_.invalid(step, value.to_string(),
                      fmt::format("value is not a multiple of a given step ({}) from ({})",
                                  range.step->to_string(), range.min.to_string()));
    };
    check(range.fallback);
    if (range.max) check(*range.max);
  }

  bool fractional_;  ///< amounts are not rounded up to whole ones
  FieldErrors& errors_;
};

}  // namespace

void check_request_policy(const Field& policy, const Quantity& most,
                          const alloc::Features& features, FieldErrors& errors) {
  RequestPolicyChecker(features.fractional_capacity_range, errors).run(policy, most);
}

}  // namespace dray::wire

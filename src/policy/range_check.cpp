#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/config_check.h"

// The least values of keys, from their descriptions.

namespace dray::policy {

namespace {

/// Goes through a section and all below it.
class RangeCheck {
 public:
  RangeCheck(std::string path, ConfigProblems& problems)
      : path_(std::move(path)), problems_(problems) {}

  template <class T>
  void key(std::string_view key, const T& value, std::string_view /*doc*/) {
    enter(path_of(key), value);
  }
  template <class T>
  void key(std::string_view key, const T& value, Range range, std::string_view /*doc*/) {
    check(path_of(key), value, range);
  }
  template <class T>
  void required(std::string_view key, const T& value, std::string_view doc) {
    this->key(key, value, doc);
  }
  void constant(std::string_view /*key*/, std::string_view /*word*/, std::string_view /*doc*/) {}

 private:
  [[nodiscard]] std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  // Only sections have keys below them.
  template <class T>
  void enter(const std::string& /*path*/, const T& /*value*/) {}
  template <Section T>
  void enter(const std::string& path, const T& section) {
    RangeCheck below(path, problems_);
    T::describe(below, section);
  }
  template <Section T>
  void enter(const std::string& path, const std::optional<T>& section) {
    if (section) enter(path, *section);
  }
  template <Section T>
  void enter(const std::string& path, const std::vector<T>& sections) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      enter(fmt::format("{}[{}]", path, i), sections[i]);
    }
  }
  void enter(const std::string& path, const std::vector<CountedResource>& resources) {
    for (const auto& resource : resources) enter(path + "." + resource.name, resource.rules);
  }

  void check(const std::string& path, double value, Range range) {
    if (range.holds(value)) return;
    if (range.open) return problems_.error(path, "must be above {}", range.least);
    if (range.least == 0) return problems_.error(path, "must not be below 0");
    problems_.error(path, "must be at least {}", range.least);
  }
  void check(const std::string& path, Duration value, Range range) {
    check(path, static_cast<double>(value.count()), range);
  }
  void check(const std::string& path, const Quantity& value, Range range) {
    check(path, value.as_approximate_double(), range);
  }
  template <class T>
  void check(const std::string& path, const std::optional<T>& value, Range range) {
    if (value) check(path, *value, range);
  }
  void check(const std::string& path, const Weights& weights, Range range) {
    check(path, weights.all, range);
    for (const auto& [name, weight] : weights.by_resource) {
      check(fmt::format("{}.{}", path, name), weight, range);
    }
  }

  std::string path_;
  ConfigProblems& problems_;
};

}  // namespace

void check_ranges(const PolicyConfig& config, ConfigProblems& problems) {
  RangeCheck check("", problems);
  PolicyConfig::describe(check, config);
}

}  // namespace dray::policy

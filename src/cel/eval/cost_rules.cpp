#include "cel/eval/cost_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cel/text/cost_per_byte.h"
#include "cel/value/values.h"
#include "dray/cel/named_format.h"

namespace dray::cel {

namespace {

enum Rule : std::uint16_t {
  one,
  authorization_check,
  selector,
  traverse_first,
  string_pass,
  text_pass,
  two_string_passes,
  two_result_passes,
  regex,
  pattern_match,
  cidr_contains_ip,
  cidr_contains_ip_text,
  cidr_contains_cidr,
  cidr_contains_cidr_text,
  validate_format,
  equality,
  inequality,
  shorter_string,
  second_string_pass,
  list_size,
  joined_strings,
  text_search,
  list_output,
  list_flatten,
  list_compared_with_itself,
  keys_compared_with_themselves,
  set_product,
  double_set_product,
};

std::uint64_t passes(double size) {
  return static_cast<std::uint64_t>(std::ceil(size * per_byte));
}
double size(const Value& value) {
  // An optional counts as what is in it.
  const Value* at = &value;
  while (at->is(Kind::optional) && at->optional->present) at = &at->optional->value;
  return static_cast<double>(actual_size(*at));
}
/// Kubernetes' own estimator does not look into optionals.
double plain_size(const Value& value) {
  return static_cast<double>(actual_size(value));
}

std::uint64_t traversal(const Value& value) {
  switch (value.kind) {
    case Kind::string:
    case Kind::bytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.size) * per_byte);
    case Kind::list: {
      Context scratch;
      std::uint64_t cost = 0;
      for (std::uint32_t i = 0; i < value.list->size; ++i) {
        cost += traversal(list_at(scratch, *value.list, i));
      }
      return cost;
    }
    case Kind::map: {
      Context scratch;
      std::uint64_t cost = 0;
      for (std::uint32_t i = 0; i < value.map->size; ++i) {
        const MapEntry entry = map_at(scratch, *value.map, i);
        cost += traversal(entry.key) + traversal(entry.value);
      }
      return cost;
    }
    default:
      return 1;
  }
}

std::uint64_t regex_cost(double text, double pattern) {
  return passes(1.0 + text) * static_cast<std::uint64_t>(std::ceil(pattern * per_pattern_byte));
}

bool is_kubernetes_type(const Value& value) {
  switch (value.kind) {
    case Kind::quantity:
    case Kind::semver:
    case Kind::ip:
    case Kind::cidr:
    case Kind::url:
    case Kind::format:
      return true;
    default:
      return false;
  }
}

std::uint64_t selector_cost(std::uint64_t length) {
  const auto text = static_cast<double>(length);
  const auto requirements = std::ceil(text * 0.5);
  return 10 + passes(text) + static_cast<std::uint64_t>(std::ceil(requirements * 50.0));
}

struct ByFunction {
  std::string_view function;
  Rule rule;
};

constexpr std::array by_function{
    ByFunction{"check", authorization_check},
    ByFunction{"fieldSelector", selector},
    ByFunction{"labelSelector", selector},
    ByFunction{"isSorted", traverse_first},
    ByFunction{"sum", traverse_first},
    ByFunction{"max", traverse_first},
    ByFunction{"min", traverse_first},
    ByFunction{"indexOf", traverse_first},
    ByFunction{"lastIndexOf", traverse_first},
    ByFunction{"includes", traverse_first},
    ByFunction{"url", string_pass},
    ByFunction{"lowerAscii", string_pass},
    ByFunction{"upperAscii", string_pass},
    ByFunction{"substring", string_pass},
    ByFunction{"trim", string_pass},
    ByFunction{"replace", two_string_passes},
    ByFunction{"split", two_string_passes},
    ByFunction{"join", two_result_passes},
    ByFunction{"find", regex},
    ByFunction{"findAll", regex},
    ByFunction{"cidr", string_pass},
    ByFunction{"isIP", string_pass},
    ByFunction{"isCIDR", string_pass},
    ByFunction{"ip.isCanonical", two_string_passes},
    ByFunction{"quantity", string_pass},
    ByFunction{"isQuantity", string_pass},
    ByFunction{"semver", string_pass},
    ByFunction{"isSemver", string_pass},
    ByFunction{"validate", validate_format},
    ByFunction{"_==_", equality},
};

constexpr std::array one_unit{
    std::string_view{"serviceAccount"}, std::string_view{"path"},
    std::string_view{"group"},          std::string_view{"resource"},
    std::string_view{"subresource"},    std::string_view{"namespace"},
    std::string_view{"name"},           std::string_view{"allowed"},
    std::string_view{"reason"},         std::string_view{"error"},
    std::string_view{"errored"},
};

/// cel-go's list and set extensions, which come before all else.
std::optional<Rule> by_tracked_overload(std::string_view overload) {
  if (overload == "list_slice" || overload == "lists_range" || overload == "list_reverse") {
    return list_output;
  }
  if (overload == "list_flatten" || overload == "list_flatten_int") return list_flatten;
  if (overload.starts_with("list_") && overload.ends_with("_sortByAssociatedKeys")) {
    return keys_compared_with_themselves;
  }
  if (overload == "list_distinct" ||
      (overload.starts_with("list_") && overload.ends_with("_sort"))) {
    return list_compared_with_itself;
  }
  if (overload == "list_sets_contains_list" || overload == "list_sets_intersects_list") {
    return set_product;
  }
  if (overload == "list_sets_equivalent_list") return double_set_product;
  return std::nullopt;
}

Rule by_overload(std::string_view overload) {
  constexpr std::array comparisons{std::string_view{"less_string"},
                                   std::string_view{"greater_string"},
                                   std::string_view{"less_equals_string"},
                                   std::string_view{"greater_equals_string"},
                                   std::string_view{"less_bytes"},
                                   std::string_view{"greater_bytes"},
                                   std::string_view{"less_equals_bytes"},
                                   std::string_view{"greater_equals_bytes"},
                                   std::string_view{"equals"},
                                   std::string_view{"not_equals"}};
  if (std::ranges::find(comparisons, overload) != comparisons.end()) return shorter_string;
  if (overload == "starts_with_string" || overload == "ends_with_string") return second_string_pass;
  if (overload == "string_to_bytes" || overload == "bytes_to_string" ||
      overload == "strings_quote" || overload == "string_format") {
    return text_pass;
  }
  if (overload == "in_list") return list_size;
  if (overload == "add_string" || overload == "add_bytes") return joined_strings;
  if (overload == "matches" || overload == "matches_string") return pattern_match;
  if (overload == "contains_string") return text_search;
  return one;
}

std::uint64_t made_list(double factor, double size) {
  const double cost = size * (factor < 0 ? 1.0 : factor);
  // What Go makes of a double that is too large for a uint64.
  const bool wraps = cost >= 18446744073709551616.0;
  const std::uint64_t units = wraps ? std::uint64_t{1} << 63U : static_cast<std::uint64_t>(cost);
  return units > std::numeric_limits<std::uint64_t>::max() - 11
             ? std::numeric_limits<std::uint64_t>::max()
             : units + 11;
}

std::uint64_t flatten_cost(Context& context, std::span<const Value> args) {
  double depth = 1;
  if (args.size() == 2) {
    if (!args[1].is(Kind::int64)) {
      context.panic(
          fmt::format("interface conversion: ref.Val is {}, not types.Int", go_type(args[1])));
      return 0;
    }
    depth = static_cast<double>(args[1].int64);
  }
  return made_list(depth, plain_size(args[0]));
}

std::uint64_t self_compare_cost(Context& context, const Value& list) {
  if (!list.is(Kind::list)) {
    const bool adds = has_trait(list, Trait::adder);
    context.panic(fmt::format("interface conversion: {} is not traits.Lister: missing method {}",
                              go_type(list), adds ? "Contains" : "Add"));
    return 0;
  }
  double factor = 2;
  if (list.list->size == 0) return made_list(factor, 0);
  const Value first = list_at(context, *list.list, 0);
  if (first.is(Kind::string) || first.is(Kind::bytes)) factor += per_byte;
  return made_list(factor, plain_size(list) * plain_size(list));
}

}  // namespace

std::uint16_t cost_rule(std::string_view function, std::string_view overload) {
  if (const auto tracked = by_tracked_overload(overload)) return *tracked;
  if (function == "ip") return overload == "cidr_ip" ? one : string_pass;
  if (function == "containsIP") {
    return overload == "cidr_contains_ip_string" ? cidr_contains_ip_text : cidr_contains_ip;
  }
  if (function == "containsCIDR") {
    return overload == "cidr_contains_cidr_string" ? cidr_contains_cidr_text : cidr_contains_cidr;
  }
  if (std::ranges::find(one_unit, function) != one_unit.end()) return one;
  const auto own = std::ranges::find(by_function, function, &ByFunction::function);
  return own != by_function.end() ? own->rule : by_overload(overload);
}

bool cost_may_panic(std::uint16_t rule) {
  return rule == list_flatten || rule == list_compared_with_itself ||
         rule == keys_compared_with_themselves;
}

std::uint64_t call_cost(Context& context, std::uint16_t rule, std::span<const Value> args,
                        const Value& result) {
  switch (rule) {
    case list_output:
      return made_list(1, plain_size(result));
    case list_flatten:
      return flatten_cost(context, args);
    case list_compared_with_itself:
    case keys_compared_with_themselves:
      return self_compare_cost(context, args[rule == list_compared_with_itself ? 0 : 1]);
    case set_product:
    case double_set_product:
      return 1 + static_cast<std::uint64_t>(plain_size(args[0]) * plain_size(args[1]) *
                                            (rule == set_product ? 1 : 2));
    case authorization_check:
      return 350000;
    case selector:
      return args.size() < 2 ? 1 : selector_cost(actual_size(args[1]));
    case traverse_first:
      return args.empty() ? 0 : traversal(args[0]);
    case string_pass:
      return args.empty() ? 1 : passes(plain_size(args[0]));
    case text_pass:
      return passes(size(args[0]));
    case two_string_passes:
    case two_result_passes:
      return passes(plain_size(rule == two_string_passes ? args[0] : result) * 2);
    case regex:
      return regex_cost(plain_size(args[0]), plain_size(args[1]));
    case pattern_match:
      return regex_cost(size(args[0]), size(args[1]));
    case cidr_contains_ip:
    case cidr_contains_ip_text:
      return passes(plain_size(args[0]) * 2) +
             (rule == cidr_contains_ip_text ? passes(plain_size(args[1])) : 0);
    case cidr_contains_cidr:
    case cidr_contains_cidr_text:
      return passes(plain_size(args[0]) * 2) + passes(plain_size(args[0])) + 1 +
             (rule == cidr_contains_cidr_text ? passes(plain_size(args[1])) : 0);
    case validate_format:
      if (args.size() < 2 || !args[0].is(Kind::format)) return 1;
      return regex_cost(plain_size(args[1]), static_cast<double>(args[0].format->pattern_size));
    case equality:
      if (is_kubernetes_type(args[0])) return 1;
      [[fallthrough]];
    case inequality:
    case shorter_string:
      return passes(std::min(size(args[0]), size(args[1])));
    case second_string_pass:
      return passes(size(args[1]));
    case list_size:
      return static_cast<std::uint64_t>(size(args[1]));
    case joined_strings:
      return passes(size(args[0]) + size(args[1]));
    case text_search:
      return passes(size(args[0])) * passes(size(args[1]));
    default:
      return 1;
  }
}

}  // namespace dray::cel

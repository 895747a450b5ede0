#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cel/check/cost_estimate.h"
#include "cel/text/cost_per_byte.h"

namespace dray::cel {

namespace {

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  return a > unlimited - b ? unlimited : a + b;
}
std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > unlimited / b ? unlimited : a * b;
}
std::uint64_t scaled(std::uint64_t size, double factor) {
  const double product = std::ceil(static_cast<double>(size) * factor);
  return product >= 18446744073709551616.0 ? unlimited : static_cast<std::uint64_t>(product);
}

}  // namespace

Range Range::plus(Range other) const {
  return {capped_sum(least, other.least), capped_sum(most, other.most)};
}
Range Range::times(Range other) const {
  return {capped_product(least, other.least), capped_product(most, other.most)};
}
Range Range::times(double factor) const {
  return {scaled(least, factor), scaled(most, factor)};
}
Range Range::united(Range other) const {
  return {std::min(least, other.least), std::max(most, other.most)};
}

namespace {

class CallEstimator {
 public:
  explicit CallEstimator(const CallCosts& call) : call_(call) {}

  CallEstimate run() {
    auto estimate = extension();
    if (!estimate) estimate = kubernetes();
    if (!estimate) estimate = standard();
    estimate->cost = estimate->cost.plus(call_.arg_cost);
    return *estimate;
  }

 private:
  using Estimate = std::optional<CallEstimate>;

  [[nodiscard]] Range size(const CostNode& node) const {
    if (node.size) return *node.size;
    return declared_size(*call_.device, node.path).value_or(unknown_range);
  }
  [[nodiscard]] Range arg_size(std::size_t i) const { return size(call_.args[i]); }
  [[nodiscard]] std::size_t args() const { return call_.args.size(); }
  template <class... Names>
  [[nodiscard]] bool is(Names... names) const {
    return ((call_.function == names) || ...);
  }
  static CallEstimate one() { return {fixed(1), std::nullopt}; }
  [[nodiscard]] static Range text_pass(Range range) { return range.times(per_byte); }
  /// A value that the standard table takes as it is, unknown where the size is.
  [[nodiscard]] static Range known(const CostNode& node) {
    return node.size.value_or(unknown_range);
  }

  // --- cel-go's list and set extensions ---
  [[nodiscard]] std::uint64_t literal(std::size_t i, std::uint64_t otherwise) const {
    const Expr* expr = call_.args[i].expr;
    if (expr->kind != ExprKind::literal || !expr->literal.is(Kind::int64)) return otherwise;
    return expr->literal.int64 < 0 ? 0 : static_cast<std::uint64_t>(expr->literal.int64);
  }
  static CallEstimate makes_list(double factor, Range list) {
    return {list.times(factor).plus(fixed(11)), list};
  }
  [[nodiscard]] CallEstimate compares(const CostNode& node) const {
    const bool text =
        call_.overload.starts_with("list_string_") || call_.overload.starts_with("list_bytes_");
    const Range range = size(node);
    return makes_list(text ? 2.0 + per_byte : 2.0, range.times(range));
  }

  [[nodiscard]] Estimate extension() const {
    const std::string_view id = call_.overload;
    if (id == "list_slice") {
      const Range range = size(*call_.target);
      return makes_list(1, fixed(literal(1, range.most) - literal(0, 0)));
    }
    if (id == "lists_range") return makes_list(1, fixed(literal(0, unlimited)));
    if (id == "list_reverse") return makes_list(1, size(*call_.target));
    if (id == "list_flatten" || id == "list_flatten_int") {
      const auto depth = args() == 1 ? literal(0, unlimited) : 1;
      return makes_list(static_cast<double>(depth), size(*call_.target));
    }
    if (id == "list_distinct") {
      const Range range = size(*call_.target);
      return makes_list(2, range.times(range));
    }
    if (id.starts_with("list_") && id.ends_with("_sortByAssociatedKeys")) {
      return compares(call_.args[0]);
    }
    if (id.starts_with("list_") && id.ends_with("_sort")) return compares(*call_.target);
    if (id.starts_with("list_sets_")) {
      const double factor = id == "list_sets_equivalent_list" ? 2 : 1;
      return CallEstimate{arg_size(0).times(arg_size(1)).times(factor).plus(fixed(1)),
                          std::nullopt};
    }
    return std::nullopt;
  }

  // --- Kubernetes ---
  [[nodiscard]] Estimate kubernetes() const {
    if (is("check")) return CallEstimate{fixed(350000), std::nullopt};
    if (is("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name",
           "allowed", "reason", "error", "errored", "masked", "prefixLength", "family",
           "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
           "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger",
           "asApproximateFloat") ||
        is("isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch",
           "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery")) {
      return one();
    }
    if (is("fieldSelector", "labelSelector") && args() == 1) return selector();
    if (is("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes") && call_.target) {
      return traversal();
    }
    if (is("url") && args() == 1) return CallEstimate{text_pass(arg_size(0)), arg_size(0)};
    if (is("lowerAscii", "upperAscii", "substring", "trim") && call_.target) {
      return CallEstimate{text_pass(size(*call_.target)), size(*call_.target)};
    }
    if (is("replace") && call_.target && args() >= 2) return replace();
    if (is("split") && call_.target) return split();
    if (is("join") && call_.target) return join();
    if (is("find", "findAll") && call_.target && args() >= 1) {
      const Range text = size(*call_.target);
      return CallEstimate{text_pass(text.plus(fixed(1))).times(arg_size(0).times(per_pattern_byte)),
                          Range{0, text.most}};
    }
    return network();
  }

  [[nodiscard]] Estimate network() const {
    if (is("ip") && call_.overload == "cidr_ip") return one();
    if (is("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver") &&
        args() >= 1) {
      return CallEstimate{text_pass(arg_size(0)), std::nullopt};
    }
    if (is("ip.isCanonical") && args() >= 1) {
      return CallEstimate{arg_size(0).times(2 * per_byte), std::nullopt};
    }
    constexpr Range address{4, 16};
    if (is("containsIP") && args() >= 1) {
      Range cost = text_pass(address.plus(address));
      if (call_.overload == "cidr_contains_ip_string") cost = cost.plus(text_pass(arg_size(0)));
      return CallEstimate{cost, std::nullopt};
    }
    if (is("containsCIDR") && args() >= 1) {
      Range cost = text_pass(address.plus(address)).plus(text_pass(address)).plus(fixed(1));
      if (call_.overload == "cidr_contains_cidr_string") cost = cost.plus(text_pass(arg_size(0)));
      return CallEstimate{cost, std::nullopt};
    }
    if (is("validate") && args() >= 1) {
      return CallEstimate{text_pass(arg_size(0)).times(128 * per_pattern_byte), std::nullopt};
    }
    if (is("_==_") && args() == 2) return equality();
    return std::nullopt;
  }

  [[nodiscard]] CallEstimate selector() const {
    const Range length = arg_size(0);
    return {fixed(10).plus(text_pass(length)).plus(length.times(0.5).times(50.0)), std::nullopt};
  }

  [[nodiscard]] CallEstimate traversal() const {
    const CostNode& list = *call_.target;
    const auto params = list.type->params();
    if (params.empty()) {
      const Range range = size(list);
      return {is("includes") ? range : text_pass(range), std::nullopt};
    }
    Range element = fixed(1);
    const TypeKind kind = params[0]->kind();
    if (kind == TypeKind::string || kind == TypeKind::bytes) {
      CostNode item{.type = params[0], .path = list.path};
      if (!item.path.empty()) item.path = item.path.copied_below("@items");
      element = element.plus(text_pass(size(item)));
    }
    return {size(list).times(element), std::nullopt};
  }

  [[nodiscard]] CallEstimate replace() const {
    const Range text = size(*call_.target);
    const Range old = arg_size(0);
    const Range with = arg_size(1);
    const auto pieces = [](std::uint64_t length, std::uint64_t part) {
      return static_cast<std::uint64_t>(
          std::ceil(static_cast<double>(length) / static_cast<double>(part)));
    };
    Range count;
    Range kept;
    if (old.least == 0) {
      count.most = capped_sum(text.most, 1);
      kept.most = text.most;
    } else if (with.most <= old.least) {
      kept.most = text.most;
    } else {
      count.most =
          text.most == unlimited && old.least == 1 ? unlimited : pieces(text.most, old.least);
    }
    if (old.most == 0) {
      count.least = capped_sum(text.least, 1);
      kept.least = text.least;
    } else if (old.most <= with.least) {
      kept.least = text.least;
    } else {
      count.least = pieces(text.least, old.most);
    }
    return {text.times(2 * per_byte), count.times(with).plus(kept)};
  }

  [[nodiscard]] CallEstimate split() const {
    const Range text = size(*call_.target);
    Range parts{0, text.most};
    if (args() > 1) {
      const Expr* limit = call_.args[1].expr;
      if (limit->kind == ExprKind::literal && limit->literal.is(Kind::int64)) {
        parts.most = static_cast<std::uint64_t>(limit->literal.int64);
      }
    }
    return {text.times(2 * per_byte), parts};
  }

  [[nodiscard]] CallEstimate join() const {
    const CostNode& list = *call_.target;
    const Range count = size(list);
    Range result;
    if (!list.type->params().empty()) {
      CostNode item{.type = list.type->params()[0], .path = list.path};
      if (!item.path.empty()) item.path = item.path.copied_below("@items");
      result = count.times(size(item));
    }
    if (args() > 0) {
      const Range separators{count.least > 0 ? count.least - 1 : 0,
                             count.most > 0 ? count.most - 1 : 0};
      result = result.plus(arg_size(0).times(separators));
    }
    return {text_pass(result), result};
  }

  [[nodiscard]] Estimate equality() const {
    const Type& left = *call_.args[0].type;
    if (left.name() != call_.args[1].type->name()) return std::nullopt;
    const auto is_type = [&](const Type& type) { return &left == &type || same_type(left, type); };
    if (is_type(types::ip) || is_type(types::cidr) || is_type(types::quantity) ||
        is_type(types::semver) || left.name().starts_with("kubernetes.authorization.")) {
      return one();
    }
    if (is_type(types::named_format)) return CallEstimate{Range{1, 64}.times(per_byte), {}};
    if (is_type(types::url)) {
      const Range right = call_.args[1].size.value_or(fixed(1));
      return CallEstimate{Range{1, right.most}.times(per_byte), {}};
    }
    return std::nullopt;
  }

  // --- cel-go ---
  [[nodiscard]] CallEstimate standard() const {
    const std::string_view id = call_.overload;
    if (id == "string_format" && call_.target) return {text_pass(known(*call_.target)), {}};
    if (id == "string_to_bytes" && args() == 1) {
      const Range text = known(call_.args[0]);
      return {text_pass(text), Range{text.least, text.most * 4}};
    }
    if (id == "bytes_to_string" && args() == 1) {
      const Range bytes = known(call_.args[0]);
      return {text_pass(bytes), Range{bytes.least / 4, bytes.most}};
    }
    if (id == "strings_quote" && args() == 1) {
      const Range text = known(call_.args[0]);
      return {text_pass(text), Range{text.least + 2, text.most * 2 + 2}};
    }
    if ((id == "starts_with_string" || id == "ends_with_string") && args() == 1) {
      return {text_pass(known(call_.args[0])), {}};
    }
    if (id == "in_list" && args() == 2) return {known(call_.args[1]).times(1.0), {}};
    if (id == "matches_string" && call_.target) return regex(*call_.target, call_.args[0]);
    if (id == "matches" && args() == 2) return regex(call_.args[0], call_.args[1]);
    if (id == "contains_string" && call_.target) {
      return {text_pass(known(*call_.target)).times(text_pass(known(call_.args[0]))), {}};
    }
    if (id == "add_string" || id == "add_bytes" || id == "add_list") {
      const Range sum = known(call_.args[0]).plus(known(call_.args[1]));
      return {id == "add_list" ? fixed(1) : text_pass(sum), sum};
    }
    if (compares_texts(id)) return comparison();
    return one();
  }

  [[nodiscard]] static bool compares_texts(std::string_view id) {
    constexpr std::array ids{std::string_view{"less_string"},
                             std::string_view{"greater_string"},
                             std::string_view{"less_equals_string"},
                             std::string_view{"greater_equals_string"},
                             std::string_view{"less_bytes"},
                             std::string_view{"greater_bytes"},
                             std::string_view{"less_equals_bytes"},
                             std::string_view{"greater_equals_bytes"},
                             std::string_view{"equals"},
                             std::string_view{"not_equals"}};
    return std::ranges::find(ids, id) != ids.end();
  }

  [[nodiscard]] CallEstimate comparison() const {
    const auto most = std::min(known(call_.args[0]).most, known(call_.args[1]).most);
    return {text_pass(Range{most > 0 ? 1U : 0U, most}), {}};
  }

  [[nodiscard]] static CallEstimate regex(const CostNode& text, const CostNode& pattern) {
    return {text_pass(known(text).plus(fixed(1))).times(known(pattern).times(per_pattern_byte)),
            {}};
  }

  const CallCosts& call_;
};

}  // namespace

CallEstimate estimate_call(const CallCosts& call) {
  return CallEstimator(call).run();
}

}  // namespace dray::cel

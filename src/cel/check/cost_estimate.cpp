#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/check/cost_estimate.h"
#include "cel/text/utf8.h"

namespace dray::cel {

namespace {

/// cel-go's coster (checker/cost.go).
class Coster {
 public:
  Coster(const Ast& ast, const Checked& checked, const DeviceTypes& device)
      : checked_(checked),
        device_(device),
        paths_(ast.offsets.size()),
        sizes_(ast.offsets.size()),
        entries_(ast.offsets.size()) {}

  Range cost(const Expr* e) {
    switch (e->kind) {
      case ExprKind::ident:
        return ident(e);
      case ExprKind::select:
        return select(e);
      case ExprKind::call:
        return call(e);
      case ExprKind::list:
        return list(e);
      case ExprKind::map:
        return map(e);
      case ExprKind::object:
        return fixed(40);
      case ExprKind::comprehension:
        return is_bind(e) ? bind(e) : comprehension(e);
      default:
        return {};
    }
  }

 private:
  struct EntrySize {
    TypeKind container = TypeKind::list;
    Range key;
    Range value;
  };
  struct Local {
    std::string_view name;
    ExprPath path;
    std::optional<Range> size;
    std::optional<EntrySize> entry;
  };

  [[nodiscard]] static std::size_t at(const Expr* e) { return static_cast<std::size_t>(e->id); }
  [[nodiscard]] const Local* find_local(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return &*local;
    }
    return nullptr;
  }
  [[nodiscard]] ExprPath path_of(const Expr* e) const {
    if (e->kind == ExprKind::ident) {
      if (const Local* local = find_local(e->name)) return local->path;
    }
    return paths_[at(e)];
  }

  // --- sizes ---
  std::optional<Range> size_of(const Expr* e) {
    if (sizes_[at(e)]) return sizes_[at(e)];
    if (auto own = literal_size(e)) return own;
    const Type& type = checked_.type(e);
    if (auto declared = declared_size(device_, path_of(e))) {
      sizes_[at(e)] = declared;
      return declared;
    }
    if (is_scalar(type)) return fixed(1);
    if (e->kind == ExprKind::ident) {
      if (const Local* local = find_local(e->name)) return local->size;
    }
    return std::nullopt;
  }
  Range size_or_unknown(const Expr* e) { return size_of(e).value_or(unknown_range); }

  static std::optional<Range> literal_size(const Expr* e) {
    switch (e->kind) {
      case ExprKind::literal:
        if (e->literal.is(Kind::string)) return fixed(rune_count(e->literal.text()));
        if (e->literal.is(Kind::bytes)) return fixed(e->literal.size);
        return fixed(1);
      case ExprKind::list:
        return fixed(e->args.size());
      case ExprKind::map:
        return fixed(e->entries.size());
      default:
        return std::nullopt;
    }
  }

  static bool is_scalar(const Type& type) {
    switch (type.kind()) {
      case TypeKind::boolean:
      case TypeKind::float64:
      case TypeKind::duration:
      case TypeKind::int64:
      case TypeKind::timestamp:
      case TypeKind::uint64:
        return true;
      case TypeKind::opaque:
        return type.is_optional() && is_scalar(*type.params()[0]);
      default:
        return false;
    }
  }

  std::optional<EntrySize> entry_of(const Expr* e) {
    if (entries_[at(e)]) return entries_[at(e)];
    if (e->kind == ExprKind::ident) {
      if (const Local* local = find_local(e->name)) return local->entry;
    }
    return std::nullopt;
  }
  static std::optional<EntrySize> united(const std::optional<EntrySize>& a,
                                         const std::optional<EntrySize>& b) {
    if (!a || !b) return std::nullopt;
    return EntrySize{a->container, a->key.united(b->key), a->value.united(b->value)};
  }

  // --- nodes ---
  Range ident(const Expr* e) {
    const Local* local = find_local(e->name);
    paths_[at(e)] = local != nullptr ? local->path : ExprPath(e->name);
    return fixed(1);
  }

  Range select(const Expr* e) {
    Range sum = cost(e->operand);
    if (e->test_only) return sum;
    switch (checked_.type(e->operand).kind()) {
      case TypeKind::map:
      case TypeKind::object:
      case TypeKind::param:
        sum = sum.plus(fixed(1));
        break;
      default:
        break;
    }
    paths_[at(e)] = path_of(e->operand).below(e->name);
    return sum;
  }

  CostNode node(const Expr* e) {
    CostNode made{.expr = e, .type = &checked_.type(e), .path = path_of(e)};
    const bool accumulates =
        !made.path.empty() && (made.path[0] == "@result" || made.path[0] == "__result__");
    if (accumulates) made.path = {};
    made.size = size_of(e);
    return made;
  }

  Range call(const Expr* e) {
    if (e->name == "dyn") {
      const Range inner = cost(e->args[0]);
      if (auto size = size_of(e->args[0])) sizes_[at(e)] = size;
      if (auto entry = entry_of(e->args[0])) entries_[at(e)] = entry;
      return inner.plus(fixed(1));
    }
    CallCosts call;
    call.function = e->name;
    call.device = &device_;
    std::vector<Range> arg_costs;
    for (const Expr* arg : e->args) {
      arg_costs.push_back(cost(arg));
      call.args.push_back(node(arg));
      call.arg_cost = call.arg_cost.plus(arg_costs.back());
    }
    const auto overloads = checked_.reference(e).overloads;
    if (overloads.empty()) return {};
    Range sum;
    if (e->operand != nullptr) {
      sum = cost(e->operand);
      call.target = node(e->operand);
    }
    Range function_cost{std::numeric_limits<std::uint64_t>::max(), 0};
    std::optional<Range> result;
    for (const std::string_view overload : overloads) {
      call.overload = overload;
      const CallEstimate estimate = structural(e, call, arg_costs);
      function_cost = function_cost.united(estimate.cost);
      if (estimate.result) result = result ? result->united(*estimate.result) : *estimate.result;
      if ((overload == "index_list" || overload == "index_map") && !e->args.empty()) {
        const auto entry = entry_of(e->args[0]);
        result = entry ? std::optional(entry->value) : std::nullopt;
        paths_[at(e)] = path_of(e->args[0]).below(overload == "index_list" ? "@items" : "@values");
      }
      if (!result) result = size_of(e);
    }
    if (result) sizes_[at(e)] = result;
    return sum.plus(function_cost);
  }

  /// The operators that know more than their arguments' sizes; all else by table.
  CallEstimate structural(const Expr* e, const CallCosts& call, const std::vector<Range>& costs) {
    if (call.overload == "logical_and" || call.overload == "logical_or") {
      return {{costs[0].least, costs[0].plus(costs[1]).most}, std::nullopt};
    }
    if (call.overload == "conditional") {
      entries_[at(e)] = united(entry_of(e->args[1]), entry_of(e->args[2]));
      return {costs[0].plus(costs[1].united(costs[2])),
              size_or_unknown(e->args[1]).united(size_or_unknown(e->args[2]))};
    }
    const bool adds = call.overload == "add_list" || call.overload == "add_string" ||
                      call.overload == "add_bytes";
    if (adds) {
      if (auto entry = united(entry_of(e->args[0]), entry_of(e->args[1]))) {
        entries_[at(e)] = entry;
      }
    }
    return estimate_call(call);
  }

  Range list(const Expr* e) {
    Range sum = fixed(10);
    Range item{e->args.empty() ? 0 : std::numeric_limits<std::uint64_t>::max(), 0};
    for (const Expr* arg : e->args) {
      sum = sum.plus(cost(arg));
      item = item.united(size_or_unknown(arg));
    }
    entries_[at(e)] = EntrySize{TypeKind::list, fixed(1), item};
    return sum;
  }

  Range map(const Expr* e) {
    Range sum = fixed(30);
    Range key{e->entries.empty() ? 0 : std::numeric_limits<std::uint64_t>::max(), 0};
    Range value = key;
    for (const Entry& entry : e->entries) {
      sum = sum.plus(cost(entry.key)).plus(cost(entry.value));
      key = key.united(size_or_unknown(entry.key));
      value = value.united(size_or_unknown(entry.value));
    }
    entries_[at(e)] = EntrySize{TypeKind::map, key, value};
    return sum;
  }

  // --- comprehensions ---
  static bool is_bind(const Expr* e) {
    const Comprehension& fold = *e->fold;
    return fold.range->kind == ExprKind::list && fold.range->args.empty() &&
           fold.condition->kind == ExprKind::literal && fold.condition->literal.is_false() &&
           fold.accu_var != "__result__";
  }

  void push_accumulator(const Comprehension& fold) {
    locals_.push_back({fold.accu_var, path_of(fold.accu_init), size_of(fold.accu_init),
                       entry_of(fold.accu_init)});
  }

  Range bind(const Expr* e) {
    const Comprehension& fold = *e->fold;
    Range sum = cost(fold.range).plus(cost(fold.accu_init));
    push_accumulator(fold);
    sum = sum.plus(cost(fold.result));
    locals_.pop_back();
    if (auto size = size_of(fold.result)) sizes_[at(e)] = size;
    if (auto entry = entry_of(fold.result)) entries_[at(e)] = entry;
    return sum;
  }

  void push_variables(const Comprehension& fold) {
    const auto entry = entry_of(fold.range);
    const TypeKind kind = entry ? entry->container : checked_.type(fold.range).kind();
    const bool is_list = kind == TypeKind::list;
    const ExprPath path = path_of(fold.range);
    const auto key = entry ? std::optional(entry->key) : std::nullopt;
    const auto value = entry ? std::optional(entry->value) : std::nullopt;
    if (fold.iter_var2.empty()) {
      locals_.push_back({fold.iter_var, path.below(is_list ? "@items" : "@keys"),
                         is_list ? value : key, std::nullopt});
      return;
    }
    locals_.push_back(
        {fold.iter_var, path.below(is_list ? "@indices" : "@keys"), key, std::nullopt});
    locals_.push_back(
        {fold.iter_var2, path.below(is_list ? "@items" : "@values"), value, std::nullopt});
  }

  Range comprehension(const Expr* e) {
    const Comprehension& fold = *e->fold;
    Range sum = cost(fold.range).plus(cost(fold.accu_init));
    push_accumulator(fold);
    const std::size_t outside = locals_.size();
    push_variables(fold);
    const Range loop = cost(fold.condition);
    const Range step = cost(fold.step);
    locals_.resize(outside);
    sum = sum.plus(cost(fold.result));
    locals_.pop_back();
    const Range count = size_or_unknown(fold.range);
    sum = sum.plus(count.times(step.plus(loop)));
    if (fold.accu_init->kind == ExprKind::literal) {
      if (auto size = size_of(fold.accu_init)) sizes_[at(e)] = size;
    } else if (fold.accu_init->kind == ExprKind::list || fold.accu_init->kind == ExprKind::map) {
      sizes_[at(e)] = count;
      if (auto entry = entry_of(fold.step)) entries_[at(e)] = entry;
    }
    return sum;
  }

  const Checked& checked_;
  const DeviceTypes& device_;
  std::vector<ExprPath> paths_;
  std::vector<std::optional<Range>> sizes_;
  std::vector<std::optional<EntrySize>> entries_;
  std::vector<Local> locals_;
};

}  // namespace

std::uint64_t estimate_cost(const Ast& ast, const Checked& checked, const DeviceTypes& device) {
  return Coster(ast, checked, device).cost(ast.root).most;
}

}  // namespace dray::cel

#include "cel/syntax/macros.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

namespace dray::cel {

namespace {

constexpr std::string_view accumulator = "@result";
constexpr std::string_view old_accumulator = "__result__";
constexpr std::string_view unused_variable = "#unused";

struct MacroCall {
  AstBuilder& builder;
  ExprId id;
  Expr* target;
  std::span<Expr* const> args;

  // Every fresh node of an expansion stands where the call does.
  [[nodiscard]] ExprId fresh() const { return builder.id(builder.offset(id)); }
  [[nodiscard]] Expr* literal(Value value) const { return builder.literal(fresh(), value); }
  [[nodiscard]] Expr* ident(std::string_view name) const { return builder.ident(fresh(), name); }
  [[nodiscard]] Expr* accu() const { return ident(accumulator); }
  [[nodiscard]] Expr* call(std::string_view function, std::initializer_list<Expr*> arguments,
                           Expr* receiver = nullptr) const {
    return builder.call(fresh(), function, arguments, receiver);
  }
  [[nodiscard]] Expr* empty_list() const { return builder.list(fresh(), {}, {}); }
  [[nodiscard]] Expr* list_of(Expr* element) const {
    const std::array elements{element};
    return builder.list(fresh(), elements, {false});
  }
  [[nodiscard]] Expr* fold(const Comprehension& comprehension) const {
    return builder.comprehension(fresh(), comprehension);
  }
};

Expansion done(Expr* expr) {
  return {true, expr, 0, {}};
}
Expansion wrong(const Expr* where, std::string message) {
  return {true, nullptr, where->id, std::move(message)};
}

Expansion not_a_name(const MacroCall& m) {
  return wrong(m.args[0], "argument must be a simple name");
}

bool is_accumulator(std::string_view name) {
  return name == accumulator || name == old_accumulator;
}
Expansion overwrites(const Expr* where) {
  return wrong(where, "iteration variable overwrites accumulator variable");
}

enum class Quantifier { all, exists, exists_one };

Expansion quantifier(const MacroCall& m, Quantifier kind, std::string_view var,
                     std::string_view var2, Expr* predicate) {
  Comprehension fold{
      .range = m.target, .iter_var = var, .iter_var2 = var2, .accu_var = accumulator};
  switch (kind) {
    case Quantifier::all:
      fold.accu_init = m.literal(Value::of(true));
      fold.condition = m.accu();
      fold.condition = m.call(operators::not_strictly_false, {fold.condition});
      fold.step = m.accu();
      fold.step = m.call(operators::logical_and, {fold.step, predicate});
      fold.result = m.accu();
      break;
    case Quantifier::exists:
      fold.accu_init = m.literal(Value::of(false));
      fold.condition = m.accu();
      fold.condition = m.call(operators::logical_not, {fold.condition});
      fold.condition = m.call(operators::not_strictly_false, {fold.condition});
      fold.step = m.accu();
      fold.step = m.call(operators::logical_or, {fold.step, predicate});
      fold.result = m.accu();
      break;
    case Quantifier::exists_one: {
      fold.accu_init = m.literal(Value::of(std::int64_t{0}));
      fold.condition = m.literal(Value::of(true));
      Expr* count = m.accu();
      Expr* one = m.literal(Value::of(std::int64_t{1}));
      Expr* more = m.call(operators::add, {count, one});
      Expr* same = m.accu();
      fold.step = m.call(operators::conditional, {predicate, more, same});
      Expr* total = m.accu();
      one = m.literal(Value::of(std::int64_t{1}));
      fold.result = m.call(operators::equals, {total, one});
      break;
    }
  }
  return done(m.fold(fold));
}

Expansion quantifier_over_one(const MacroCall& m, Quantifier kind) {
  if (m.args[0]->kind != ExprKind::ident) return not_a_name(m);
  if (is_accumulator(m.args[0]->name)) return overwrites(m.args[0]);
  return quantifier(m, kind, m.args[0]->name, {}, m.args[1]);
}

/// The error of the two variable names of `m`, if there is one.
std::optional<Expansion> bad_variables(const MacroCall& m) {
  for (int i = 0; i < 2; ++i) {
    const Expr* arg = m.args[static_cast<std::size_t>(i)];
    if (arg->kind != ExprKind::ident) return wrong(arg, "argument must be a simple name");
  }
  if (m.args[0]->name == m.args[1]->name) {
    return wrong(m.args[1], "duplicate variable name: " + std::string(m.args[0]->name));
  }
  for (int i = 0; i < 2; ++i) {
    const Expr* arg = m.args[static_cast<std::size_t>(i)];
    if (is_accumulator(arg->name)) return overwrites(arg);
  }
  return std::nullopt;
}

Expansion quantifier_over_two(const MacroCall& m, Quantifier kind) {
  if (auto bad = bad_variables(m)) return *std::move(bad);
  return quantifier(m, kind, m.args[0]->name, m.args[1]->name, m.args[2]);
}

/// map, filter and sortBy's keys: collects `transform` of the elements that pass `filter`.
Expansion collect(const MacroCall& m, Expr* range, Expr* variable, Expr* filter, Expr* transform) {
  if (variable->kind != ExprKind::ident) return wrong(variable, "argument is not an identifier");
  if (is_accumulator(variable->name)) return overwrites(variable);
  Comprehension fold{.range = range, .iter_var = variable->name, .accu_var = accumulator};
  fold.accu_init = m.empty_list();
  fold.condition = m.literal(Value::of(true));
  Expr* so_far = m.accu();
  Expr* added = m.list_of(transform);
  fold.step = m.call(operators::add, {so_far, added});
  if (filter != nullptr) {
    Expr* same = m.accu();
    fold.step = m.call(operators::conditional, {filter, fold.step, same});
  }
  fold.result = m.accu();
  return done(m.fold(fold));
}

Expansion transform_list(const MacroCall& m) {
  if (auto bad = bad_variables(m)) return *std::move(bad);
  Expr* filter = m.args.size() == 4 ? m.args[2] : nullptr;
  Comprehension fold{.range = m.target,
                     .iter_var = m.args[0]->name,
                     .iter_var2 = m.args[1]->name,
                     .accu_var = accumulator};
  Expr* so_far = m.accu();
  Expr* added = m.list_of(m.args.back());
  fold.step = m.call(operators::add, {so_far, added});
  if (filter != nullptr) {
    Expr* same = m.accu();
    fold.step = m.call(operators::conditional, {filter, fold.step, same});
  }
  fold.accu_init = m.empty_list();
  fold.condition = m.literal(Value::of(true));
  fold.result = m.accu();
  return done(m.fold(fold));
}

Expansion transform_map(const MacroCall& m, bool whole_entry) {
  if (auto bad = bad_variables(m)) return *std::move(bad);
  Expr* filter = m.args.size() == 4 ? m.args[2] : nullptr;
  constexpr std::string_view insert = "cel.@mapInsert";
  Comprehension fold{.range = m.target,
                     .iter_var = m.args[0]->name,
                     .iter_var2 = m.args[1]->name,
                     .accu_var = accumulator};
  Expr* so_far = m.accu();
  if (whole_entry) {
    fold.step = m.call(insert, {so_far, m.args.back()});
  } else {
    Expr* key = m.ident(fold.iter_var);
    fold.step = m.call(insert, {so_far, key, m.args.back()});
  }
  if (filter != nullptr) {
    Expr* same = m.accu();
    fold.step = m.call(operators::conditional, {filter, fold.step, same});
  }
  fold.accu_init = m.builder.map(m.fresh(), {});
  fold.condition = m.literal(Value::of(true));
  fold.result = m.accu();
  return done(m.fold(fold));
}

Expansion has(const MacroCall& m) {
  Expr* arg = m.args[0];
  if (arg->kind != ExprKind::select) return wrong(arg, "invalid argument to has() macro");
  return done(m.builder.select(m.fresh(), arg->operand, arg->name, true));
}

/// A copy with fresh ids at the places of the original's.
Expr* copy(const MacroCall& m, const Expr* from) {
  AstBuilder& builder = m.builder;
  const ExprId id = builder.id(builder.offset(from->id));
  Expr* made = builder.arena().make<Expr>(*from);
  made->id = id;
  if (from->kind == ExprKind::call) {
    made->args = builder.arena().copy(std::span<Expr* const>(from->args));
    for (Expr*& arg : made->args) arg = copy(m, arg);
    if (from->operand != nullptr) made->operand = copy(m, from->operand);
    return made;
  }
  if (from->operand != nullptr) made->operand = copy(m, from->operand);
  made->args = builder.arena().copy(std::span<Expr* const>(from->args));
  for (Expr*& arg : made->args) arg = copy(m, arg);
  made->entries = builder.arena().copy(std::span<const Entry>(from->entries));
  for (Entry& entry : made->entries) {
    entry.id = m.fresh();
    if (entry.key != nullptr) entry.key = copy(m, entry.key);
    entry.value = copy(m, entry.value);
  }
  if (from->fold != nullptr) {
    Comprehension* fold = builder.arena().make<Comprehension>(*from->fold);
    fold->range = copy(m, fold->range);
    fold->accu_init = copy(m, fold->accu_init);
    fold->condition = copy(m, fold->condition);
    fold->step = copy(m, fold->step);
    fold->result = copy(m, fold->result);
    made->fold = fold;
  }
  return made;
}

/// `result` with `name` bound to `init`: a comprehension over nothing, whose accumulator is lazy.
/// `step` says which identifier node stands in the step; null makes one.
Expr* bind_variable(const MacroCall& m, std::string_view name, Expr* init, Expr* result,
                    Expr* nothing = nullptr, Expr* step = nullptr) {
  Comprehension fold{
      .iter_var = unused_variable, .accu_var = name, .accu_init = init, .result = result};
  fold.range = nothing != nullptr ? nothing : m.empty_list();
  fold.condition = m.literal(Value::of(false));
  fold.step = step != nullptr ? step : m.ident(name);
  return m.fold(fold);
}

Expansion cel_bind(const MacroCall& m) {
  const bool in_cel = m.target->kind == ExprKind::ident && m.target->name == "cel";
  if (!in_cel) return {};
  if (m.args[0]->kind != ExprKind::ident) {
    return wrong(m.args[0], "cel.bind() variable names must be simple identifiers");
  }
  return done(bind_variable(m, m.args[0]->name, m.args[1], m.args[2]));
}

Expansion sort_by(const MacroCall& m) {
  Expr* variable = m.ident("@__sortBy_input__");
  switch (m.target->kind) {
    case ExprKind::list:
    case ExprKind::select:
    case ExprKind::ident:
    case ExprKind::comprehension:
    case ExprKind::call:
      break;
    default:
      return wrong(m.target,
                   "sortBy can only be applied to a list, identifier, comprehension, call or "
                   "select expression");
  }
  Expansion keys = collect(m, copy(m, variable), m.args[0], nullptr, m.args[1]);
  if (keys.expr == nullptr) return keys;
  Expr* input = copy(m, variable);
  Expr* sorted = m.call("@sortByAssociatedKeys", {keys.expr}, input);
  return done(bind_variable(m, variable->name, m.target, sorted, nullptr, variable));
}

Expansion optional_map(const MacroCall& m, bool flat) {
  if (m.args[0]->kind != ExprKind::ident) {
    return wrong(m.args[0], std::string(flat ? "optFlatMap" : "optMap") +
                                "() variable name must be a simple identifier");
  }
  Expr* present = m.call("hasValue", {}, m.target);
  Expr* nothing = m.empty_list();
  Expr* value = m.call("value", {}, copy(m, m.target));
  Expr* mapped = bind_variable(m, m.args[0]->name, value, m.args[1], nothing);
  if (!flat) mapped = m.call("optional.of", {mapped});
  Expr* none = m.call("optional.none", {});
  return done(m.call(operators::conditional, {present, mapped, none}));
}

using Expander = Expansion (*)(const MacroCall&);

struct Macro {
  std::string_view function;
  std::size_t args;
  Expander expand;
};

template <Quantifier kind>
Expansion over_one(const MacroCall& m) {
  return quantifier_over_one(m, kind);
}
template <Quantifier kind>
Expansion over_two(const MacroCall& m) {
  return quantifier_over_two(m, kind);
}
Expansion map(const MacroCall& m) {
  return collect(m, m.target, m.args[0], m.args.size() == 3 ? m.args[1] : nullptr, m.args.back());
}
Expansion filter(const MacroCall& m) {
  return collect(m, m.target, m.args[0], m.args[1], m.args[0]);
}
Expansion map_values(const MacroCall& m) {
  return transform_map(m, false);
}
Expansion map_entries(const MacroCall& m) {
  return transform_map(m, true);
}
Expansion opt_map(const MacroCall& m) {
  return optional_map(m, false);
}
Expansion opt_flat_map(const MacroCall& m) {
  return optional_map(m, true);
}

constexpr std::array member_macros{
    Macro{"all", 2, over_one<Quantifier::all>},
    Macro{"exists", 2, over_one<Quantifier::exists>},
    Macro{"exists_one", 2, over_one<Quantifier::exists_one>},
    Macro{"all", 3, over_two<Quantifier::all>},
    Macro{"exists", 3, over_two<Quantifier::exists>},
    Macro{"exists_one", 3, over_two<Quantifier::exists_one>},
    Macro{"existsOne", 3, over_two<Quantifier::exists_one>},
    Macro{"map", 2, map},
    Macro{"map", 3, map},
    Macro{"filter", 2, filter},
    Macro{"transformList", 3, transform_list},
    Macro{"transformList", 4, transform_list},
    Macro{"transformMap", 3, map_values},
    Macro{"transformMap", 4, map_values},
    Macro{"transformMapEntry", 3, map_entries},
    Macro{"transformMapEntry", 4, map_entries},
    Macro{"bind", 3, cel_bind},
    Macro{"sortBy", 2, sort_by},
    Macro{"optMap", 2, opt_map},
    Macro{"optFlatMap", 2, opt_flat_map},
};

}  // namespace

Expansion expand_macro(AstBuilder& builder, ExprId call_id, std::string_view function, Expr* target,
                       std::span<Expr* const> args) {
  const MacroCall m{builder, call_id, target, args};
  if (target == nullptr) return function == "has" && args.size() == 1 ? has(m) : Expansion{};
  for (const Macro& macro : member_macros) {
    if (macro.function == function && macro.args == args.size()) return macro.expand(m);
  }
  return {};
}

}  // namespace dray::cel

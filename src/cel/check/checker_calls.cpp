#include <fmt/format.h>

#include <array>
#include <utility>

#include "cel/check/checker_rules.h"

namespace dray::cel {

const Function* Checker::find_declared(std::string_view name) const {
  if (name == "includes" && !device_.includes) return nullptr;
  const std::string_view plain = name.substr(name.starts_with('.') ? 1 : 0);
  const auto own = functions_.find(plain);
  if (own != functions_.end()) return &own->second;
  return environment_.kind == Environment::Kind::stored ? find_function(plain)
                                                        : find_new_function(plain);
}

void Checker::call(Expr* e) {
  if (e->name == operators::optional_select) return optional_select(e);
  for (Expr* arg : e->args) check(arg);
  if (e->operand == nullptr) {
    const Function* function = find_declared(e->name);
    if (function == nullptr) {
      undeclared(e, e->name);
      return set_type(e, types::error);
    }
    e->name = function->name;
    return resolve(e, *function);
  }
  if (const std::string prefix = qualified_name(e->operand); !prefix.empty()) {
    const Function* function = find_declared(prefix + "." + std::string(e->name));
    if (function != nullptr) {
      e->name = function->name;
      e->operand = nullptr;
      return resolve(e, *function);
    }
  }
  check(e->operand);
  const Function* function = find_declared(e->name);
  if (function == nullptr) {
    set_type(e, types::error);
    return undeclared(e, e->name);
  }
  resolve(e, *function);
}

void Checker::resolve(Expr* e, const Function& function) {
  if (function.name == operators::logical_and || function.name == operators::logical_or) {
    return resolve_logical(e, function);
  }
  std::vector<const Type*> args;
  if (e->operand != nullptr) args.push_back(&type_of(e->operand));
  for (const Expr* arg : e->args) args.push_back(&type_of(arg));
  const auto style = e->operand != nullptr ? Overload::Style::member : Overload::Style::global;
  const Type* result = nullptr;
  std::vector<std::string_view> matches;
  for (const Overload& overload : function.overloads) {
    if (overload.style != style) continue;
    const Type* own = match(overload, args);
    if (own == nullptr) continue;
    matches.push_back(overload.id);
    if (result == nullptr) {
      result = own;
    } else if (!result->is_dyn() && !same_type(*own, *result)) {
      result = &types::dyn;
    }
  }
  if (result == nullptr) {
    for (const Type*& arg : args) arg = &unify_.substitute(*arg, true);
    report(e->id, fmt::format("found no matching overload for '{}' applied to '{}'", function.name,
                              signature_text(args, style == Overload::Style::member)));
    return set_type(e, types::error);
  }
  set_type(e, *result);
  reference(e).overloads = ast_.arena.copy(std::span<const std::string_view>(matches));
}

void Checker::resolve_logical(Expr* e, const Function& function) {
  bool failed = false;
  for (const Expr* arg : e->args) {
    if (unify_.assignable(type_of(arg), types::boolean)) continue;
    mismatch(arg, types::boolean, type_of(arg));
    failed = true;
  }
  if (failed) return set_type(e, types::error);
  set_type(e, types::boolean);
  const std::array matches{function.overloads[0].id};
  reference(e).overloads = ast_.arena.copy(std::span<const std::string_view>(matches));
}

const Type* Checker::match(const Overload& overload, std::span<const Type* const> args) {
  if (overload.args.size() != args.size()) {
    unify_.skip_variables(overload.params.size());
    return nullptr;
  }
  if (overload.params.empty()) {
    return unify_.assignable(args, overload.args) ? overload.result : nullptr;
  }
  std::vector<const Type*> variables;
  variables.reserve(overload.params.size());
  for (std::size_t i = 0; i < overload.params.size(); ++i) {
    variables.push_back(&unify_.fresh_variable());
  }
  std::vector<const Type*> wanted;
  wanted.reserve(overload.args.size());
  for (const Type* arg : overload.args) {
    wanted.push_back(instantiate(arg, overload.params, variables));
  }
  if (!unify_.assignable(args, wanted)) return nullptr;
  return &unify_.substitute(*instantiate(overload.result, overload.params, variables), false);
}

const Type* Checker::instantiate(const Type* type, std::span<const Type* const> params,
                                 std::span<const Type* const> variables) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (type == params[i]) return variables[i];
  }
  if (type->params().empty()) return type;
  std::vector<const Type*> inner;
  inner.reserve(type->params().size());
  for (const Type* param : type->params()) inner.push_back(instantiate(param, params, variables));
  switch (type->kind()) {
    case TypeKind::list:
      return &out_.pool.list(*inner[0]);
    case TypeKind::map:
      return &out_.pool.map(*inner[0], *inner[1]);
    case TypeKind::type:
      return &out_.pool.type_of(*inner[0]);
    default:
      return &out_.pool.opaque(type->name(), inner);
  }
}

}  // namespace dray::cel

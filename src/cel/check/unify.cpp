#include "cel/check/unify.h"

namespace dray::cel {

namespace {

bool is_variable(const Type& type) {
  return type.kind() == TypeKind::param;
}
bool is_dyn_or_error(const Type& type) {
  return type.is_dyn() || type.kind() == TypeKind::error;
}

bool nullable(const Type& type) {
  switch (type.kind()) {
    case TypeKind::opaque:
    case TypeKind::object:
    case TypeKind::any:
    case TypeKind::duration:
    case TypeKind::timestamp:
      return true;
    default:
      return assignable_type(type, types::null);
  }
}

bool equal_or_less_specific(const Type& a, const Type& b) {
  if (a.is_dyn() || is_variable(a)) return true;
  if (b.is_dyn() || is_variable(b)) return false;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case TypeKind::opaque:
    case TypeKind::list:
    case TypeKind::map:
      if (a.name() != b.name() || a.params().size() != b.params().size()) return false;
      for (std::size_t i = 0; i < a.params().size(); ++i) {
        if (!equal_or_less_specific(*a.params()[i], *b.params()[i])) return false;
      }
      return true;
    case TypeKind::type:
      return true;
    default:
      return same_type(a, b);
  }
}

}  // namespace

const Type& Unifier::fresh_variable() {
  bound_.push_back(nullptr);
  return pool_.variable(static_cast<int>(bound_.size()) - 1);
}

void Unifier::skip_variables(std::size_t count) {
  bound_.resize(bound_.size() + count);
}

const Type* Unifier::find(const Type& type) const {
  return type.variable() < 0 ? nullptr : bound_[static_cast<std::size_t>(type.variable())];
}

void Unifier::bind(const Type& variable, const Type& to) {
  const auto index = static_cast<std::size_t>(variable.variable());
  trail_.emplace_back(variable.variable(), bound_[index]);
  bound_[index] = &to;
}

void Unifier::undo(std::size_t mark) {
  while (trail_.size() > mark) {
    bound_[static_cast<std::size_t>(trail_.back().first)] = trail_.back().second;
    trail_.pop_back();
  }
}

bool Unifier::assignable(const Type& to, const Type& from) {
  const bool ok = attempt(to, from);
  if (!ok) undo(0);
  trail_.clear();
  return ok;
}

bool Unifier::assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  const bool ok = attempt(to, from);
  if (!ok) undo(0);
  trail_.clear();
  return ok;
}

bool Unifier::attempt(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!attempt(*to[i], *from[i])) return false;
  }
  return true;
}

bool Unifier::attempt(const Type& to, const Type& from) {
  if (is_variable(from)) {
    const auto [valid, had] = stands_for(to, from);
    if (valid) return true;
    if (had) return false;
  }
  if (is_variable(to)) return stands_for(from, to).first;
  if (is_dyn_or_error(to) || is_dyn_or_error(from)) return true;
  if (to.kind() == TypeKind::null) return nullable(from);
  if (from.kind() == TypeKind::null) return nullable(to);
  switch (to.kind()) {
    case TypeKind::type:
      return from.kind() == TypeKind::type;
    case TypeKind::opaque:
    case TypeKind::list:
    case TypeKind::map:
      return to.kind() == from.kind() && to.name() == from.name() &&
             attempt(to.params(), from.params());
    default:
      return assignable_type(from, to);
  }
}

std::pair<bool, bool> Unifier::stands_for(const Type& type, const Type& variable) {
  if (type.kind() == variable.kind() && same_type(type, variable)) return {true, true};
  if (const Type* old = find(variable)) {
    if (type.kind() == old->kind() && same_type(type, *old)) return {true, true};
    if (!attempt(type, *old)) return {false, true};
    const Type& general = most_general(type, *old);
    if (absent_in(variable, general)) bind(variable, general);
    return {true, true};
  }
  if (!absent_in(variable, type)) return {false, false};
  bind(variable, type);
  return {true, false};
}

bool Unifier::absent_in(const Type& type, const Type& within) const {
  if (same_type(type, within)) return false;
  if (is_variable(within)) {
    const Type* to = find(within);
    return to == nullptr || absent_in(type, *to);
  }
  for (const Type* param : within.params()) {
    if (!absent_in(type, *param)) return false;
  }
  return true;
}

const Type& Unifier::most_general(const Type& a, const Type& b) {
  return equal_or_less_specific(a, b) ? a : b;
}

const Type& Unifier::substitute(const Type& type, bool to_dyn) {
  // NOLINTBEGIN(bugprone-return-const-ref-from-parameter): types live in a pool
  if (const Type* to = find(type)) return substitute(*to, to_dyn);
  if (is_variable(type)) return to_dyn ? types::dyn : type;
  if (type.params().empty()) return type;
  std::vector<const Type*> params;
  bool changed = false;
  for (const Type* param : type.params()) {
    params.push_back(&substitute(*param, to_dyn));
    changed = changed || params.back() != param;
  }
  if (!changed) return type;
  // NOLINTEND(bugprone-return-const-ref-from-parameter)
  switch (type.kind()) {
    case TypeKind::list:
      return pool_.list(*params[0]);
    case TypeKind::map:
      return pool_.map(*params[0], *params[1]);
    case TypeKind::type:
      return pool_.type_of(*params[0]);
    default:
      return pool_.opaque(type.name(), params);
  }
}

}  // namespace dray::cel

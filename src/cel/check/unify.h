#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cel/value/type.h"

namespace dray::cel {

/// cel-go's assignability with type variables (checker/types.go): what each variable stands for,
/// changed only by attempts that succeed.
class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type& fresh_variable();
  /// Skips variables that an overload would have used.
  void skip_variables(std::size_t count);

  [[nodiscard]] bool assignable(const Type& to, const Type& from);
  [[nodiscard]] bool assignable(std::span<const Type* const> to, std::span<const Type* const> from);
  /// `type` with the variables replaced by what they stand for; unbound ones by dyn if `to_dyn`.
  [[nodiscard]] const Type& substitute(const Type& type, bool to_dyn);
  /// The more general of two types that are assignable.
  [[nodiscard]] static const Type& most_general(const Type& a, const Type& b);

 private:
  [[nodiscard]] const Type* find(const Type& type) const;
  void bind(const Type& variable, const Type& to);
  void undo(std::size_t mark);
  bool attempt(const Type& to, const Type& from);
  bool attempt(std::span<const Type* const> to, std::span<const Type* const> from);
  /// Whether `type` may stand for `variable`, and whether something did already.
  std::pair<bool, bool> stands_for(const Type& type, const Type& variable);
  [[nodiscard]] bool absent_in(const Type& type, const Type& within) const;

  TypePool& pool_;
  std::vector<const Type*> bound_;
  std::vector<std::pair<int, const Type*>> trail_;
};

}  // namespace dray::cel

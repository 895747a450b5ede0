#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cel/eval/plan.h"

namespace dray::cel {

/// What a function runs at evaluation, as cel-go's dispatcher knows it.
struct FunctionBinding {
  /// A singleton: one implementation for all overloads, asked for by trait and not by type.
  Implementation singleton = nullptr;
  CallForm singleton_form = CallForm::two;
  Trait trait = Trait::none;
  bool lazy_errors = false;
  std::vector<BoundOverload> overloads;
  /// By overload: whether upstream binds it as a variadic function.
  std::vector<bool> variadic;
};

/// Null where upstream has no implementation either.
[[nodiscard]] const FunctionBinding* find_binding(std::string_view function);

/// How an overload or function id becomes an implementation; one table a library file.
struct BindingRow {
  std::string_view id;  ///< an overload's id, or `=name` for a singleton
  Implementation run;
  Trait trait = Trait::none;
  bool variadic = false;
  bool unguarded = false;  ///< the implementation looks at its arguments' types itself
};
[[nodiscard]] std::span<const BindingRow> operator_bindings();
[[nodiscard]] std::span<const BindingRow> conversion_bindings();
[[nodiscard]] std::span<const BindingRow> time_bindings();
[[nodiscard]] std::span<const BindingRow> string_bindings();
[[nodiscard]] std::span<const BindingRow> format_bindings();
[[nodiscard]] std::span<const BindingRow> list_bindings();
[[nodiscard]] std::span<const BindingRow> kubernetes_list_bindings();
[[nodiscard]] std::span<const BindingRow> set_bindings();
[[nodiscard]] std::span<const BindingRow> optional_bindings();
[[nodiscard]] std::span<const BindingRow> quantity_bindings();
[[nodiscard]] std::span<const BindingRow> semver_bindings();
[[nodiscard]] std::span<const BindingRow> regex_bindings();
[[nodiscard]] std::span<const BindingRow> net_bindings();
[[nodiscard]] std::span<const BindingRow> url_bindings();
[[nodiscard]] std::span<const BindingRow> named_format_bindings();

}  // namespace dray::cel

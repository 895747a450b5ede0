#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cel/check/declarations.h"
#include "cel/syntax/ast.h"
#include "cel/value/type.h"
#include "dray/cel/program.h"

namespace dray::cel {

/// The types of `device` in one environment.
struct DeviceTypes {
  const Type* attribute = nullptr;   ///< dyn (stored) or google.protobuf.Any (new)
  const Type* attributes = nullptr;  ///< map(string, map(string, attribute))
  const Type* inner = nullptr;       ///< map(string, attribute)
  const Type* capacities = nullptr;  ///< map(string, map(string, Quantity))
  bool allow_multiple = true;        ///< the field is declared
  bool includes = true;              ///< includes() is declared
};
[[nodiscard]] const DeviceTypes& device_types(const Environment& environment);

/// What the checker knows about each node of an Ast, by id.
struct Checked {
  struct Reference {
    bool ident = false;                           ///< a variable or a type
    int variable = -1;                            ///< which of the environment's
    const Type* type_value = nullptr;             ///< the ident is this type
    std::span<const std::string_view> overloads;  ///< the call's candidates
  };
  TypePool pool;
  std::vector<const Type*> types;
  std::vector<Reference> references;

  [[nodiscard]] const Type& type(const Expr* expr) const {
    return *types[static_cast<std::size_t>(expr->id)];
  }
  [[nodiscard]] const Reference& reference(const Expr* expr) const {
    return references[static_cast<std::size_t>(expr->id)];
  }
};

/// Types `ast` as cel-go's checker does, resolving qualified names in place. Without errors every
/// node has a type without variables.
void check(Ast& ast, const Environment& environment, Checked& checked, SourceErrors& errors);

}  // namespace dray::cel

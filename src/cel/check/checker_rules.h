#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/check/checker.h"
#include "cel/check/declarations.h"
#include "cel/check/unify.h"

namespace dray::cel {

/// The rules of cel-go's checker, a function a kind of node.
class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, Checked& checked, SourceErrors& errors)
      : ast_(ast),
        environment_(environment),
        device_(device_types(environment)),
        out_(checked),
        errors_(errors),
        unify_(checked.pool) {
    out_.types.assign(ast.offsets.size(), &types::error);
    out_.references.assign(ast.offsets.size(), {});
    for (const FunctionDeclaration& function : environment.functions) declare(function);
  }
  void run();

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void declare(const FunctionDeclaration& declared);

  // --- results and errors ---
  [[nodiscard]] const Type& type_of(const Expr* e) const { return out_.type(e); }
  void set_type(const Expr* e, const Type& type);
  Checked::Reference& reference(const Expr* e);
  void report(ExprId id, std::string message);
  void undeclared(const Expr* e, std::string_view name);
  void mismatch(const Expr* e, const Type& expected, const Type& actual);

  // --- names ---
  [[nodiscard]] const Local* find_local(std::string_view name) const;
  /// Makes `e` the global `name` if there is one: `device` or a type.
  bool resolve_global(Expr* e, std::string_view name, bool absolute, bool shadowed);
  bool name_global(Expr* e, std::string_view name, bool shadowed);
  void ident(Expr* e);
  /// `a.b.c` of plain selects, or "".
  static std::string qualified_name(const Expr* e);
  bool qualified_ident(Expr* e);

  // --- nodes ---
  void check(Expr* e);
  void select(Expr* e);
  const Type& select_field(const Expr* e, Expr* operand, std::string_view field, bool optional);
  const Type& object_field(const Expr* e, const Type& object, std::string_view field);
  void optional_select(Expr* e);

  // --- calls (checker_calls.cpp) ---
  [[nodiscard]] const Function* find_declared(std::string_view name) const;
  void call(Expr* e);
  void resolve(Expr* e, const Function& function);
  void resolve_logical(Expr* e, const Function& function);
  /// The result type if `args` fit the overload.
  const Type* match(const Overload& overload, std::span<const Type* const> args);
  const Type* instantiate(const Type* type, std::span<const Type* const> params,
                          std::span<const Type* const> variables);

  // --- containers ---
  /// What `?x` adds to a list or map: the type inside the optional.
  const Type& unwrapped(const Expr* e);
  [[nodiscard]] const Type* join(const Type* previous, const Type* current);
  void list(Expr* e);
  void map(Expr* e);
  /// No type of the environment can be made from fields.
  void object(Expr* e);
  void comprehension(Expr* e);
  void expect(const Expr* e, const Type& type);

  Ast& ast_;
  const Environment& environment_;
  const DeviceTypes& device_;
  Checked& out_;
  SourceErrors& errors_;
  Unifier unify_;
  std::vector<Local> locals_;
  std::map<std::string_view, Function> functions_;
};

}  // namespace dray::cel

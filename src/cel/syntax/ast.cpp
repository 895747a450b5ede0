#include "cel/syntax/ast.h"

#include <algorithm>
#include <initializer_list>

namespace dray::cel {

Expr* AstBuilder::node(ExprId id, ExprKind kind) {
  Expr* made = arena().make<Expr>();
  made->id = id;
  made->kind = kind;
  return made;
}

Expr* AstBuilder::literal(ExprId id, Value value) {
  Expr* made = node(id, ExprKind::literal);
  made->literal = value;
  return made;
}

Expr* AstBuilder::ident(ExprId id, std::string_view name) {
  Expr* made = node(id, ExprKind::ident);
  made->name = name;
  return made;
}

Expr* AstBuilder::select(ExprId id, Expr* operand, std::string_view field, bool test_only) {
  Expr* made = node(id, ExprKind::select);
  made->operand = operand;
  made->name = field;
  made->test_only = test_only;
  return made;
}

Expr* AstBuilder::call(ExprId id, std::string_view function, std::initializer_list<Expr*> args,
                       Expr* target) {
  return call(id, function, std::span<Expr* const>(args.begin(), args.size()), target);
}

Expr* AstBuilder::call(ExprId id, std::string_view function, std::span<Expr* const> args,
                       Expr* target) {
  Expr* made = node(id, ExprKind::call);
  made->name = function;
  made->operand = target;
  made->args = arena().copy(args);
  return made;
}

Expr* AstBuilder::list(ExprId id, std::span<Expr* const> elements,
                       const std::vector<bool>& optionals) {
  Expr* made = node(id, ExprKind::list);
  made->args = arena().copy(elements);
  made->optionals = arena().array<bool>(elements.size());
  std::ranges::copy(optionals, made->optionals.begin());
  made->optional_elements = std::ranges::find(optionals, true) != optionals.end();
  return made;
}

Expr* AstBuilder::map(ExprId id, std::span<const Entry> entries) {
  Expr* made = node(id, ExprKind::map);
  made->entries = arena().copy(entries);
  return made;
}

Expr* AstBuilder::object(ExprId id, std::string_view type, std::span<const Entry> fields) {
  Expr* made = node(id, ExprKind::object);
  made->name = type;
  made->entries = arena().copy(fields);
  return made;
}

Expr* AstBuilder::comprehension(ExprId id, const Comprehension& fold) {
  Expr* made = node(id, ExprKind::comprehension);
  made->fold = arena().make<Comprehension>(fold);
  return made;
}

}  // namespace dray::cel

#include "cel/syntax/ast.h"

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::cel::ast_test {
namespace {

TEST_CASE("ids count from one, and each has its place") {
  Ast ast("a +\n b");
  AstBuilder make(ast);
  CHECK(make.id(2) == 1);
  CHECK(make.id(-1) == 2);
  CHECK(make.id(5) == 3);
  CHECK(ast.location(1).line == 1);
  CHECK(ast.location(1).column == 2);
  CHECK(ast.location(3).line == 2);
  CHECK(ast.location(3).column == 1);
  make.set_offset(2, 0);
  CHECK(make.offset(2) == 0);
  CHECK(make.offset(4) == -1);
  CHECK(make.offset(-1) == -1);
}

TEST_CASE("the last id is given out again once it is dropped, one before it is not") {
  Ast ast("a");
  AstBuilder make(ast);
  static_cast<void>(make.id(0));
  static_cast<void>(make.id(0));
  make.drop_id(2);
  CHECK(make.offset(2) == -1);
  CHECK(make.id(0) == 2);
  make.drop_id(1);
  CHECK(make.id(0) == 3);
  CHECK(make.offset(1) == -1);
}

TEST_CASE("nodes keep what they are made of, and copy it") {
  Ast ast("x");
  AstBuilder make(ast);
  Expr* a = make.ident(1, "a");
  Expr* one = make.literal(2, Value::of(std::int64_t{1}));
  std::vector<Expr*> parts{a, one};
  const Expr* call = make.call(3, "f", parts, one);
  const Expr* list = make.list(4, parts, {false, true});
  const Expr* plain = make.list(5, parts, {false, false});
  std::vector<Entry> entries{{.id = 6, .key = a, .value = one}};
  const Expr* map = make.map(7, entries);
  const Expr* object = make.object(8, "T", entries);
  parts.assign(2, nullptr);
  entries[0].key = nullptr;
  CHECK(call->kind == ExprKind::call);
  CHECK(call->name == "f");
  CHECK(call->operand == one);
  REQUIRE(call->args.size() == 2);
  CHECK(call->args[0] == a);
  CHECK(list->args[1] == one);
  CHECK(list->optional_elements);
  CHECK_FALSE(list->optionals[0]);
  CHECK(list->optionals[1]);
  CHECK_FALSE(plain->optional_elements);
  CHECK(map->kind == ExprKind::map);
  CHECK(map->entries[0].key == a);
  CHECK(object->kind == ExprKind::object);
  CHECK(object->name == "T");
  CHECK(one->literal.int64 == 1);
  const Expr* has = make.select(9, a, "b", true);
  CHECK(has->test_only);
  CHECK(has->operand == a);
  CHECK(has->name == "b");
  CHECK_FALSE(make.select(10, a, "b")->test_only);
  const Expr* loop = make.comprehension(11, {.range = a, .iter_var = "i", .step = one});
  CHECK(loop->fold->range == a);
  CHECK(loop->fold->iter_var == "i");
  CHECK(loop->fold->step == one);
}

}  // namespace
}  // namespace dray::cel::ast_test

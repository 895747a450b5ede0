#include "cel/syntax/parser.h"

#include <fmt/format.h>

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::parser_test {
namespace {

/// The tree with every call spelled out.
std::string tree(const Expr* e) {
  if (e->kind == ExprKind::ident) return std::string(e->name);
  if (e->kind == ExprKind::select) return fmt::format("{}.{}", tree(e->operand), e->name);
  if (e->kind != ExprKind::call) return "#";
  std::string args;
  for (const Expr* arg : e->args) args += (args.empty() ? "" : ", ") + tree(arg);
  const std::string target = e->operand == nullptr ? "" : tree(e->operand) + ".";
  return fmt::format("{}{}({})", target, e->name, args);
}

struct Row {
  std::string text;
  std::string tree;
};

TEST_CASE("precedence and association are the grammar's") {
  const auto row = GENERATE(
      Row{"a + b * c", "_+_(a, _*_(b, c))"}, Row{"a - b - c", "_-_(_-_(a, b), c)"},
      Row{"a < b + c", "_<_(a, _+_(b, c))"}, Row{"a || b && c", "_||_(a, _&&_(b, c))"},
      Row{"a && b && c && d", "_&&_(_&&_(a, b), _&&_(c, d))"},
      Row{"a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"}, Row{"!!a", "a"},
      Row{"!!!a", "!_(a)"}, Row{"-a.b", "-_(a.b)"}, Row{"a.b[c].d(e)", "_[_](a.b, c).d(e)"},
      Row{"a.?b[?c]", "_[?_](_?._(a, #), c)"}, Row{"a in b.`c-d`", "@in(a, b.c-d)"});
  INFO(row.text);
  Ast ast(row.text);
  SourceErrors errors(ast.source);
  parse(ast, errors);
  REQUIRE(errors.empty());
  CHECK(tree(ast.root) == row.tree);
}

struct Wrong {
  std::string text;
  std::string place;
};

TEST_CASE("a syntax error stands where ANTLR puts it") {
  const auto row = GENERATE(Wrong{"", "1:0"}, Wrong{"a +", "1:4"}, Wrong{"a b", "1:3"},
                            Wrong{"(a", "1:3"}, Wrong{"a\n + * b", "2:4"}, Wrong{"'é' ~ a", "1:5"});
  INFO(row.text);
  Ast ast(row.text);
  SourceErrors errors(ast.source);
  parse(ast, errors);
  CHECK(errors.text().starts_with(fmt::format("ERROR: <input>:{}: Syntax error:", row.place)));
}

TEST_CASE("nesting has an end") {
  const auto deep = [](std::size_t count) {
    return std::string(count, '[') + "1" + std::string(count, ']');
  };
  for (const std::size_t count : {200U, 300U, 5000U}) {
    const std::string text = deep(count);
    Ast ast(text);
    SourceErrors errors(ast.source);
    parse(ast, errors);
    CHECK(errors.empty() == (count < 250));
  }
}

}  // namespace
}  // namespace dray::cel::parser_test

#include <fmt/format.h>

#include <string>

#include <catch2/catch.hpp>

#include "cel/syntax/parser.h"
#include "cel/value/value_text.h"

// src/cel/syntax/parser_primary.cpp: names, literals, lists, maps and objects, with the ids that
// cel-go's parser gives them (run-time messages and costs go by id) and its errors.

namespace dray::cel::parser_primary_test {
namespace {

std::string shown(const Expr* e);

std::string with_id(const std::string& text, ExprId id) {
  return fmt::format("{}^{}", text, id);
}

std::string entries(const Expr* e) {
  std::string out;
  for (const Entry& entry : e->entries) {
    out += out.empty() ? "" : ", ";
    out += entry.optional ? "?" : "";
    const std::string key = entry.key == nullptr ? std::string(entry.field) : shown(entry.key);
    out += with_id(key + ":" + shown(entry.value), entry.id);
  }
  return "{" + out + "}";
}

/// The tree with its ids, as cel-go's debug output has it.
std::string shown(const Expr* e) {
  switch (e->kind) {
    case ExprKind::literal:
      return with_id(value_text(e->literal), e->id);
    case ExprKind::ident:
      return with_id(std::string(e->name), e->id);
    case ExprKind::select:
      return with_id(shown(e->operand) + "." + std::string(e->name), e->id);
    case ExprKind::map:
      return with_id(entries(e), e->id);
    case ExprKind::object:
      return with_id(std::string(e->name) + entries(e), e->id);
    case ExprKind::list:
    case ExprKind::call: {
      std::string out;
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        out += i == 0 ? "" : ", ";
        out += e->kind == ExprKind::list && e->optionals[i] ? "?" : "";
        out += shown(e->args[i]);
      }
      return with_id(
          e->kind == ExprKind::list ? "[" + out + "]" : std::string(e->name) + "(" + out + ")",
          e->id);
    }
    default:
      return "!";
  }
}

struct Row {
  std::string text;
  std::string want;
};

TEST_CASE("literals, names and containers are read with cel-go's ids") {
  const auto row = GENERATE(
      Row{"true", "true^1"}, Row{"null", "null^1"}, Row{"-5", "-5^1"}, Row{"- 5", "-5^1"},
      Row{"0x1F", "31^1"}, Row{"-0x1f", "-31^1"}, Row{"5u", "5u^1"}, Row{"0xFFu", "255u^1"},
      Row{"-9223372036854775808", "-9223372036854775808^1"},
      Row{"-0x8000000000000000", "-9223372036854775808^1"},
      Row{"18446744073709551615u", "18446744073709551615u^1"}, Row{"1.5e3", "1500.0^1"},
      Row{"-.5", "-0.5^1"}, Row{"'a'", R"("a"^1)"}, Row{R"(r'\d')", R"("\\d"^1)"},
      Row{R"(b'\xff')", R"(b"\xff"^1)"}, Row{"br'a'", R"(b"a"^1)"}, Row{"--5", "5^1"},
      Row{"(a)", "a^1"}, Row{".a", ".a^1"}, Row{"f(a)", "f(a^2)^1"}, Row{".f(a)", ".f(a^2)^1"},
      Row{"a.for", "a^1.for^2"}, Row{"a.`b-c`", "a^1.b-c^2"}, Row{"[]", "[]^1"}, Row{"[,]", "[]^1"},
      Row{"[a, 1,]", "[a^2, 1^3]^1"}, Row{"[?a, b]", "[?a^2, b^3]^1"}, Row{"{}", "{}^1"},
      Row{"{,}", "{}^1"}, Row{"{foo: 5, ?bar: 'xyz',}", R"({foo^3:5^4^2, ?bar^6:"xyz"^7^5}^1)"},
      Row{"[{a: [b]}]", "[{a^4:[b^6]^5^3}^2]^1"}, Row{"a.b.C{}", "a.b.C{}^1"},
      Row{".C{a: 1}", ".C{a:1^3^2}^1"}, Row{"C{,}", "C{}^1"},
      Row{"C{a: 1, ?`x-y`: b,}", "C{a:1^3^2, ?x-y:b^5^4}^1"});
  INFO(row.text);
  Ast ast(row.text);
  SourceErrors errors(ast.source);
  parse(ast, errors);
  REQUIRE(errors.text().empty());
  CHECK(shown(ast.root) == row.want);
}

TEST_CASE("an entry stands where its colon is") {
  Ast ast("{abc: 1, C{de: 2}: 3}");
  SourceErrors errors(ast.source);
  parse(ast, errors);
  REQUIRE(errors.empty());
  CHECK(ast.location(ast.root->entries[0].id).column == 4);
  CHECK(ast.location(ast.root->entries[1].id).column == 17);
  const Expr* object = ast.root->entries[1].key;
  CHECK(ast.location(object->id).column == 10);
  CHECK(ast.location(object->entries[0].id).column == 13);
}

std::string first_error(const std::string& text) {
  Ast ast(text);
  SourceErrors errors(ast.source);
  parse(ast, errors);
  const std::string all = errors.text();
  return all.substr(0, all.find('\n'));
}

TEST_CASE("what the parser itself refuses has cel-go's words") {
  const auto row = GENERATE(Row{"as", "1:1: reserved identifier: as"},
                            Row{"1 + for.x", "1:5: reserved identifier: for"},
                            Row{"package(1)", "1:1: reserved identifier: package"},
                            Row{".void", "1:1: reserved identifier: void"},
                            Row{"9223372036854775808", "1:1: invalid int literal"},
                            Row{"-9223372036854775809", "1:1: invalid int literal"},
                            Row{"[0x8000000000000000]", "1:2: invalid int literal"},
                            Row{"18446744073709551616u", "1:1: invalid uint literal"},
                            Row{"1e999", "1:1: invalid double literal"},
                            Row{R"(b'\u00e9')", "1:1: unable to unescape string"});
  INFO(row.text);
  CHECK(first_error(row.text) == "ERROR: <input>:" + row.want);
}

TEST_CASE("a syntax error within brackets and names stands where ANTLR puts it") {
  const auto row = GENERATE(
      Row{"()", "1:2"}, Row{"(1", "1:3"}, Row{"[1,,2]", "1:4"}, Row{"[1", "1:3"},
      Row{"{1: 2", "1:6"}, Row{"{1: 2, 3}", "1:9"}, Row{"{1 2}", "1:4"}, Row{"C{a 1}", "1:5"},
      Row{"C{1: 2}", "1:3"}, Row{"C{a: 1", "1:7"}, Row{"`a`", "1:1"}, Row{"in", "1:1"},
      Row{"a.in", "1:3"}, Row{".5.", "1:4"}, Row{"\"a\" \"b\"", "1:5"}, Row{"a.{}", "1:3"});
  INFO(row.text);
  CHECK(first_error(row.text).starts_with("ERROR: <input>:" + row.want + ": Syntax error:"));
}

}  // namespace
}  // namespace dray::cel::parser_primary_test

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cel/syntax/token.h"

namespace dray::cel::lexer_test {
namespace {

/// The texts of the tokens, parted by bars, and the errors behind them.
std::string tokens(const std::string& text) {
  const Source source(text);
  SourceErrors errors(source);
  std::string out;
  for (const auto& token : tokenize(source, errors)) {
    if (token.kind != TokenKind::end) out += std::string(token.text) + "|";
  }
  if (errors.empty()) return out;
  const auto all = errors.text();
  return out + " " + all.substr(0, all.find('\n'));
}

TokenKind first_kind(const std::string& text) {
  const Source source(text);
  SourceErrors errors(source);
  return tokenize(source, errors).front().kind;
}

struct Kind {
  std::string text;
  TokenKind kind;
};

TEST_CASE("a token is as long as it can be") {
  struct Row {
    std::string text;
    std::string tokens;
  };
  const auto row = GENERATE(
      Row{"a<=b<c", "a|<=|b|<|c|"}, Row{"a==b!=c", "a|==|b|!=|c|"}, Row{"a.b.?c", "a|.|b|.|?|c|"},
      Row{"1.5.x", "1.5|.|x|"}, Row{"1.x", "1|.|x|"}, Row{"1..5", "1|.|.5|"}, Row{"1e5e", "1e5|e|"},
      Row{"1e+", "1|e|+|"}, Row{"0x1FuL", "0x1Fu|L|"}, Row{"0xg", "0|xg|"}, Row{"07u", "07u|"},
      Row{"a//b\nc", "a|c|"}, Row{"a//b", "a|"}, Row{"a\t\r\n\fb", "a|b|"},
      Row{"''''''", "''''''|"},
      Row{"'''a",
          "''| ERROR: <input>:1:3: Syntax error: token "
          "recognition error at: ''a'"},
      Row{"'''a'b'''", "'''a'b'''|"}, Row{"r'\\'x", "r'\\'|x|"}, Row{"bR'\\'", "bR'\\'|"},
      Row{"rb'a'", "rb|'a'|"}, Row{"in inn", "in|inn|"}, Row{"`a.b-c/d e`", "`a.b-c/d e`|"});
  INFO(row.text);
  CHECK(tokens(row.text) == row.tokens);
}

TEST_CASE("numbers, words and strings are told apart") {
  const auto row =
      GENERATE(Kind{"1", TokenKind::integer}, Kind{"1u", TokenKind::unsigned_integer},
               Kind{"0xFFU", TokenKind::unsigned_integer}, Kind{"1.0", TokenKind::floating},
               Kind{".5", TokenKind::floating}, Kind{"1e3", TokenKind::floating},
               Kind{"1E-3", TokenKind::floating}, Kind{"true", TokenKind::true_literal},
               Kind{"True", TokenKind::identifier}, Kind{"null", TokenKind::null_literal},
               Kind{"in", TokenKind::in}, Kind{"_a1", TokenKind::identifier},
               Kind{"`a`", TokenKind::escaped_identifier}, Kind{"'a'", TokenKind::string},
               Kind{"R\"a\"", TokenKind::string}, Kind{"b'a'", TokenKind::bytes},
               Kind{"Br'a'", TokenKind::bytes}, Kind{"b", TokenKind::identifier});
  INFO(row.text);
  CHECK(first_kind(row.text) == row.kind);
}

TEST_CASE("what is no token is skipped up to the character that cannot go on, and told") {
  struct Row {
    std::string text;
    std::string tokens;
  };
  const auto error = [](int column, const std::string& text) {
    return fmt::format(" ERROR: <input>:1:{}: Syntax error: token recognition error at: '{}",
                       column, text);
  };
  const auto row = GENERATE_COPY(
      Row{"~a", "a|" + error(1, "~'")}, Row{"=a", error(1, "=a'")},
      Row{"&&&a", "&&|" + error(3, "&a'")}, Row{"'a\nb", "b|" + error(1, "'a")},
      Row{R"('\q'a)", error(1, R"('\q')")}, Row{"`a", error(1, "`a'")}, Row{"``", error(1, "``'")},
      Row{R"('\x1g'a)", error(1, R"('\x1g')")}, Row{R"('\400'a)", "00|" + error(1, R"('\4')")});
  INFO(row.text);
  CHECK(tokens(row.text) == row.tokens);
}

TEST_CASE("escapes that a string may have") {
  const auto* const text = GENERATE("'\\a\\b\\f\\n\\r\\t\\v'", "'\\\\\\?\\`\\'\\\"'",
                                    "'\\x41\\X41'", "'\\u0041'", "'\\U00000041'", "'\\101\\377'");
  INFO(text);
  CHECK(tokens(text) == std::string(text) + "|");
}

TEST_CASE("places are counted in code points") {
  const Source source("'é' + a");
  SourceErrors errors(source);
  const auto all = tokenize(source, errors);
  REQUIRE(all.size() == 4);
  CHECK(all[1].offset == 4);
  CHECK(all[2].offset == 6);
  CHECK(all[3].offset == 7);
}

}  // namespace
}  // namespace dray::cel::lexer_test

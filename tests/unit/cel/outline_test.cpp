#include "cel/syntax/outline.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::outline_test {
namespace {

std::string_view kind(Outline::Kind kind) {
  switch (kind) {
    case Outline::Kind::other:
      return "";
    case Outline::Kind::literal:
      return "literal";
    case Outline::Kind::logical_and:
      return "and";
    case Outline::Kind::logical_or:
      return "or";
    case Outline::Kind::logical_not:
      return "not";
    case Outline::Kind::conditional:
      return "if";
  }
  return "?";
}

/// `and[a | b]`: the kind with the texts of the parts.
std::string shown(const Outline& outline) {
  std::string out(kind(outline.kind));
  out += "[";
  for (std::size_t i = 0; i < outline.parts.size(); ++i) {
    out += (i == 0 ? "" : " | ") + std::string(outline.parts[i].text);
  }
  return out + "]";
}

struct Row {
  std::string text;
  std::string shown;
};

TEST_CASE("an expression's parts, in the words it was written in") {
  const auto row =
      GENERATE(Row{"a && b", "and[a | b]"}, Row{"a || (b && c)", "or[a | b && c]"},
               Row{"!(a)", "not[a]"}, Row{"a ? b : c", "if[a | b | c]"}, Row{"1", "literal[]"},
               Row{"(((a)) && b)", "and[a | b]"}, Row{"a && b && c", "and[a | b | c]"});
  INFO(row.text);
  CHECK(shown(outline(row.text)) == row.shown);
}

TEST_CASE("macros stay whole") {
  CHECK(outline("[1].all(x, x > 0 && x < 2)").kind == Outline::Kind::other);
}

}  // namespace
}  // namespace dray::cel::outline_test

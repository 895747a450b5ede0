#include "dray/cel/explain.h"

#include <catch2/catch.hpp>

#include "cel/syntax/outline.h"
#include "tests/unit/cel/fixture.h"

namespace dray::cel::explain_test {
namespace {

/// `text{part, part}` for every sub-expression.
std::string shown(const Outline& outline) {
  std::string text(outline.text);
  if (outline.kind == Outline::Kind::literal) return "'" + text + "'";
  if (outline.parts.empty()) return text;
  text += " {";
  for (const auto& part : outline.parts) text += shown(part) + "; ";
  text.resize(text.size() - 2);
  return text + "}";
}

/// `  text = value` by depth; `!` for errors, `-` for what was not looked at.
std::string shown(const std::vector<ExplainedPart>& parts) {
  std::string text;
  for (const auto& part : parts) {
    text += std::string(static_cast<std::size_t>(part.depth), ' ') + (part.reached ? "" : "-") +
            part.text + (part.failed ? " ! " : " = ") + part.value + "\n";
  }
  return text;
}

struct Row {
  const char* expression;
  const char* want;
};

}  // namespace

TEST_CASE("an outline has the sub-expressions as they stand in the text") {
  const auto row = GENERATE(
      Row{"true", "'true'"}, Row{"device.driver", "device.driver"},
      Row{"a && b && (c || d)", "a && b && (c || d) {a; b; c || d {c; d}}"},
      Row{"(a + 1) * -2", "(a + 1) * -2 {a + 1 {a; '1'}; '-2'}"},
      Row{R"(device.attributes["x"].y == "z")",
          R"(device.attributes["x"].y == "z" {device.attributes["x"].y; '"z"'})"},
      Row{"a[b.c].d", "a[b.c].d {b.c}"}, Row{"!!a", "!!a {a}"}, Row{"-a.b()", "-a.b() {a.b() {a}}"},
      Row{"x ? y : z ? 1 : 2", "x ? y : z ? 1 : 2 {x; y; z ? 1 : 2 {z; '1'; '2'}}"},
      Row{R"(q.compareTo(quantity("1")) > 0)",
          R"(q.compareTo(quantity("1")) > 0 {q.compareTo(quantity("1")) {q; quantity("1") {'"1"'}}; '0'})"},
      Row{"l.exists(x, x == 1)", "l.exists(x, x == 1) {l}"},
      Row{"cel.bind(x, y.z, x > 1)", "cel.bind(x, y.z, x > 1) {y.z}"},
      Row{"has(a.b) && a.b.c()", "has(a.b) && a.b.c() {has(a.b); a.b.c() {a.b}}"},
      Row{"x in [1, 2]", "x in [1, 2] {x; '[1, 2]'}"}, Row{"f(a).b.c", "f(a).b.c {f(a) {a}}"},
      Row{"optional.of(1)", "optional.of(1) {'1'}"});
  CAPTURE(row.expression);
  CHECK(shown(outline(row.expression)) == row.want);
}

TEST_CASE("an explanation has the value of every sub-expression") {
  Interner interner;
  const auto device = interner.intern("d.io", test_device());
  const auto row =
      GENERATE(Row{R"(device.attributes["d.io"].index > 5 && device.driver == "d.io")",
                   "device.attributes[\"d.io\"].index > 5 && device.driver == \"d.io\" = false\n"
                   " device.attributes[\"d.io\"].index > 5 = false\n"
                   "  device.attributes[\"d.io\"].index = 5\n"
                   " -device.driver == \"d.io\" = true\n"
                   "  -device.driver = \"d.io\"\n"},
               Row{R"(device.attributes["d.io"].nope == 1)",
                   "device.attributes[\"d.io\"].nope == 1 ! no such key: nope\n"
                   " device.attributes[\"d.io\"].nope ! no such key: nope\n"});
  auto explainer = Explainer::make(row.expression).value();
  CHECK(shown(explainer.explain(*device)) == row.want);
}

TEST_CASE("the decision is the first sub-expression that settled it") {
  Interner interner;
  const auto device = interner.intern("d.io", test_device());
  const auto row = GENERATE(
      Row{R"(device.driver == "d.io" && device.attributes["d.io"].model == "cat" && 1 > 2)",
          "device.attributes[\"d.io\"].model == \"cat\" = false\n"
          " device.attributes[\"d.io\"].model = \"fish\"\n"},
      Row{R"(!(device.driver == "x" || device.attributes["d.io"].healthy))",
          "device.attributes[\"d.io\"].healthy = true\n"},
      Row{R"(device.driver == "x" ? true : device.attributes["d.io"].index < 0)",
          "device.attributes[\"d.io\"].index < 0 = false\n device.attributes[\"d.io\"].index = "
          "5\n"},
      Row{R"(device.driver == "d.io" && device.capacity["d.io"].nope.isInteger())",
          "device.capacity[\"d.io\"].nope ! no such key: nope\n"},
      Row{"true", ""});
  CAPTURE(row.expression);
  auto explainer = Explainer::make(row.expression).value();
  CHECK(shown(explainer.decision(*device)) == row.want);
}

TEST_CASE("what does not compile is refused as ever") {
  CHECK(Explainer::make("device.nope").error() == compile("device.nope").error());
}

}  // namespace dray::cel::explain_test

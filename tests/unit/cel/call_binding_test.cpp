#include "cel/eval/call_binding.h"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/eval/plan.h"
#include "tests/unit/cel/answer.h"

// What a call runs, and in which form: the form decides on the words of "no such overload" and on
// whether arguments behind an error are run (cel-go interpreter/planner.go, planCall).

namespace dray::cel::call_binding_test {
namespace {

/// A call with as many arguments, bound.
struct Bound {
  Plan plan{""};
  std::vector<Node> nodes;
  std::vector<Node*> args;
  Call call;

  Bound(std::string_view function, std::string_view overload, std::size_t count) : nodes(count) {
    for (Node& node : nodes) args.push_back(&node);
    call.function = function;
    call.overload = overload;
    call.args = args;
    bind_call(plan, call);
  }
};

struct Row {
  std::string name;
  std::string function;
  std::string overload;
  std::size_t args;
  CallForm form;
  std::string candidates;
};

TEST_CASE("a call runs its overload, or has all to try") {
  using enum CallForm;
  const auto row = GENERATE(
      Row{"chosen by the checker", "charAt", "string_char_at_int", 2, two, "string_char_at_int"},
      Row{"one of several", "string", "int64_to_string", 1, one, "int64_to_string"},
      Row{"not chosen", "string", "", 1, many,
          "string_to_string bool_to_string bytes_to_string double_to_string duration_to_string "
          "int64_to_string timestamp_to_string uint64_to_string ip_to_string cidr_to_string"},
      Row{"not chosen, but the only one", "startsWith", "", 2, two, "starts_with_string"},
      Row{"three arguments", "substring", "string_substring_int_int", 3, many,
          "string_substring_int_int"},
      Row{"no arguments", "format.uri", "format.uri", 0, none, "format.uri"},
      Row{"a function that nobody has", "nope", "", 1, one, ""},
      Row{"a singleton is for all overloads", "size", "size_string", 1, one, "-"},
      Row{"a singleton without a chosen one", "_+_", "", 2, two, "-"});
  DYNAMIC_SECTION(row.name) {
    const Bound bound(row.function, row.overload, row.args);
    CHECK(bound.call.form == row.form);
    std::string ids;
    for (const BoundOverload& candidate : bound.call.candidates) {
      ids += (ids.empty() ? "" : " ") + std::string(candidate.id.empty() ? "-" : candidate.id);
    }
    CHECK(ids == row.candidates);
  }
}

TEST_CASE("traits and lazy errors come from the function") {
  CHECK(Bound("size", "size_string", 1).call.trait == Trait::sizer);
  CHECK(Bound("_<_", "less_int64", 2).call.trait == Trait::comparer);
  CHECK(Bound("charAt", "string_char_at_int", 2).call.trait == Trait::none);
  CHECK(Bound("@not_strictly_false", "not_strictly_false", 1).call.lazy_errors);
  CHECK_FALSE(Bound("!_", "logical_not", 1).call.lazy_errors);
}

struct Pattern {
  std::string name;
  std::string function;
  std::string pattern;
  bool made;
  std::string error;
};

TEST_CASE("a constant pattern is compiled with the program") {
  const std::string wrong = "error parsing regexp: missing closing ): `(`";
  const auto row = GENERATE_COPY(
      Pattern{"matches", "matches", "^a", true, ""}, Pattern{"find", "find", "a*", true, ""},
      Pattern{"findAll", "findAll", "a*", true, ""},
      Pattern{"a wrong one", "matches", "(", false, wrong},
      Pattern{"a wrong one of another function", "find", "(", false, wrong},
      Pattern{"a function without patterns", "startsWith", "(", false, ""});
  DYNAMIC_SECTION(row.name) {
    Bound bound(row.function, "", 2);
    bound.nodes[1].constant = Value::of(std::string_view(row.pattern));
    std::string error;
    CHECK(bind_regex(bound.plan, bound.call, error) == row.error.empty());
    CHECK(error == row.error);
    CHECK((bound.call.regex != nullptr) == row.made);
  }
}

TEST_CASE("what is no constant text is no pattern yet") {
  Bound number("matches", "matches_string", 2);
  number.nodes[1].constant = Value::of(std::int64_t{1});
  std::string error;
  CHECK(bind_regex(number.plan, number.call, error));
  CHECK(number.call.regex == nullptr);
  Bound computed("matches", "matches_string", 2);
  computed.nodes[1].constant = Value::of(std::string_view("("));
  computed.nodes[1].kind = NodeKind::call;
  CHECK(bind_regex(computed.plan, computed.call, error));
  CHECK(computed.call.regex == nullptr);
}

struct Run {
  std::string name;
  std::string text;
  std::string want;
  std::uint64_t cost;
};

TEST_CASE("arguments behind an error are run for one and two operands only") {
  const auto row = GENERATE(
      Run{"two operands", "string(1 / 0).charAt(1 % 0)", "division by zero", 4},
      Run{"a singleton", "dyn(1 / 0) + (1 % 0)", "division by zero", 4},
      Run{"three operands", "'abc'.substring(1 / 0, 1 % 0)", "division by zero", 1},
      Run{"two operands of a variadic function", "[1].slice(1 / 0, 1 % 0)", "division by zero", 1},
      Run{"two operands and several overloads", "dyn(1 / 0).indexOf(dyn(1 % 0))",
          "division by zero", 2},
      Run{"a computed pattern", "string(1 / 0).matches(string(1 % 0))", "division by zero", 5});
  DYNAMIC_SECTION(row.name) {
    const Answer got = answer(row.text);
    CHECK(got.value == row.want);
    CHECK(got.cost == row.cost);
  }
}

TEST_CASE("a constant pattern takes the guards away, as upstream's compiled form has none") {
  const auto row = GENERATE(
      Run{"matches", "dyn(5).matches('a')", "no such overload", 1},
      Run{"matches, computed", "dyn(5).matches('a' + 'b')", "no such overload: matches", 2},
      Run{"find", "dyn(5).find('a')", "no such overload", 1},
      Run{"find, computed", "dyn(5).find('a' + 'b')", "no such overload: find(int, string)", 2},
      Run{"an optional's text", "dyn(optional.of('fish')).matches('f')", "true", 3},
      Run{"an optional's text, computed", "dyn(optional.of('fish')).matches('f' + 'i')",
          "no such overload: matches", 4},
      Run{"found", "device.attributes['d.io'].model.find('i.')", R"("is")", 5},
      Run{"found, computed", "device.attributes['d.io'].model.find('i.' + '')", R"("is")", 6},
      Run{"limited", "'abcabc'.findAll('b.', 1)", R"(["bc"])", 1},
      Run{"limited by a text", "'abcabc'.findAll('b.', dyn('x'))", "no such overload", 1});
  DYNAMIC_SECTION(row.name) {
    const Answer got = answer(row.text);
    CHECK(got.value == row.want);
    CHECK(got.cost == row.cost);
  }
}

}  // namespace
}  // namespace dray::cel::call_binding_test

#include "cel/eval/functions.h"

#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "cel/check/declarations.h"

// The functions that are declared and those that can be run have to be the same ones: an id that is
// written wrong in one of the tables is "no such overload" for whoever calls it.

namespace dray::cel::functions_test {
namespace {

/// Declared for the API server's authorizer, which no scheduler has: upstream fails with them, too.
const std::set<std::string, std::less<>> authorizer{
    "allowed", "check", "error",     "errored", "fieldSelector", "group",          "labelSelector",
    "name",    "path",  "namespace", "reason",  "resource",      "serviceAccount", "subresource"};
/// The planner has nodes of their own for these.
const std::set<std::string, std::less<>> planned{"_&&_", "_||_",  "_==_", "_!=_", "_?_:_",
                                                 "_[_]", "_[?_]", "_?._", "or",   "orValue"};

TEST_CASE("what is declared can be run, but for the authorizer's functions") {
  for (const auto rows : {standard_overloads(), library_overloads()}) {
    for (const OverloadText& row : rows) {
      INFO(row.function << " " << row.id);
      const FunctionBinding* binding = find_binding(row.function);
      REQUIRE(binding != nullptr);
      if (authorizer.contains(row.function) || planned.contains(row.function)) continue;
      const auto overload = std::ranges::find(binding->overloads, row.id, &BoundOverload::id);
      const bool runs = overload != binding->overloads.end() && overload->run != nullptr;
      CHECK((binding->singleton != nullptr || runs));
    }
  }
}

TEST_CASE("what can be run is declared") {
  std::set<std::string, std::less<>> known;
  for (const auto rows : {standard_overloads(), library_overloads()}) {
    for (const OverloadText& row : rows) {
      known.emplace(row.id);
      known.insert("=" + std::string(row.function));
    }
  }
  for (const auto rows :
       {operator_bindings(), conversion_bindings(), time_bindings(), string_bindings(),
        format_bindings(), list_bindings(), kubernetes_list_bindings(), set_bindings(),
        optional_bindings(), quantity_bindings(), semver_bindings(), regex_bindings(),
        net_bindings(), url_bindings(), named_format_bindings()}) {
    for (const BindingRow& row : rows) {
      INFO(row.id);
      CHECK(known.contains(row.id));
      CHECK(row.run != nullptr);
    }
  }
}

TEST_CASE("overloads are tried in the order of their declaration, each with its types") {
  const FunctionBinding* binding = find_binding("indexOf");
  REQUIRE(binding != nullptr);
  REQUIRE(binding->overloads.size() == 3);
  CHECK(binding->overloads[0].id == "string_index_of_string");
  CHECK(binding->overloads[1].id == "string_index_of_string_int");
  CHECK(binding->overloads[2].id == "list_a_index_of_int");
  CHECK(binding->overloads[0].types.size() == 2);
  CHECK(binding->overloads[1].types.size() == 3);
  CHECK(binding->overloads[2].types[0]->kind() == TypeKind::list);
  CHECK(binding->variadic == std::vector<bool>{false, true, false});
  CHECK_FALSE(binding->lazy_errors);
}

TEST_CASE("a singleton has no overloads of its own, but a trait") {
  const FunctionBinding* plus = find_binding("_+_");
  REQUIRE(plus != nullptr);
  CHECK(plus->singleton != nullptr);
  CHECK(plus->overloads.empty());
  CHECK(plus->trait == Trait::adder);
  CHECK(find_binding("size")->trait == Trait::sizer);
  CHECK(find_binding("sort")->trait == Trait::list);
  CHECK(find_binding("type")->trait == Trait::none);
}

TEST_CASE("implementations that look at types themselves are not guarded") {
  CHECK(find_binding("startsWith")->overloads[0].types.empty());
  CHECK(find_binding("flatten")->overloads[0].types.empty());
  CHECK_FALSE(find_binding("charAt")->overloads[0].types.empty());
}

TEST_CASE("only what loops end with takes errors; what is not declared is not there") {
  CHECK(find_binding("@not_strictly_false")->lazy_errors);
  CHECK_FALSE(find_binding("!_")->lazy_errors);
  CHECK(find_binding("nope") == nullptr);
  CHECK(find_binding("") == nullptr);
}

}  // namespace
}  // namespace dray::cel::functions_test

#include "app/match/match_hints.h"

#include <catch2/catch.hpp>

#include "tests/unit/app/match_cluster.h"

namespace dray::app::match_hints_test {

using namespace match_testing;

TEST_CASE("a field or a name that does not compile is nearly one that there is") {
  CHECK(compile_hint("ERROR: <input>:1:7: undefined field 'attribute'\n | x") ==
        "did you mean attributes?");
  CHECK(compile_hint("undeclared reference to 'quantiy' (in container '')") ==
        "did you mean quantity?");
  CHECK(compile_hint("undefined field 'zzzzzzzz'").empty());
  CHECK(compile_hint("Syntax error").empty());
}

TEST_CASE("an attribute or a domain that no device has is nearly one that some has") {
  const auto hints = [](const std::string& expression) {
    return key_hints(Match("", expression).matches);
  };
  CHECK(hints(R"(device.attributes["d.io"].modle == "A")") ==
        std::vector<std::string>{"no device has modle; did you mean model?"});
  CHECK(hints(R"(device.attributes["dd.io"].model == "A")") ==
        std::vector<std::string>{"no device has anything of dd.io; did you mean d.io?"});
  CHECK(hints(R"(device.attributes["d.io"].zzzzzzz == "A")").empty());
  CHECK(hints(R"(device.attributes["d.io"].model == "A")").empty());
}

}  // namespace dray::app::match_hints_test

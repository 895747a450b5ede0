#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::kubernetes_lists_test {
namespace {

TEST_CASE("lists as Kubernetes extends them: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"([1, 2, 2].isSorted())", R"(![2, 1].isSorted())", R"([].isSorted())",
      R"(['a', 'b'].isSorted())", R"(![duration('2s'), duration('1s')].isSorted())",
      R"([1, 2, 3].sum() == 6)", R"([1.5, 2.5].sum() == 4.0)", R"([1u, 2u].sum() == 3u)",
      R"([duration('1s'), duration('2s')].sum() == duration('3s'))", R"([3, 1, 2].min() == 1)",
      R"([3, 1, 2].max() == 3)", R"(['b', 'a'].min() == 'a')", R"([1].max() == 1)",
      R"([1, 2, 1].indexOf(1) == 0)", R"([1, 2, 1].indexOf(2) == 1)", R"([1].indexOf(5) == -1)",
      R"([1, 2, 1].lastIndexOf(1) == 2)", R"([1, 2, 1].lastIndexOf(2) == 1)",
      R"([1].lastIndexOf(5) == -1)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("lists as Kubernetes extends them: what fails says why") {
  const auto row = GENERATE(Failing{R"(dyn([]).min() == 1)", R"(min called on empty list)"},
                            Failing{R"(dyn([]).max() == 1)", R"(max called on empty list)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::kubernetes_lists_test

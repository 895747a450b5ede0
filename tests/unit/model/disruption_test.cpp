#include "dray/model/disruption.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::disruption_test {
namespace {

TEST_CASE("a label selector") {
  const Labels labels{{"app", "x"}, {"tier", "a"}};
  struct Row {
    std::string name;
    LabelSelector selector;
    bool want;
  };
  const auto row =
      GENERATE(Row{"an empty one selects everything", {}, true},
               Row{"a label as wanted", {{{"app", "x"}}, {}}, true},
               Row{"another value", {{{"app", "y"}}, {}}, false},
               Row{"no such label", {{{"zone", "x"}}, {}}, false},
               Row{"in", {{}, {{"tier", "In", {"a", "b"}}}}, true},
               Row{"not in", {{}, {{"tier", "NotIn", {"a"}}}}, false},
               Row{"not in, without the label", {{}, {{"zone", "NotIn", {"a"}}}}, true},
               Row{"exists", {{}, {{"tier", "Exists", {}}}}, true},
               Row{"does not exist", {{}, {{"tier", "DoesNotExist", {}}}}, false},
               Row{"an unknown operator", {{}, {{"tier", "Like", {"a"}}}}, false},
               Row{"all must hold", {{{"app", "x"}}, {{"tier", "In", {"b"}}}}, false});
  DYNAMIC_SECTION(row.name) {
    CHECK(row.selector.matches(labels) == row.want);
  }
}

}  // namespace
}  // namespace dray::disruption_test

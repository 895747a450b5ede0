#include "wire/yaml/yaml_comments.h"

#include <catch2/catch.hpp>

namespace dray::wire::yaml_comments_test {

TEST_CASE("comments are told from what only looks like one") {
  struct Row {
    std::string name;
    std::string yaml;
    std::vector<YamlComment> want;
  };
  const auto row = GENERATE(values<Row>({
      {"on its own line", "# a\n  # b  \n", {{{1, 1}, "# a", true}, {{2, 3}, "# b", true}}},
      {"beside a value", "a: 1  # one\n", {{{1, 7}, "# one", false}}},
      {"no blank before it", "a: b#c\n", {}},
      {"in quotes", "a: \"# no\"\nb: 'it''s # no'\nc: \"\\\" # no\"\n", {}},
      {"in quotes over lines", "a: \"x\n  # no\n  y\"  # yes\n", {{{3, 7}, "# yes", false}}},
      {"an apostrophe in a plain text", "a: what's # yes\n", {{{1, 11}, "# yes", false}}},
      {"quotes between brackets", "a: ['#', \"#\"] # yes\n", {{{1, 15}, "# yes", false}}},
      {"no line end", "#", {{{1, 1}, "#", true}}},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(comments_in(row.yaml) == row.want);
  }
}

}  // namespace dray::wire::yaml_comments_test

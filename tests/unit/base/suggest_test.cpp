#include "dray/base/suggest.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::suggest_test {

TEST_CASE("a misspelt word gets the one that was meant, another all that there are") {
  struct Row {
    std::string word;
    std::vector<std::string> known;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {"qouta", {"limit", "quota"}, "; did you mean quota?"},
      {"MinMember", {"minMember"}, "; did you mean minMember?"},
      {"gpus", {"cpu", "gpu"}, "; did you mean gpu?"},
      {"elephant", {"cpu", "gpu"}, "; there are cpu, gpu"},
      {"x", {"gpu"}, "; there is gpu"},
      {"x", {}, ""},
  }));
  DYNAMIC_SECTION(row.word << row.want) {
    CHECK(suggest(row.word, row.known) == row.want);
    const bool close = row.want.starts_with("; did you mean");
    CHECK(suggest_near(row.word, row.known) == (close ? row.want : ""));
  }
}

}  // namespace dray::suggest_test

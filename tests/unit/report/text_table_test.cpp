#include "report/text_table.h"

#include <catch2/catch.hpp>

namespace dray::report::text_table_test {

TEST_CASE("columns are as wide as their widest text, in characters") {
  CHECK(text_table({{"A", "B"}, {"long", "1±2"}, {"x"}}) == "A       B\nlong  1±2\nx\n");
}

}  // namespace dray::report::text_table_test

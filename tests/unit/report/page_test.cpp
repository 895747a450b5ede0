#include "report/page.h"

#include <catch2/catch.hpp>

namespace dray::report::page_test {

TEST_CASE("the data goes into its place, and cannot end its element") {
  const auto page =
      fill_page(R"(<script id="x" type="application/json">"dray-report-data"</script><p>end)",
                R"({"job":"</script><!--"})");
  CHECK(
      page.value() ==
      R"(<script id="x" type="application/json">{"job":"\u003c/script>\u003c!--"}</script><p>end)");
}

TEST_CASE("a file that is no page of a report is told") {
  const std::string place = R"(type="application/json">"dray-report-data"<)";
  CHECK_FALSE(fill_page("<p>hello", "{}").has_value());
  CHECK_FALSE(fill_page(place + place, "{}").has_value());
  CHECK(fill_page(place, "{}").has_value());
}

}  // namespace dray::report::page_test

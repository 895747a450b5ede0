#include "app/common/listing.h"

#include <catch2/catch.hpp>

namespace dray::app::listing_test {
namespace {

Listing sample() {
  return {.kind = "queue",
          .columns = {{.title = "QUEUE", .key = "queue"},
                      {.title = "USED", .key = "used", .number = true},
                      {.title = "PARENT", .key = "parent", .wide = true}},
          .rows = {{"a", "12", "top"}, {"längere", "", ""}, {"a", "1", ""}}};
}

}  // namespace

TEST_CASE("a table has numbers to the right, and a dash where a cell is empty") {
  CHECK(listing_text(sample(), "table") ==
        "QUEUE    USED\na          12\nlängere     -\na           1\n");
}

TEST_CASE("wide has all columns, JSON and YAML what is there") {
  CHECK(listing_text(sample(), "wide") ==
        "QUEUE    USED  PARENT\na          12  top\nlängere     -  -\na           1  -\n");
  CHECK(listing_text(sample(), "json") ==
        R"({"items":[{"queue":"a","used":12,"parent":"top"},{"queue":"längere"},)"
        R"({"queue":"a","used":1}]})"
        "\n");
  CHECK(listing_text(sample(), "yaml").starts_with("items:\n"));
  CHECK(listing_text({.kind = "x", .columns = {}, .rows = {}}, "json") == "{\"items\":[]}\n");
}

TEST_CASE("names are what kubectl's are, each once") {
  CHECK(listing_text(sample(), "name") == "queue/a\nqueue/längere\n");
}

}  // namespace dray::app::listing_test

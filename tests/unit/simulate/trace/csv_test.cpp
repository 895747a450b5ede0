#include "simulate/trace/csv.h"

#include <catch2/catch.hpp>

namespace dray::simulate::csv_test {

TEST_CASE("a row is split at commas that stand in no quotes") {
  std::string_view rest = "a,\"b,c\",,d\r\nnext\n";
  const auto row = next_csv_row(rest, 3);
  REQUIRE(row.size() == 4);
  CHECK(row[1].text == "b,c");
  CHECK(row[2].text.empty());
  CHECK(row[3].text == "d");
  CHECK(row[3].line == 3);
  CHECK(row[3].column == 10);
  CHECK(rest == "next\n");
}

TEST_CASE("rows are read by the names of their columns, and empty lines passed over") {
  auto rows = CsvRows::open("n,cpu\n\nx,7\ny,8", {"cpu", "n"}).value();
  REQUIRE(rows.next());
  CHECK(rows.text("n") == "x");
  CHECK(rows.whole("cpu", 0, 10).value() == 7);
  CHECK(rows.text("absent").empty());
  REQUIRE(rows.next());
  CHECK(rows.whole("cpu", 0, 10).value() == 8);
  CHECK_FALSE(rows.next());
}

TEST_CASE("columns may have other names, and then those of their own names are not read") {
  const CsvRows::Names names{{"cpu", "cores"}, {"n", "id"}};
  auto rows = CsvRows::open("id,cpu,cores\nx,7,8\n", {"cpu", "n"}, names).value();
  REQUIRE(rows.next());
  CHECK(rows.text("n") == "x");
  CHECK(rows.text("cpu") == "8");
  CHECK_FALSE(rows.has("id"));
  CHECK(CsvRows::open("id,cpu\n", {"cpu"}, names).error().message ==
        "1:1: expected a column cores in the first line, for cpu");
}

TEST_CASE("what is wrong is said with line, column and what was expected") {
  CHECK(CsvRows::open("n,mem\n", {"n", "cpu"}).error().message ==
        "1:1: expected a column cpu in the first line");
  auto rows = CsvRows::open("n,cpu\nx,7.5\ny\n", {"n", "cpu"}).value();
  REQUIRE(rows.next());
  CHECK(rows.whole("cpu", 0, 10).error().message ==
        "2:3: cpu: expected a whole number from 0 to 10, found \"7.5\"");
  CHECK(rows.seconds("cpu").value() == 7'500'000);
  CHECK(rows.complete().has_value());
  CHECK(rows.seconds("n").error().message == "2:1: n: expected seconds, not negative, found \"x\"");
  REQUIRE(rows.next());
  CHECK(rows.complete().error().message == "3:1: expected 2 values, found 1");
}

TEST_CASE("a row that is too long costs nothing, and is an error at its line") {
  const std::string commas(most_row_bytes + 1, ',');
  CHECK(CsvRows::open(commas + "\nx\n", {"n"}).error().message ==
        "1:1: expected a row of at most 1048576 bytes, found a longer one");
  for (const std::string end : {"", "\n", "\nx,7\n"}) {
    const auto text = "n,cpu\n" + commas + end;
    auto rows = CsvRows::open(text, {"n", "cpu"}).value();
    REQUIRE(rows.next());
    CHECK(rows.text("n").empty());
    CHECK(rows.complete().error().message ==
          "2:1: expected a row of at most 1048576 bytes, found a longer one");
    CHECK(rows.next() == end.contains('x'));
    CHECK(rows.complete().has_value() == end.contains('x'));
  }
  const auto whole = "n,cpu\nx," + std::string(most_row_bytes - 2, '7');
  auto rows = CsvRows::open(whole, {"n", "cpu"}).value();
  REQUIRE(rows.next());
  CHECK(rows.complete().has_value());
}

}  // namespace dray::simulate::csv_test

#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "cel/check/declarations.h"
#include "tests/unit/cel/overload_rows.h"

// src/cel/check/declarations_standard.cpp: the standard functions, cel-go's checker/decls and
// optional types.

namespace dray::cel::declarations_standard_test {
namespace {

using Row = OverloadRow;

TEST_CASE("the standard overloads are upstream's") {
  const auto row = GENERATE(
      Row{"add_timestamp_duration",
          "_+_(google.protobuf.Timestamp, google.protobuf.Duration) -> google.protobuf.Timestamp"},
      Row{"subtract_timestamp_timestamp",
          "_-_(google.protobuf.Timestamp, google.protobuf.Timestamp) -> google.protobuf.Duration"},
      Row{"in_map", "@in(<A>, map(<A>, <B>)) -> bool"},
      Row{"index_map", "_[_](map(<A>, <B>), <A>) -> <B>"},
      Row{"conditional", "_?_:_(bool, <A>, <A>) -> <A>"},
      Row{"less_int64_double", "_<_(int, double) -> bool"},
      Row{"size_string", "size(string) -> int"}, Row{"matches", "matches(string, string) -> bool"},
      Row{"matches_string", "string.matches(string) -> bool"},
      Row{"timestamp_to_hours_with_tz", "google.protobuf.Timestamp.getHours(string) -> int"},
      Row{"string_to_timestamp", "timestamp(string) -> google.protobuf.Timestamp"},
      Row{"negate_int64", "-_(int) -> int"}, Row{"modulo_uint64", "_%_(uint, uint) -> uint"},
      Row{"type", "type(<A>) -> type(<A>)"}, Row{"to_dyn", "dyn(<A>) -> dyn"},
      Row{"contains_string", "string.contains(string) -> bool"});
  DYNAMIC_SECTION(row.id) {
    std::string found;
    for (const OverloadText& text : standard_overloads()) {
      if (text.id == row.id) found = shown(text);
    }
    CHECK(found == row.signature);
  }
}

TEST_CASE(
    "the standard table is read as it is written, and names no overload of a function twice") {
  std::set<std::pair<std::string, std::string>> seen;
  for (const OverloadText& row : standard_overloads()) {
    INFO(row.function << " " << row.id);
    CHECK(seen.emplace(row.function, row.id).second);
    TypePool pool;
    Overload overload;
    read_signature(pool, row.signature, overload);
    std::string text;
    for (const Type* arg : overload.args) text += (text.empty() ? "" : "; ") + plain_text(*arg);
    CHECK("(" + text + ") -> " + plain_text(*overload.result) == row.signature);
  }
  CHECK(seen.size() == 166);
}

/// The functions' overloads in the order in which they are tried: the first that fits without dyn
/// decides on the type.
TEST_CASE("overloads of _+_ stand in cel-go's order") {
  std::string ids;
  for (const Overload& overload : find_function("_+_")->overloads) {
    ids += std::string(overload.id) + " ";
  }
  CHECK(ids ==
        "add_bytes add_double add_duration_duration add_duration_timestamp add_timestamp_duration "
        "add_int64 add_list add_string add_uint64 ");
}

}  // namespace
}  // namespace dray::cel::declarations_standard_test

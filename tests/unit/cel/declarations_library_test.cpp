#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "cel/check/declarations.h"
#include "tests/unit/cel/overload_rows.h"

// src/cel/check/declarations_library.cpp: the functions of cel-go's extensions and of Kubernetes.

namespace dray::cel::declarations_library_test {
namespace {

using Row = OverloadRow;

TEST_CASE("the libraries' overloads are upstream's") {
  const auto row = GENERATE(
      Row{"string_char_at_int", "string.charAt(int) -> string"},
      Row{"string_split_string_int", "string.split(string, int) -> list(string)"},
      Row{"list_sets_contains_list", "sets.contains(list(<T>), list(<T>)) -> bool"},
      Row{"list_slice", "list(<T>).slice(int, int) -> list(<T>)"},
      Row{"lists_range", "lists.range(int) -> list(int)"},
      Row{"list_flatten_int", "list(dyn).flatten(int) -> list(dyn)"},
      Row{"list_distinct", "list(<T>).distinct() -> list(<T>)"},
      Row{"string_find_all_string_int", "string.findAll(string, int) -> list(string)"},
      Row{"quantity_add_int", "kubernetes.Quantity.add(int) -> kubernetes.Quantity"},
      Row{"optional_orValue_value", "optional_type(<V>).orValue(<V>) -> <V>"},
      Row{"quantity_sign", "sign(kubernetes.Quantity) -> int"},
      Row{"quantity_compare_to", "kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int"},
      Row{"semver_major", "kubernetes.Semver.major() -> int"},
      Row{"cidr_contains_cidr_string", "net.CIDR.containsCIDR(string) -> bool"},
      Row{"cidr_ip", "net.CIDR.ip() -> net.IP"}, Row{"string_to_ip", "ip(string) -> net.IP"},
      Row{"format-validate",
          "kubernetes.NamedFormat.validate(string) -> optional_type(list(string))"},
      Row{"url_get_query", "kubernetes.URL.getQuery() -> map(string, list(string))"},
      Row{"list_a_index_of_int", "list(<A>).indexOf(<A>) -> int"},
      Row{"string_format", "string.format(list(dyn)) -> string"},
      Row{"strings_quote", "strings.quote(string) -> string"});
  DYNAMIC_SECTION(row.id) {
    std::string found;
    for (const OverloadText& text : library_overloads()) {
      if (text.id == row.id) found = shown(text);
    }
    CHECK(found == row.signature);
  }
}

TEST_CASE(
    "the libraries' table is read as it is written, and names no overload of a function twice") {
  std::set<std::pair<std::string, std::string>> seen;
  for (const OverloadText& row : library_overloads()) {
    INFO(row.function << " " << row.id);
    CHECK(seen.emplace(row.function, row.id).second);
    TypePool pool;
    Overload overload;
    read_signature(pool, row.signature, overload);
    std::string text;
    for (const Type* arg : overload.args) text += (text.empty() ? "" : "; ") + plain_text(*arg);
    CHECK("(" + text + ") -> " + plain_text(*overload.result) == row.signature);
  }
  CHECK(seen.size() == 174);
}

TEST_CASE("what upstream declares as a function is none of a value's, and the other way round") {
  const auto style = [](std::string_view function) {
    return find_function(function)->overloads[0].style;
  };
  CHECK(style("sign") == Overload::Style::global);
  CHECK(style("isQuantity") == Overload::Style::global);
  CHECK(style("asInteger") == Overload::Style::member);
  CHECK(style("ip.isCanonical") == Overload::Style::global);
  CHECK(style("sets.contains") == Overload::Style::global);
  CHECK(style("sort") == Overload::Style::member);
}

}  // namespace
}  // namespace dray::cel::declarations_library_test

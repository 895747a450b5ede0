#include "wire/yaml/yaml_scalar.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::wire::yaml_scalar_test {
namespace {

struct Row {
  std::string text;
  std::string json;
};

TEST_CASE("plain scalars have the types that Kubernetes gives them") {
  const auto row =
      GENERATE(Row{"", "null"}, Row{"~", "null"}, Row{"Null", "null"}, Row{"nULL", "\"nULL\""},
               Row{"true", "true"}, Row{"On", "true"}, Row{"n", "false"}, Row{"yEs", "\"yEs\""},
               Row{"1", "1"}, Row{"-1", "-1"}, Row{"+1", "1"}, Row{"-0", "0"}, Row{"1_000", "1000"},
               Row{"0x1F", "31"}, Row{"0644", "420"}, Row{"0o17", "15"}, Row{"0b101", "5"},
               Row{"089", "89"}, Row{"18446744073709551615", "18446744073709551615"},
               Row{"-9223372036854775808", "-9223372036854775808"}, Row{"1.50", "1.5"},
               Row{".5", "0.5"}, Row{"1.", "1"}, Row{"1e3", "1000"}, Row{"1e400", "\"1e400\""},
               Row{"40Gi", "\"40Gi\""}, Row{"1.2.3", "\"1.2.3\""}, Row{"-", "\"-\""},
               Row{".", "\".\""}, Row{".inf", "\".inf\""}, Row{"-nan", "\"-nan\""},
               Row{"0x", "\"0x\""}, Row{"gpu-0", "\"gpu-0\""}, Row{"a\"b", "\"a\\\"b\""});
  DYNAMIC_SECTION("[" << row.text << "]") {
    CHECK(plain_scalar_to_json(row.text) == row.json);
  }
}

}  // namespace
}  // namespace dray::wire::yaml_scalar_test

#include "cel/value/values.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/check/declarations.h"
#include "tests/unit/cel/answer.h"

// What a value is called and printed in error texts, what it can do, and which declared types take
// it, as cel-go's common/types.

namespace dray::cel::values_test {
namespace {

struct Row {
  std::string name;
  std::string text;  ///< an expression that gives it
  std::string type;
  std::string go_type;
  std::string go_text;
};

/// Runs an expression and keeps what its value needs.
struct Run {
  ProgramHandle program;
  Interner interner;
  DeviceShapeHandle shape = interner.intern("d.io", test_device());
  Evaluation evaluation;
  Value value;

  explicit Run(std::string_view text)
      : program(cel::program(text, Purpose::any)),
        value(evaluation.run(program->plan(), *shape, false)) {}
};

TEST_CASE("each kind has its names and its text") {
  const auto row = GENERATE(
      Row{"null", "null", "null_type", "types.Null", "0"},
      Row{"bool", "true", "bool", "types.Bool", "true"}, Row{"int", "-5", "int", "types.Int", "-5"},
      Row{"uint", "5u", "uint", "types.Uint", "5"},
      Row{"double", "1e21", "double", "types.Double", "1e+21"},
      Row{"string", "'a\"b'", "string", "types.String", "a\"b"},
      Row{"bytes", "b'ab'", "bytes", "types.Bytes", "[97 98]"},
      Row{"list", "[1, 2]", "list", "*types.baseList", "[1, 2]"},
      Row{"joined list", "[1] + [2]", "list", "*types.concatList", "[1, 2]"},
      Row{"loop's list", "[1].map(x, x)", "list", "*types.baseList", "[1]"},
      Row{"map", "{'a': [1], 'b': []}", "map", "*types.baseMap", "{a: [1], b: []}"},
      Row{"attributes", "device.capacity", "map", "cel.mapper", "{d.io: {memory: 40Gi}}"},
      Row{"type", "int", "type", "*types.Type", "int"},
      Row{"duration", "duration('90s')", "google.protobuf.Duration", "types.Duration", "1m30s"},
      Row{"timestamp", "timestamp('2020-01-02T03:04:05Z')", "google.protobuf.Timestamp",
          "types.Timestamp", "2020-01-02 03:04:05 +0000 UTC"},
      Row{"optional", "optional.of(1)", "optional_type", "*types.Optional", "optional(1)"},
      Row{"none", "optional.none()", "optional_type", "*types.Optional", "optional.none()"},
      Row{"quantity", "quantity('40Gi')", "kubernetes.Quantity", "cel.Quantity", "40Gi"},
      Row{"computed quantity", "quantity('1').add(1)", "kubernetes.Quantity", "*cel.Quantity", "2"},
      Row{"semver", "semver('1.2.3-a')", "kubernetes.Semver", "cel.Semver", "1.2.3-a"},
      Row{"ip", "ip('10.0.0.1')", "net.IP", "cel.IP", "10.0.0.1"},
      Row{"cidr", "cidr('10.0.0.0/8')", "net.CIDR", "cel.CIDR", "10.0.0.0/8"},
      Row{"url", "url('https://a.io/b')", "kubernetes.URL", "cel.URL", "https://a.io/b"},
      Row{"format", "format.uri()", "kubernetes.NamedFormat", "cel.Format", "{}"},
      Row{"error", "1 / 0", "error", "*types.Err", "division by zero"});
  DYNAMIC_SECTION(row.name) {
    const Run run(row.text);
    CHECK(type_of(run.value).name() == row.type);
    CHECK(go_type(run.value) == row.go_type);
    CHECK(go_text(run.value) == row.go_text);
  }
}

TEST_CASE("an error's text is made of its code and its argument") {
  Context context;
  const auto text = [](const Value& error) { return error_text(*error.error); };
  CHECK(text(context.error("why")) == "why");
  CHECK(text(context.no_such_key(Value::of(std::string_view("a")))) == "no such key: a");
  CHECK(text(context.index_out_of_bounds(Value::of(std::int64_t{-1}))) ==
        "index out of bounds: -1");
  CHECK(text(Context::no_such_overload()) == "no such overload");
  const Value first = context.error("first");
  CHECK(Context::no_such_overload(first).error == first.error);
}

struct Taken {
  std::string name;
  std::string type;
  std::string text;
  bool taken;
};

TEST_CASE("an overload takes a list or a map by its first element") {
  const auto row =
      GENERATE(Taken{"same", "int", "1", true}, Taken{"another number", "uint", "1", false},
               Taken{"dyn", "dyn", "1", true}, Taken{"a parameter", "<T>", "[1]", true},
               Taken{"no error", "dyn", "1 / 0", false}, Taken{"list", "list(int)", "[1, 2]", true},
               Taken{"list of others", "list(int)", "['a']", false},
               Taken{"empty list", "list(int)", "[]", true},
               Taken{"only the first counts", "list(int)", "[dyn(1), dyn('a')]", true},
               Taken{"list in list", "list(list(int))", "[[1]]", true},
               Taken{"list in list of others", "list(list(int))", "[['a']]", false},
               Taken{"map", "map(string, int)", "{'a': 1}", true},
               Taken{"map's key", "map(int, int)", "{'a': 1}", false},
               Taken{"map's value", "map(string, string)", "{'a': 1}", false},
               Taken{"empty map", "map(int, int)", "{}", true},
               Taken{"no map", "map(int, int)", "[]", false},
               Taken{"any optional", "optional_type(int)", "optional.of('a')", true},
               Taken{"an object", "kubernetes.Semver", "semver('1.2.3')", true},
               Taken{"another object", "kubernetes.Semver", "quantity('1')", false});
  DYNAMIC_SECTION(row.name) {
    TypePool pool;
    Run run(row.text);
    CHECK(takes(run.evaluation.context, read_type(pool, row.type), run.value) == row.taken);
  }
}

TEST_CASE("optional.ofNonZeroValue knows the zero of each kind") {
  for (const std::string_view text :
       {"null", "false", "0", "0u", "0.0", "-0.0", "''", "b''", "[]", "{}", "duration('0s')",
        "timestamp('0001-01-01T00:00:00Z')"}) {
    INFO(text);
    CHECK(is_zero(Run(text).value));
  }
  for (const std::string_view text :
       {"true", "1", "-1", "1u", "0.1", "' '", "b' '", "[0]", "{0: 0}", "duration('1ns')",
        "timestamp('1970-01-01T00:00:00Z')", "timestamp('0001-01-01T00:00:00.000000001Z')",
        "quantity('0')", "semver('0.0.0')", "optional.none()", "int"}) {
    INFO(text);
    CHECK_FALSE(is_zero(Run(text).value));
  }
}

TEST_CASE("operators ask for traits that cel-go's types have") {
  const auto traits = [](std::string_view text) {
    std::string out;
    const Run run(text);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Trait::none); ++i) {
      out += has_trait(run.value, static_cast<Trait>(i)) ? "acdimMxnrzskl"[i] : '.';
    }
    return out;
  };
  CHECK(traits("1") == "acd..Mxn..s..");
  CHECK(traits("1u") == "acd..Mx...s..");
  CHECK(traits("1.0") == "acd...xn..s..");
  CHECK(traits("true") == ".c.....n.....");
  CHECK(traits("'a'") == "ac..m...rz...");
  CHECK(traits("b'a'") == "ac.......z...");
  CHECK(traits("[1]") == "a..i.....z.kl");
  CHECK(traits("{1: 1}") == "...i.....z.k.");
  CHECK(traits("duration('1s')") == "ac.....nr.s..");
  CHECK(traits("timestamp('2020-01-01T00:00:00Z')") == "ac......r.s..");
  CHECK(traits("semver('1.2.3')") == ".............");
  CHECK(has_trait(Value{}, Trait::none));
}

TEST_CASE("a size is in characters, bytes or elements; what has none counts as one") {
  const auto size = [](std::string_view text) {
    const Run run(text);
    bool sized = false;
    const std::uint64_t value = size_of(run.value, sized);
    return std::to_string(value) + (sized ? "" : " unsized");
  };
  CHECK(size("'héé'") == "3");
  CHECK(size("b'h\\xff\\x00'") == "3");
  CHECK(size("[1, 2] + [3]") == "3");
  CHECK(size("{'a': 1}") == "1");
  CHECK(size("device.attributes['d.io']") == "5");
  CHECK(size("ip('10.0.0.1')") == "4");
  CHECK(size("ip('::1')") == "16");
  CHECK(size("cidr('10.0.0.0/9')") == "2");
  CHECK(size("cidr('10.0.0.0/8')") == "1");
  CHECK(size("12345") == "1 unsized");
  CHECK(size("null") == "1 unsized");
  CHECK(actual_size(Value::of(std::string_view("ab"))) == 2);
}

TEST_CASE("doubles become integers only where these have room") {
  std::int64_t i = 0;
  std::uint64_t u = 0;
  CHECK(double_to_int(-9.9, i));
  CHECK(i == -9);
  CHECK_FALSE(double_to_int(9223372036854775808.0, i));
  CHECK_FALSE(double_to_int(-9223372036854775808.0, i));
  CHECK_FALSE(double_to_int(std::numeric_limits<double>::quiet_NaN(), i));
  CHECK(double_to_uint(9223372036854775808.0, u));
  CHECK(u == 9223372036854775808U);
  CHECK_FALSE(double_to_uint(18446744073709551616.0, u));
  CHECK_FALSE(double_to_uint(-1.0, u));
}

}  // namespace
}  // namespace dray::cel::values_test

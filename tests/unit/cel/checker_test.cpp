#include "cel/check/checker.h"

#include <string>

#include <catch2/catch.hpp>

#include "dray/cel/program.h"

namespace dray::cel::checker_test {
namespace {

/// The type of an expression, or the first line of what is wrong with it.
std::string type_of(std::string_view text, Environment::Kind kind = Environment::Kind::stored) {
  CompileOptions options;
  options.purpose = Purpose::any;
  options.environment.kind = kind;
  const auto program = compile(text, options);
  if (program) return (*program)->output_type();
  const std::string& message = program.error().message;
  const std::size_t start = message.find("ERROR: ");
  return message.substr(start, message.find('\n') - start);
}

struct Row {
  std::string text;
  std::string type;
};

TEST_CASE("types are inferred as cel-go infers them") {
  const auto row =
      GENERATE(Row{"[1, 2]", "list(int)"}, Row{"[]", "list(dyn)"},
               Row{"{'a': []}", "map(string, list(dyn))"}, Row{"device.attributes['d'].x", "dyn"},
               Row{"device.capacity['d'].?x.hasValue()", "bool"},
               Row{"{}.transformMap(x, y, x.lastIndexOf(''))", "map(string, int)"},
               Row{"true ? optional.of(1) : optional.none()", "optional_type(int)"},
               Row{"cel.bind(x, 1u, [x])", "list(uint)"}, Row{"type(1)", "type(int)"});
  INFO(row.text);
  CHECK(type_of(row.text) == row.type);
}

TEST_CASE("for new objects overloads may be tried in another order") {
  CHECK(type_of("{}.transformMap(x, y, x.lastIndexOf(''))", Environment::Kind::new_expressions) ==
        "map(list(string), int)");
}

TEST_CASE("objects of fields are refused by name") {
  CHECK(type_of("timestamp{seconds: 1}") ==
        "ERROR: <input>:1:10: making an object of type 'timestamp' is not supported");
  CHECK(type_of(".google.protobuf.Struct{}") ==
        "ERROR: <input>:1:24: making an object of type 'google.protobuf.Struct' is not supported");
  CHECK(type_of("google.protobuf.Nope{}") ==
        "ERROR: <input>:1:21: undeclared reference to 'google.protobuf.Nope' (in container '')");
  CHECK(type_of("int{}") == "ERROR: <input>:1:4: 'int' is not a message type");
}

}  // namespace
}  // namespace dray::cel::checker_test

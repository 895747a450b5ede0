#include "cel/check/declarations.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::declarations_test {
namespace {

std::string ids(const Function* function) {
  std::string text;
  for (const Overload& overload : function->overloads) {
    text += (text.empty() ? "" : " ") + std::string(overload.id);
  }
  return text;
}

TEST_CASE("the overloads of indexOf stand in another order for new objects") {
  CHECK(ids(find_function("indexOf")) ==
        "string_index_of_string string_index_of_string_int list_a_index_of_int");
  CHECK(ids(find_new_function("indexOf")) ==
        "list_a_index_of_int string_index_of_string string_index_of_string_int");
  CHECK(find_new_function("size") == find_function("size"));
}

TEST_CASE("types are read as cel-go prints them") {
  TypePool pool;
  const auto text =
      GENERATE(as<std::string>{}, "int", "list(string)", "map(string, list(int))",
               "optional_type(kubernetes.Quantity)", "kubernetes.authorization.Authorizer");
  CHECK(plain_text(read_type(pool, text)) == text);
}

TEST_CASE("what is not declared is not found") {
  CHECK(find_function("nope") == nullptr);
  CHECK(find_function("math.greatest") == nullptr);
  CHECK(find_type_name("kubernetes.Quantity") == nullptr);
  CHECK(find_type_name("net.IP") != nullptr);
}

}  // namespace
}  // namespace dray::cel::declarations_test

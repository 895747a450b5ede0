#include "wire/json/json_writer.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::wire::json_writer_test {
namespace {

template <class T>
std::string written(const T& value) {
  JsonWriter out;
  write(out, value);
  return std::move(out).take();
}

TEST_CASE("strings are escaped where JSON needs it") {
  CHECK(written(std::string("a\"b\\c\n\t\r\x01\x1f\x7f/é")) ==
        "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u001f\x7f/é\"");
}

TEST_CASE("numbers, booleans, lists and maps") {
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::vector<bool>{true, false}) == "[true,false]");
  CHECK(written(std::vector<std::string>{}) == "[]");
  CHECK(written(std::map<std::string, std::vector<std::int64_t>, std::less<>>{
            {"b", {1, 2}}, {"a", {}}}) == R"({"a":[],"b":[1,2]})");
}

TEST_CASE("commas stand between, never before or behind") {
  JsonWriter out;
  out.begin_list();
  out.begin_object();
  out.end_object();
  out.null();
  out.begin_list();
  out.end_list();
  out.object([](auto& io) {
    io.field("left_out", std::string());
    io.required("kept", std::string());
    io.object("inner", [](auto&) {});
    io.field("zero", std::int64_t{0});
  });
  out.end_list();
  const auto text = std::move(out).take();
  CHECK(text == R"([{},null,[],{"kept":"","inner":{}}])");
}

}  // namespace
}  // namespace dray::wire::json_writer_test

#include "alloc/view/attribute_values.h"

#include <catch2/catch.hpp>

#include "tests/unit/alloc/values.h"

namespace dray::attribute_values_test {

using namespace dray::testing;

TEST_CASE("equal numbers stand for the same type and value") {
  Values values;
  CHECK(values.text("1") == values.text("1"));
  CHECK(values.text("1") != values.text("2"));
  CHECK(values.text("1") != values.of(std::int64_t{1}));
  CHECK(values.of(std::int64_t{1}) != values.of(true));
  CHECK(values.text("1.0.0") != values.of(VersionText("1.0.0")));
  CHECK(values.of(std::nullopt) == 0);
  CHECK(values.list({"a", "b"}) == values.list({"b", "a", "a"}));
  CHECK(values.list({"a"}) != values.text("a"));
}

TEST_CASE("scalars are told from lists, errors and nothing") {
  Values values;
  CHECK(values.known.is_scalar(values.text("a")));
  CHECK_FALSE(values.known.is_scalar(values.list({"a"})));
  CHECK_FALSE(values.known.is_scalar(alloc::value_error));
  CHECK_FALSE(values.known.is_scalar(0));
}

TEST_CASE("a value's text, and what stands for unknown") {
  Values values;
  const auto& known = values.known;
  CHECK(known.text(values.of(std::int64_t{7})) == "7");
  CHECK(known.text(values.text("a")) == "a");
  CHECK_FALSE(known.text(0));
  CHECK(known.text(values.of(std::int64_t{-1})) == "-1");
  CHECK(known.stands_for_unknown(values.of(std::int64_t{-1})));
  CHECK(known.stands_for_unknown(values.text("")));
  CHECK_FALSE(known.stands_for_unknown(values.of(std::int64_t{0})));
  CHECK_FALSE(known.stands_for_unknown(values.text("-1")));
  CHECK_FALSE(known.stands_for_unknown(0));
}

TEST_CASE("values of one text have one number, whatever their types") {
  Values values;
  auto& known = values.known;
  const auto three = known.text_number(values.text("3"));
  CHECK(three != 0);
  CHECK(known.text_number(values.of(std::int64_t{3})) == three);
  CHECK(known.text_number(values.of(VersionText("1.2.3"))) ==
        known.text_number(values.text("1.2.3")));
  CHECK(known.text_number(values.text("4")) != three);
  CHECK(known.text_number(values.list({"3"})) == three);
  CHECK(known.text_number(values.list({"3", "4"})) == 0);
  CHECK(known.text_number(values.of(std::int64_t{-1})) == 0);
  CHECK(known.text_number(values.text("")) == 0);
  // A text, and no number that says nothing.
  CHECK(known.text_number(values.text("-1")) != 0);
  CHECK(known.text_number(0) == 0);
  CHECK(known.text_number(alloc::value_error) == 0);
}

TEST_CASE("an attribute is found by its full name, or bare in the driver's domain") {
  Values values;
  const auto lookup = [&](const char* attribute, Attributes attributes) {
    return values.known.published(values.known.column(attribute), "d.io",
                                  values.device(std::move(attributes)));
  };
  const auto a = values.text("a");
  CHECK(lookup("d.io/x", {{"x", std::string("a")}}) == a);
  CHECK(lookup("d.io/x", {{"d.io/x", std::string("a")}}) == a);
  CHECK(lookup("e.io/x", {{"x", std::string("a")}}) == 0);
  CHECK(lookup("e.io/x", {{"e.io/x", std::string("a")}}) == a);
  CHECK(lookup("d.io/y", {{"x", std::string("a")}}) == 0);
}

TEST_CASE("with too many answers those of the attributes that came first are read again") {
  Values values;
  const auto device = values.device({{"a", std::string("1")}, {"b", std::string("2")}});
  // An attribute costs a block of 64 answers, and what it says another.
  alloc::AttributeValues known(200);
  const auto ask = [&](const char* attribute) {
    return known.published(known.column(attribute), "d.io", device);
  };
  const auto a = ask("d.io/a");
  CHECK_FALSE(known.trim());
  CHECK(known.held() == 128);
  const auto b = ask("d.io/b");
  CHECK(known.held() == 256);
  CHECK_FALSE(known.trim());
  CHECK(known.held() == 128);
  CHECK(ask("d.io/b") == b);
  CHECK(known.held() == 128);
  CHECK(ask("d.io/a") == a);
  CHECK_FALSE(known.trim());
  CHECK(known.held() == 128);
  CHECK(ask("d.io/a") == a);
  CHECK(known.held() == 128);
}

}  // namespace dray::attribute_values_test

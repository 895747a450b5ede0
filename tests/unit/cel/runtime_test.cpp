#include "cel/value/runtime.h"

#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/value/values.h"

// What a run works on: the values that it makes and how it fails for good.

namespace dray::cel::runtime_test {
namespace {

Value number(std::int64_t value) {
  return Value::of(value);
}

TEST_CASE("the first reason to end a run is the one that is told") {
  Context context;
  const Value first = context.cancel("too dear");
  CHECK(first.error->cancelled);
  CHECK(error_text(*context.cancel("too large").error) == "too dear");
  CHECK(error_text(*context.panic("hash").error) == "too dear");
  CHECK(context.cancelled == first.error);
  context.clear();
  CHECK(context.cancelled == nullptr);
  CHECK(error_text(*context.panic("hash").error) == "internal error: hash");
}

TEST_CASE("an error ends nothing by itself") {
  Context context;
  const Value error = context.error("why");
  CHECK_FALSE(error.error->cancelled);
  CHECK(context.cancelled == nullptr);
  CHECK_FALSE(context.no_such_key(number(1)).error->cancelled);
  CHECK(context.cancelled == nullptr);
}

TEST_CASE("memory ends, and what is refused is not made") {
  Context context;
  CHECK(context.afford(Context::memory_limit));
  CHECK_FALSE(context.afford(Context::memory_limit + 1));
  CHECK(error_text(*context.cancelled) == "operation cancelled: memory limit exceeded");
  CHECK(context.string("a").is_error());
  CHECK(context.string("a", [](char c) { return c; }).is_error());
  CHECK(context.list({}).is_error());
  CHECK(context.map({}).is_error());
  CHECK(context.quantity(Quantity::parse("1").value(), false).is_error());
  CHECK(context.semver(*Semver::parse("1.0.0")).is_error());
  CHECK_FALSE(context.afford(0));
}

TEST_CASE("what was handed out counts until the run is over") {
  Context context;
  const std::string much(Context::memory_limit / 4 - 1024, 'x');
  for (int i = 0; i < 4; ++i) CHECK_FALSE(context.string(much).is_error());
  CHECK(context.bytes(much).is_error());
  context.clear();
  CHECK_FALSE(context.bytes(much).is_error());
}

TEST_CASE("texts are copied, and changed byte by byte") {
  Context context;
  std::string text("aB\0c", 4);
  const Value copied = context.string(text);
  const Value changed = context.string(text, [](char c) { return c == 'B' ? 'b' : c; });
  const Value bytes = context.bytes(text);
  text = "????";
  CHECK(copied.text() == std::string_view("aB\0c", 4));
  CHECK(changed.text() == std::string_view("ab\0c", 4));
  CHECK(bytes.is(Kind::bytes));
  CHECK(bytes.text() == copied.text());
}

TEST_CASE("of equal keys the last one counts, and each NaN is a key") {
  Context context;
  const double none = std::nan("");
  std::vector<MapEntry> entries{
      {number(2), number(20)},       {number(1), number(10)},      {number(2), number(21)},
      {Value::of(none), number(1)},  {Value::of(none), number(2)}, {number(2), number(22)},
      {Value::of(2.0), number(200)}, {Value::of(-0.0), number(3)}, {Value::of(0.0), number(4)}};
  const Value map = context.map(entries);
  REQUIRE(map.map->size == 6);
  CHECK(map.map->entries[0].value.int64 == 10);
  CHECK(map.map->entries[1].value.int64 == 22);
  CHECK(map_find(context, *map.map, Value::of(0.0)).value.int64 == 4);
  CHECK(map_find(context, *map.map, Value::of(2.0)).value.int64 == 200);
  CHECK_FALSE(map_find(context, *map.map, Value::of(none)).found);
}

TEST_CASE("lists are copied") {
  Context context;
  std::array<Value, 2> items{number(1), number(2)};
  const Value list = context.list(items);
  items[0] = number(9);
  CHECK(list.list->size == 2);
  CHECK(list.list->items[0].int64 == 1);
  CHECK(context.list({}).list->size == 0);
}

TEST_CASE("values know what they hold") {
  Context context;
  CHECK(context.optional(number(1)).optional->present);
  CHECK(context.optional(number(1)).optional->value.int64 == 1);
  CHECK_FALSE(Context::none().optional->present);
  CHECK(Context::duration(5).nanoseconds == 5);
  CHECK(Context::type(types::int64).type == &types::int64);
  const Value time = context.timestamp(1, 2, 3);
  CHECK(time.timestamp->seconds == 1);
  CHECK(time.timestamp->nanoseconds == 2);
  CHECK(time.timestamp->zone == 3);
  CHECK(context.quantity(Quantity::parse("1").value(), true).computed);
  CHECK_FALSE(context.quantity(Quantity::parse("1").value(), false).computed);
  CHECK(context.index_out_of_bounds(number(7)).error->argument.int64 == 7);
}

TEST_CASE("quantities and versions stay where they are while more are made") {
  Context context;
  const Value quantity = context.quantity(Quantity::parse("40Gi").value(), false);
  const Value version = context.semver(*Semver::parse("1.2.3"));
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(context.quantity(Quantity::parse("1").value(), false));
    static_cast<void>(context.semver(*Semver::parse("0.0.1")));
  }
  CHECK(go_text(quantity) == "40Gi");
  CHECK(go_text(version) == "1.2.3");
}

}  // namespace
}  // namespace dray::cel::runtime_test

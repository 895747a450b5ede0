#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/value/values.h"
#include "tests/unit/cel/answer.h"

// src/cel/value/values_containers.cpp: lists and maps in all their forms.

namespace dray::cel::values_containers_test {
namespace {

Value number(std::int64_t value) {
  return Value::of(value);
}

Value text(std::string_view value) {
  return Value::of(value);
}

Value numbers(Context& context, std::vector<std::int64_t> values) {
  std::vector<Value> items;
  for (const std::int64_t value : values) items.push_back(number(value));
  return context.list(items);
}

std::string shown(Context& context, const Value& list) {
  std::string out;
  for (std::uint32_t i = 0; i < list.list->size; ++i) {
    out += go_text(list_at(context, *list.list, i)) + " ";
  }
  return out;
}

TEST_CASE("lists that are added are read as one, and stay as they were") {
  Context context;
  const Value a = numbers(context, {1, 2});
  const Value b = numbers(context, {3});
  const Value ab = list_add(context, a, b);
  const Value all = list_add(context, list_add(context, b, ab), ab);
  CHECK(shown(context, ab) == "1 2 3 ");
  CHECK(shown(context, all) == "3 1 2 3 1 2 3 ");
  CHECK(shown(context, a) == "1 2 ");
  const Value nothing = numbers(context, {});
  CHECK(list_add(context, nothing, a).list == a.list);
  CHECK(list_add(context, a, nothing).list == a.list);
  CHECK(error_text(*list_add(context, a, number(1)).error) == "no such overload");
}

TEST_CASE("an accumulator grows in place, and not what was made of it") {
  Context context;
  const Value growing = context.growing_list();
  for (std::int64_t i = 0; i < 100; ++i) {
    CHECK(list_add(context, growing, numbers(context, {i})).list == growing.list);
  }
  const Value kept = frozen(context, growing);
  CHECK(kept.list->form == ListValue::Form::plain);
  static_cast<void>(list_add(context, growing, numbers(context, {100, 101})));
  CHECK(growing.list->size == 102);
  CHECK(kept.list->size == 100);
  CHECK(list_at(context, *growing.list, 101).int64 == 101);
  CHECK(list_at(context, *kept.list, 99).int64 == 99);
  const Value joined = list_add(context, kept, numbers(context, {7}));
  CHECK(kept.list->size == 100);
  CHECK(list_at(context, *joined.list, 100).int64 == 7);
}

struct Index {
  std::string name;
  Value index;
  std::string want;
};

TEST_CASE("list.Get takes whole numbers of any type, within the list") {
  Context context;
  const Value list = numbers(context, {10, 20});
  const std::vector<Index> rows{
      {"first", number(0), "10"},
      {"last", number(1), "20"},
      {"beyond", number(2), "index '2' out of range in list size '2'"},
      {"before", number(-1), "index '-1' out of range in list size '2'"},
      {"uint", Value::of(std::uint64_t{1}), "20"},
      {"uint beyond int", Value::of(std::numeric_limits<std::uint64_t>::max()),
       "unsupported index value 18446744073709551615 in list"},
      {"whole double", Value::of(1.0), "20"},
      {"double", Value::of(0.5), "unsupported index value 0.5 in list"},
      {"string", text("0"), "unsupported index type 'string' in list"},
      {"error", context.error("why"), "why"}};
  for (const Index& row : rows) {
    INFO(row.name);
    CHECK(go_text(list_get(context, list, row.index)) == row.want);
  }
}

TEST_CASE("a list contains what is equal, whatever cannot be compared before") {
  Context context;
  const std::array<Value, 3> items{text("a"), context.semver(*Semver::parse("1.2.3")), number(5)};
  const Value list = context.list(items);
  CHECK(list_contains(context, list, Value::of(5.0)).is_true());
  CHECK(list_contains(context, list, text("b")).is_false());
  CHECK(list_contains(context, list, context.semver(*Semver::parse("1.2.3"))).is_true());
}

struct Key {
  std::string name;
  Value key;
  std::string want;
};

TEST_CASE("a map is asked by value: a number is the same key as each type that has it") {
  Context context;
  std::vector<MapEntry> entries{{number(1), text("int")},
                                {number(-1), text("below")},
                                {Value::of(std::uint64_t{2}), text("uint")},
                                {Value::of(2.5), text("double")},
                                {text("1"), text("string")},
                                {Value::of(true), text("bool")}};
  const Value map = context.map(entries);
  const std::vector<Key> rows{{"int", number(1), "int"},
                              {"uint for int", Value::of(std::uint64_t{1}), "int"},
                              {"double for int", Value::of(1.0), "int"},
                              {"negative double for int", Value::of(-1.0), "below"},
                              {"int for uint", number(2), "uint"},
                              {"double for uint", Value::of(2.0), "uint"},
                              {"double", Value::of(2.5), "double"},
                              {"nearly", Value::of(1.5), ""},
                              {"no number", Value::of(std::nan("")), ""},
                              {"string", text("1"), "string"},
                              {"bool", Value::of(true), "bool"},
                              {"another bool", Value::of(false), ""},
                              {"uint beyond int", Value::of(~std::uint64_t{0}), ""},
                              {"null", Value{}, ""}};
  for (const Key& row : rows) {
    INFO(row.name);
    const Found found = map_find(context, *map.map, row.key);
    CHECK(found.found == !row.want.empty());
    if (found.found) CHECK(found.value.text() == row.want);
  }
  CHECK(context.cancelled == nullptr);
}

TEST_CASE("a key that Go cannot hash is a panic, but not in an empty map") {
  Context context;
  const Value bytes = Value::of("a", Kind::bytes);
  CHECK_FALSE(map_find(context, *context.map({}).map, bytes).found);
  CHECK(context.cancelled == nullptr);
  std::vector<MapEntry> one{{number(1), number(1)}};
  const Value map = context.map(one);
  CHECK(map_find(context, *map.map, bytes).value.is_error());
  CHECK(context.cancelled != nullptr);
}

TEST_CASE("a growing map finds what is in it, sorted or not, and takes no key twice") {
  Context context;
  Value map = context.growing_map();
  for (std::int64_t i = 0; i < 1000; ++i) {
    map = map_insert(context, map, number((i * 7919) % 1000), number(i));
    REQUIRE_FALSE(map.is_error());
  }
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Found found = map_find(context, *map.map, number((i * 7919) % 1000));
    REQUIRE(found.found);
    REQUIRE(found.value.int64 == i);
  }
  CHECK(error_text(*map_insert(context, map, number(5), number(0)).error) ==
        "insert failed: key 5 already exists");
  CHECK(error_text(*map_insert(context, map, Value::of(5.0), number(0)).error) ==
        "insert failed: key 5 already exists");
  CHECK(map.map->size == 1000);
  const Value kept = frozen(context, map);
  CHECK(kept.map->form == MapValue::Form::plain);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    REQUIRE(map_at(context, *kept.map, i).key.int64 == static_cast<std::int64_t>(i));
  }
}

TEST_CASE("the device is a map of maps, in the order of names") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Context context;
  context.device = shape.get();
  const Value device = device_value(context);
  const auto step = [&](const Value& map, std::string_view key) {
    const Found found = map_find(context, *map.map, text(key));
    REQUIRE(found.found);
    return found.value;
  };
  CHECK(step(device, "driver").text() == "d.io");
  CHECK(step(device, "allowMultipleAllocations").is_false());
  CHECK_FALSE(map_find(context, *device.map, text("nope")).found);
  CHECK_FALSE(map_find(context, *device.map, number(1)).found);
  const Value attributes = step(device, "attributes");
  CHECK(attributes.map->size == 2);
  CHECK(step(device, "capacity").map->size == 1);
  CHECK(map_at(context, *attributes.map, 0).key.text() == "d.io");
  CHECK(map_at(context, *attributes.map, 1).key.text() == "other.io");
  CHECK(go_text(map_at(context, *attributes.map, 1).value) == "{model: whale}");
  const Value names = step(attributes, "d.io");
  CHECK(names.map->size == 5);
  CHECK(map_at(context, *names.map, 0).key.text() == "healthy");
  CHECK(map_at(context, *names.map, 4).key.text() == "version");
  CHECK(step(names, "model").text() == "fish");
  CHECK_FALSE(map_find(context, *names.map, text("memory")).found);
  CHECK_FALSE(map_find(context, *names.map, number(0)).found);
  CHECK(go_text(step(step(device, "capacity"), "d.io")) == "{memory: 40Gi}");
}

TEST_CASE("a domain that is not there is an empty map, whatever it is asked by") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Context context;
  context.device = shape.get();
  const Value attributes = map_find(context, *device_value(context).map, text("attributes")).value;
  const Found missing = map_find(context, *attributes.map, text("nobody.io"));
  REQUIRE(missing.found);
  CHECK(missing.value.map->size == 0);
  CHECK_FALSE(map_find(context, *missing.value.map, text("model")).found);
  CHECK(map_find(context, *attributes.map, number(1)).value.map == missing.value.map);
}

TEST_CASE("an attribute's list is another one each time it is looked up") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  const int column = shape->names().find(Half::attribute, "d.io", "lanes");
  Context context;
  const Value lanes = shape->at(column).value;
  const Value looked_up = column_value(context, lanes);
  CHECK(looked_up.list != lanes.list);
  CHECK(shown(context, looked_up) == "1 2 3 ");
  CHECK(column_value(context, number(1)).int64 == 1);
}

}  // namespace
}  // namespace dray::cel::values_containers_test

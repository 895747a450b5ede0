#include "cel/value/type.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::cel::type_test {
namespace {

TEST_CASE("types are the same by kind, name and parameters") {
  TypePool pool;
  const Type& ints = pool.list(types::int64);
  CHECK(same_type(ints, pool.list(types::int64)));
  CHECK_FALSE(same_type(ints, pool.list(types::uint64)));
  CHECK_FALSE(same_type(ints, types::list_of_dyn));
  CHECK_FALSE(same_type(pool.list(ints), pool.list(pool.list(types::uint64))));
  CHECK(same_type(pool.map(types::string, ints), pool.map(types::string, ints)));
  CHECK_FALSE(same_type(pool.map(types::string, ints), pool.map(ints, types::string)));
  CHECK_FALSE(same_type(types::quantity, types::semver));
  CHECK_FALSE(same_type(types::dyn, types::any));
  CHECK_FALSE(same_type(pool.opaque("a", {}), pool.opaque("a", {&types::int64})));
  CHECK_FALSE(same_type(pool.object("a"), pool.opaque("a", {})));
  CHECK(same_type(pool.object("kubernetes.Semver"), types::semver));
}

struct Row {
  std::string name;
  const Type* to;
  const Type* from;
  bool fits;
};

TEST_CASE("dyn and parameters take all, also inside; nothing else takes dyn") {
  TypePool pool;
  const Type& strings = pool.list(types::string);
  const Type& dyn_to_int = pool.map(types::dyn, types::int64);
  const std::vector<Row> rows{
      Row{"dyn", &types::dyn, &types::string, true},
      Row{"any", &types::any, &strings, true},
      Row{"a parameter", &pool.parameter("T"), &strings, true},
      Row{"no dyn", &types::string, &types::dyn, false},
      Row{"a list of dyn", &types::list_of_dyn, &strings, true},
      Row{"no list of dyn", &strings, &types::list_of_dyn, false},
      Row{"another kind", &types::list_of_dyn, &types::map_of_dyn, false},
      Row{"each parameter", &dyn_to_int, &pool.map(types::string, types::int64), true},
      Row{"not the second", &dyn_to_int, &pool.map(types::string, types::string), false},
      Row{"another object", &types::quantity, &types::semver, false},
      Row{"an optional", &types::optional_of_dyn, &pool.optional(types::int64), true},
      Row{"more parameters", &pool.opaque("a", {}), &pool.opaque("a", {&types::int64}), false}};
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(assignable_type(*row.to, *row.from) == row.fits);
  }
}

struct Text {
  const Type* type;
  std::string checker;
  std::string plain;
};

TEST_CASE("a type prints one way in the checker's messages and another as the output type") {
  TypePool pool;
  const std::vector<Text> rows{
      Text{&types::int64, "int", "int"},
      Text{&types::float64, "double", "double"},
      Text{&types::any, "any", "google.protobuf.Any"},
      Text{&types::null, "null", "null_type"},
      Text{&types::duration, "duration", "google.protobuf.Duration"},
      Text{&types::timestamp, "timestamp", "google.protobuf.Timestamp"},
      Text{&types::error, "!error!", "error"},
      Text{&types::quantity, "kubernetes.Quantity", "kubernetes.Quantity"},
      Text{&types::list_of_dyn, "list(dyn)", "list(dyn)"},
      Text{&pool.map(types::null, pool.list(types::any)), "map(null, list(any))",
           "map(null_type, list(google.protobuf.Any))"},
      Text{&pool.optional(types::duration), "optional_type(duration)",
           "optional_type(google.protobuf.Duration)"},
      Text{&pool.type_of(types::timestamp), "type(timestamp)", "type(google.protobuf.Timestamp)"},
      Text{&pool.parameter("A"), "A", "<A>"},
      Text{&pool.list(pool.variable(7)), "list(_var7)", "list(<_var7>)"}};
  for (const Text& row : rows) {
    CHECK(checker_text(*row.type) == row.checker);
    CHECK(plain_text(*row.type) == row.plain);
  }
}

TEST_CASE("a signature has a member's target before the dot") {
  const std::vector<const Type*> arguments{&types::string, &types::int64, &types::null};
  CHECK(signature_text(arguments, false) == "(string, int, null)");
  CHECK(signature_text(arguments, true) == "string.(int, null)");
  CHECK(signature_text(std::vector<const Type*>{&types::dyn}, true) == "dyn.()");
  CHECK(signature_text({}, false) == "()");
}

TEST_CASE("types of a pool stay where they are and know what they are") {
  TypePool pool;
  const Type& first = pool.variable(0);
  for (int i = 1; i < 1000; ++i) CHECK(pool.variable(i).variable() == i);
  CHECK(first.variable() == 0);
  CHECK(first.name() == "_var0");
  CHECK(first.kind() == TypeKind::param);
  CHECK(pool.parameter("A").variable() == -1);
  CHECK(pool.optional(first).is_optional());
  CHECK_FALSE(pool.opaque("net.IP", {}).is_optional());
  CHECK(types::any.is_dyn());
  CHECK(types::dyn.is_dyn());
  CHECK_FALSE(types::error.is_dyn());
  CHECK(pool.object("x").kind() == TypeKind::object);
}

}  // namespace
}  // namespace dray::cel::type_test

#include <string>

#include <catch2/catch.hpp>

#include "cel/check/checker.h"

// src/cel/check/device_types.cpp: what `device` is in Kubernetes' two environments, by feature
// gate.

namespace dray::cel::device_types_test {
namespace {

struct Row {
  std::string name;
  Environment::Kind kind;
  bool consumable_capacity;
  bool list_type_attributes;
  std::string attributes;
  bool allow_multiple;
  bool includes;
};

TEST_CASE("gates count for new expressions only") {
  using enum Environment::Kind;
  const std::string dyn = "map(string, map(string, dyn))";
  const std::string any = "map(string, map(string, google.protobuf.Any))";
  const auto row = GENERATE_COPY(
      Row{"stored", stored, true, false, dyn, true, true},
      Row{"stored without gates", stored, false, false, dyn, true, true},
      Row{"new, as 1.37 has them", new_expressions, true, false, any, true, false},
      Row{"new without sharing", new_expressions, false, false, any, false, false},
      Row{"new with lists", new_expressions, true, true, dyn, true, true},
      Row{"new with lists, without sharing", new_expressions, false, true, dyn, false, true});
  DYNAMIC_SECTION(row.name) {
    Environment environment;
    environment.kind = row.kind;
    environment.consumable_capacity = row.consumable_capacity;
    environment.list_type_attributes = row.list_type_attributes;
    const DeviceTypes& types = device_types(environment);
    CHECK(plain_text(*types.attributes) == row.attributes);
    CHECK(types.attributes->params()[1] == types.inner);
    CHECK(types.inner->params()[1] == types.attribute);
    CHECK(plain_text(*types.capacities) == "map(string, map(string, kubernetes.Quantity))");
    CHECK(types.allow_multiple == row.allow_multiple);
    CHECK(types.includes == row.includes);
  }
}

}  // namespace
}  // namespace dray::cel::device_types_test

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "wire/policy/policy_shape.h"

namespace dray::wire::policy_schema_test {

TEST_CASE("the schema file is what the codec's table says") {
  std::ifstream in("config/policy.schema.json");
  REQUIRE(in);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text == policy_schema());
}

}  // namespace dray::wire::policy_schema_test

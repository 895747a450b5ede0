#include "app/common/object_list.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"
#include "wire/object/object_codec.h"

namespace dray::app::object_list_test {
namespace {

using namespace dray::testing;

TEST_CASE("a list is read as what was written") {
  const std::vector<KubeObject> objects{make_pod("a", "c"), make_claim("c", 2)};
  const auto read = wire::decode_list(object_list(objects));
  REQUIRE(read);
  CHECK(read->items == objects);
}

TEST_CASE("a list of nothing is one, too") {
  const auto read = wire::decode_list(object_list({}));
  REQUIRE(read);
  CHECK(read->items.empty());
}

}  // namespace
}  // namespace dray::app::object_list_test

#include "dray/model/meta.h"

#include <catch2/catch.hpp>

namespace dray::meta_test {
namespace {

TEST_CASE("versions are older by number, not by text") {
  CHECK(is_older(ResourceVersion("9"), ResourceVersion("10")));
  CHECK_FALSE(is_older(ResourceVersion("10"), ResourceVersion("9")));
  CHECK_FALSE(is_older(ResourceVersion("10"), ResourceVersion("10")));
  CHECK(is_older(ResourceVersion(), ResourceVersion("1")));
  CHECK_FALSE(is_older(ResourceVersion("1"), ResourceVersion()));
  CHECK_FALSE(is_older(ResourceVersion(), ResourceVersion("what")));
}

}  // namespace
}  // namespace dray::meta_test

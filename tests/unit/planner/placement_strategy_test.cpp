#include "planner/place/placement_strategy.h"

#include <catch2/catch.hpp>

namespace dray::planner::placement_strategy_test {

using policy::PlacementStrategy;

TEST_CASE("pack wants the node with the least free, whatever its size") {
  CHECK(placement_score(PlacementStrategy::pack, 1, 8) >
        placement_score(PlacementStrategy::pack, 2, 2));
  CHECK(placement_reason(PlacementStrategy::pack) == "the fullest with room");
  CHECK(joins_shared_devices(PlacementStrategy::pack));
  CHECK_FALSE(share_placement(PlacementStrategy::pack));
}

TEST_CASE("spread wants the node with the largest part free") {
  CHECK(placement_score(PlacementStrategy::spread, 2, 2) >
        placement_score(PlacementStrategy::spread, 4, 8));
  CHECK(placement_score(PlacementStrategy::spread, 0, 0) ==
        placement_score(PlacementStrategy::spread, 0, 8));
  CHECK(placement_reason(PlacementStrategy::spread) == "the emptiest with room");
  CHECK_FALSE(joins_shared_devices(PlacementStrategy::spread));
  CHECK(share_placement(PlacementStrategy::spread) == alloc::SharePlacement::spread);
}

}  // namespace dray::planner::placement_strategy_test

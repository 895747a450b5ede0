#include "planner/place/placement_strategy.h"

#include <utility>

namespace dray::planner {

using policy::PlacementStrategy;

double placement_score(PlacementStrategy strategy, double free, double capacity) {
  switch (strategy) {
    case PlacementStrategy::pack:
      return -free;
    case PlacementStrategy::spread:
      return capacity > 0 ? free / capacity : 0;
  }
  std::unreachable();
}

std::string_view placement_reason(PlacementStrategy strategy) {
  switch (strategy) {
    case PlacementStrategy::pack:
      return "the fullest with room";
    case PlacementStrategy::spread:
      return "the emptiest with room";
  }
  std::unreachable();
}

bool joins_shared_devices(PlacementStrategy strategy) {
  switch (strategy) {
    case PlacementStrategy::pack:
      return true;
    case PlacementStrategy::spread:
      return false;
  }
  std::unreachable();
}

std::optional<alloc::SharePlacement> share_placement(PlacementStrategy strategy) {
  switch (strategy) {
    case PlacementStrategy::pack:
      return std::nullopt;
    case PlacementStrategy::spread:
      return alloc::SharePlacement::spread;
  }
  std::unreachable();
}

}  // namespace dray::planner

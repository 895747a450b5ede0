#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "planner/place/chunk_bounds.h"
#include "planner/place/devices.h"
#include "planner/place/fit.h"

namespace dray::planner {

/// Devices of members on one node, and what each member takes with them.
struct MemberChoice {
  ChosenDevices devices;
  std::vector<Kept<PodDemand>::Value> takes;

  /// What the queue has more with all of `tasks`, which are the members.
  [[nodiscard]] policy::Amounts on_top(std::span<const Task* const> tasks) const;
};

/// Why there is no such choice.
struct NoMemberChoice {
  Reason reason = Reason::none;
  std::optional<policy::CapacityRefusal> over;  ///< there are devices, but not within the bounds
};

/// Chooses devices for members that these may take: those that the allocator prefers, or else, of
/// what there is, the first that is within the bounds of the chunk.
class MemberDevices {
 public:
  MemberDevices(JobTable& jobs, Devices& devices, Overlay& overlay, Fit& fit)
      : jobs_(jobs), devices_(devices), overlay_(overlay), fit_(fit) {}

  [[nodiscard]] std::expected<MemberChoice, NoMemberChoice> choose(
      std::span<const Task* const> tasks, cluster::NodeIndex node, Room room,
      const ChunkBounds& bounds);

 private:
  /// A refusal for one member, in the state that `stamp` names: with no more left it holds again.
  struct Refused {
    std::uint64_t stamp = 0;
    policy::Amounts left;
    policy::CapacityRefusal refusal;
  };
  using Key = std::tuple<std::uint32_t, cluster::NodeIndex, Room>;

  [[nodiscard]] MemberChoice with_takes(std::span<const Task* const> tasks, ChosenDevices chosen);
  [[nodiscard]] std::optional<MemberChoice> choose_within(std::span<const Task* const> tasks,
                                                          cluster::NodeIndex node, Room room,
                                                          policy::Amounts most);

  JobTable& jobs_;
  Devices& devices_;
  Overlay& overlay_;
  Fit& fit_;
  std::map<Key, Refused> refused_;  ///< by shape, node and room
};

}  // namespace dray::planner

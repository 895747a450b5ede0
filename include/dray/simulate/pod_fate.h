#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/model/ids.h"
#include "dray/model/object.h"
#include "dray/model/reason.h"
#include "dray/planner/plan.h"
#include "dray/policy/config.h"

namespace dray::simulate {

/// What a plan makes of a cluster as it stands.
struct Decided {
  planner::PlanInput input;
  planner::Plan plan;
};

/// A plan for these objects under the policy (null: none is in force), made as the service would
/// make it but, if `budget` is not given, without its budgets: all that would follow in a row of
/// plans at once. An Error says why that policy cannot be used with them.
[[nodiscard]] Result<Decided> decide_at_once(
    const std::vector<KubeObject>& objects, std::shared_ptr<const policy::PolicyConfig> config,
    const engine::Options& options, Time now,
    const planner::PlanBudget& budget = planner::PlanBudget::unbounded());

/// What a row of plans makes of it.
struct DecidedInPlans {
  Decided decided;  ///< the first plan's input, and what all plans together decided
  std::size_t plans = 0;
  /// How many of them each budget ended.
  std::map<planner::BudgetKind, std::size_t> ended_by;
};

/// The same with the policy's budgets, in as many plans as the service would make until they change
/// nothing (engine::plans_in_a_row); evicted pods do not leave meanwhile.
[[nodiscard]] Result<DecidedInPlans> decide_in_plans(
    const std::vector<KubeObject>& objects, std::shared_ptr<const policy::PolicyConfig> config,
    const engine::Options& options, Time now);

/// What becomes of a pod by a plan.
enum class Fate : std::uint8_t { runs, starts, gets_room, waits, moves, evicted };

/// The same with where, and why.
struct PodFate {
  Fate fate = Fate::waits;
  Reason reason = Reason::none;
  std::string node;
  std::vector<DeviceId> devices;  ///< of what the plan places
  std::string why;                ///< for people
  std::shared_ptr<const planner::Job> job;
};
using Fates = std::map<Uid, PodFate>;

/// Of every pod that waits or runs.
[[nodiscard]] Fates fates_of(const Decided& decided);

}  // namespace dray::simulate

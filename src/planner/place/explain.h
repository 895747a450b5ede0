#pragma once

#include <string>

#include "planner/place/gangs.h"

namespace dray::planner {

/// Why a member found no node: the Reason that got furthest; and for people the number that
/// decides, and where.
struct Refusal {
  Reason reason = Reason::no_node_fits;
  std::string detail;
};

/// Asks every node once more why it did not do; Reason::planning where the budget ended the search.
[[nodiscard]] Refusal explain(const NoRoom& failure, Fit& fit, const Overlay& overlay);

}  // namespace dray::planner

#pragma once

#include <string>
#include <vector>

#include "dray/planner/job_watch.h"
#include "planner/place/gangs.h"

namespace dray::planner {

/// Why a member found no node: the Reason that got furthest; and for people the number that
/// decides, and where.
struct Refusal {
  Reason reason = Reason::no_node_fits;
  std::string detail;
  std::string devices;  ///< of detail: what devices lack
};

/// Asks every node once more why it did not do; Reason::planning where the budget ended the search.
[[nodiscard]] Refusal explain(const NoRoom& failure, Fit& fit, const Overlay& overlay);

/// The nodes that refuse the member, those alike together; in the order of their first names.
[[nodiscard]] std::vector<NodesAlike> nodes_alike(const NoRoom& failure, Fit& fit,
                                                  const Overlay& overlay);

}  // namespace dray::planner

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dashboard/history.h"
#include "dashboard/picture.h"
#include "dashboard/viewer.h"

namespace dray::dashboard {

// The screens of the dashboard as JSON, each from one picture. Names of namespaces that the viewer
// does not see are counted instead, and other tenants' queues go by their places; lists are bounded
// by pages.

/// A part of a list.
struct Page {
  std::size_t from = 0;
  std::size_t limit = 0;
  std::string text = {};  ///< only what has it in its name
};

/// The replicas of dray, as this one sees them.
struct Replicas {
  std::string leader;                 ///< who holds the Lease; empty: nobody
  std::vector<std::string> standbys;  ///< who could take over at once
  std::string trouble;                ///< why there may be more of them; empty: there are not
};

/// What concerns the whole service, beside the engine.
struct Standing {
  std::string version;
  std::string mode;
  std::string broken;   ///< which invariant broke; empty: none
  std::string trouble;  ///< of the watch; empty: none
  std::string port;     ///< why the extender's port is not open; empty: it is
  std::string policy;   ///< why the policy file as it is now is not in force; empty: it is
  std::vector<std::string> policy_warnings = {};  ///< what it names and the cluster lacks
  std::string gates;  ///< how the API server's feature gates differ; empty: they do not
  std::uint64_t policy_generation = 0;  ///< policy files put in force since the start
  std::int32_t epoch = 0;               ///< of the Lease that this replica holds; 0: it holds none
  std::optional<Replicas> replicas = {};  ///< absent: there is no Lease
};

/// The same for whom not everything is shown: that something is wrong, without the texts, which
/// name what is others'.
[[nodiscard]] Standing without_names(Standing standing);

[[nodiscard]] std::string overview_json(const Picture& picture, const Standing& standing,
                                        const Viewer& viewer);
/// The nodes with a letter for each device: `.` free, `!` free and tainted, `%` free and blocked by
/// partitions in use, `a` to `y` held by the queue of that place in `queues`, `z` by a later one,
/// `-` by nobody of dray's; a capital where only a share of the device is held.
[[nodiscard]] std::string nodes_json(const Picture& picture, const Page& page,
                                     const Viewer& viewer);
/// One node: NUMA nodes, PCIe roots, devices, and who has them. Empty: there is no such node.
[[nodiscard]] std::string node_json(const Picture& picture, std::string_view node,
                                    const Viewer& viewer);
[[nodiscard]] std::string queues_json(const Picture& picture, const Viewer& viewer);
[[nodiscard]] std::string history_json(const Picture& picture, const History::Curves& curves,
                                       const std::string& resource, const Viewer& viewer);
/// Jobs that wait, by Reason; with `reason` a page of those that wait for it.
[[nodiscard]] std::string waiting_json(const Picture& picture, std::string_view reason,
                                       const Page& page, const Viewer& viewer);
/// Claims with their devices and pods.
[[nodiscard]] std::string ledger_json(const Picture& picture, const Page& page,
                                      const Viewer& viewer);
[[nodiscard]] std::string policy_json(const Picture& picture, const Standing& standing);

}  // namespace dray::dashboard

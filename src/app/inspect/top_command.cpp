#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/common/command.h"
#include "app/common/policy_file.h"
#include "app/inspect/cluster_view.h"
#include "app/inspect/device_state.h"
#include "dashboard/device_owners.h"
#include "metrics/device_figures.h"

namespace dray::app {
namespace {

/// Devices of one driver on one node.
struct NodeCounts {
  std::size_t in_use = 0;
  std::size_t shared = 0;
  std::size_t free = 0;
  std::size_t tainted = 0;
  std::size_t blocked = 0;

  [[nodiscard]] std::size_t all() const { return in_use + shared + free + tainted + blocked; }
  [[nodiscard]] double busy() const {
    return static_cast<double>(in_use + shared) / static_cast<double>(all());
  }
};

std::string percent(std::size_t part, std::size_t all) {
  return all == 0
             ? std::string()
             : fmt::format("{:.0f}", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::vector<Column> count_columns() {
  return {{.title = "USED", .key = "inUse", .number = true},
          {.title = "SHARED", .key = "shared", .number = true},
          {.title = "FREE", .key = "free", .number = true},
          {.title = "TAINTED", .key = "tainted", .number = true},
          {.title = "BLOCKED", .key = "blocked", .number = true},
          {.title = "ALL", .key = "all", .number = true},
          {.title = "BUSY%", .key = "busyPercent", .number = true}};
}

template <class Counts>
std::vector<std::string> count_cells(const Counts& counts) {
  return {std::to_string(counts.in_use),
          std::to_string(counts.shared),
          std::to_string(counts.free),
          std::to_string(counts.tainted),
          std::to_string(counts.blocked),
          std::to_string(counts.all()),
          percent(counts.in_use + counts.shared, counts.all())};
}

/// By node and driver, the busiest first.
Listing top_nodes(const ClusterView& view) {
  Listing listing{
      .kind = "node",
      .columns = {{.title = "NODE", .key = "node"}, {.title = "DRIVER", .key = "driver"}},
      .rows = {}};
  std::ranges::move(count_columns(), std::back_inserter(listing.columns));
  std::map<std::pair<std::string, std::string>, NodeCounts> all;
  for_each_device(*view.snapshot,
                  [&](const std::string& node, const dashboard::NodeDevice& device) {
                    if (node.empty()) return;
                    auto& counts = all[{node, device.id.driver.get()}];
                    switch (state_of(device)) {
                      case DeviceState::in_use:
                        ++counts.in_use;
                        break;
                      case DeviceState::shared:
                        ++counts.shared;
                        break;
                      case DeviceState::free:
                        ++counts.free;
                        break;
                      case DeviceState::tainted:
                        ++counts.tainted;
                        break;
                      case DeviceState::blocked:
                        ++counts.blocked;
                        break;
                    }
                  });
  std::vector<std::pair<std::pair<std::string, std::string>, NodeCounts>> rows(all.begin(),
                                                                               all.end());
  std::ranges::stable_sort(rows, std::greater<>(),
                           [](const auto& row) { return row.second.busy(); });
  for (const auto& [key, counts] : rows) {
    auto& row = listing.rows.emplace_back(std::vector{key.first, key.second});
    std::ranges::move(count_cells(counts), std::back_inserter(row));
  }
  return listing;
}

Listing top_drivers(const ClusterView& view) {
  Listing listing{.kind = "driver", .columns = {{.title = "DRIVER", .key = "driver"}}, .rows = {}};
  std::ranges::move(count_columns(), std::back_inserter(listing.columns));
  listing.columns.push_back(
      {.title = "LEFT OVER", .key = "freeOnUsedNodes", .number = true, .wide = true});
  listing.columns.push_back(
      {.title = "MOST ON ONE NODE", .key = "mostFreeOnOneNode", .number = true, .wide = true});
  for (const auto& [driver, figures] : metrics::count_devices(*view.snapshot)) {
    auto& row = listing.rows.emplace_back(std::vector{driver.get()});
    std::ranges::move(count_cells(figures), std::back_inserter(row));
    row.push_back(std::to_string(figures.free_on_used_nodes));
    row.push_back(std::to_string(figures.most_free_on_one_node));
  }
  return listing;
}

/// What a job has.
struct JobUse {
  std::size_t devices = 0;
  std::set<std::string> nodes;
  std::size_t pods = 0;
};

/// Those with the most devices first.
Listing top_jobs(const ClusterView& view) {
  Listing listing{
      .kind = "job",
      .columns = {{.title = "JOB", .key = "job"},
                  {.title = "QUEUE", .key = "queue"},
                  {.title = "DEVICES", .key = "devices", .number = true},
                  {.title = "PODS", .key = "pods", .number = true},
                  {.title = "NODES", .key = "nodes", .number = true},
                  {.title = "PRIORITY", .key = "priority", .number = true, .wide = true}},
      .rows = {}};
  const dashboard::DeviceOwners owners(*view.snapshot, view.jobs);
  std::map<const planner::Job*, std::size_t> devices;
  for (const auto& held : owners.claims()) {
    const auto* job = held.allocation ? owners.job_of(*held.claim) : nullptr;
    if (job != nullptr) devices[job] += held.allocation->devices.size();
  }
  std::vector<std::pair<std::size_t, std::vector<std::string>>> rows;
  for (const auto& row : view.jobs) {
    JobUse use;
    for (const auto& member : row.job->members) {
      if (!planner::has_room(member.state)) continue;
      ++use.pods;
      if (member.node) use.nodes.insert(member.node->get());
    }
    if (use.pods == 0) continue;
    const auto own = devices.find(row.job.get());
    use.devices = own == devices.end() ? 0 : own->second;
    rows.push_back({use.devices,
                    {row.job->name, row.job->queue.get(), std::to_string(use.devices),
                     std::to_string(use.pods), std::to_string(use.nodes.size()),
                     std::to_string(row.job->priority)}});
  }
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (auto& row : rows) listing.rows.push_back(std::move(row.second));
  return listing;
}

/// Who uses the devices.
class TopCommand : public Command {
 public:
  explicit TopCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "top", "Show what uses the devices: nodes and drivers by load, or jobs by what they hold");
    command->add_option("of", of_, "What is listed")
        ->check(CLI::IsMember({"nodes", "drivers", "jobs"}))
        ->capture_default_str();
    add_view_flags(*command, flags_);
  }

  Result<int> run() override {
    const auto view = load_view(flags_, "top");
    if (!view) return std::unexpected(view.error());
    const auto listing = of_ == "nodes"     ? top_nodes(*view)
                         : of_ == "drivers" ? top_drivers(*view)
                                            : top_jobs(*view);
    std::fputs(listing_text(listing, flags_.output).c_str(), stdout);
    return done;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, flags_.policy);
  }

 private:
  std::string of_ = "nodes";
  ViewFlags flags_;
};

}  // namespace

std::unique_ptr<Command> add_top(CLI::App& app) {
  return std::make_unique<TopCommand>(app);
}

}  // namespace dray::app

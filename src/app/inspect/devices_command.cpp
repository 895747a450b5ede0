#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
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
#include "dray/base/suggest.h"

namespace dray::app {
namespace {

using dashboard::NodeDevice;

/// The names on one line, each once.
class NameList {
 public:
  void add(std::string name) {
    if (!name.empty() && seen_.insert(name).second) all_.push_back(std::move(name));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(all_, ",")); }

 private:
  std::vector<std::string> all_;
  std::set<std::string> seen_;
};

std::string taints_text(const NodeDevice& device) {
  NameList taints;
  for (const auto* taint : device.taints) {
    taints.add(taint->value.empty()
                   ? fmt::format("{}:{}", taint->key, taint->effect)
                   : fmt::format("{}={}:{}", taint->key, taint->value, taint->effect));
  }
  return taints.text();
}

/// Devices with who has them.
class DevicesCommand : public Command {
 public:
  explicit DevicesCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "devices", "List devices: free or in use, by which claim, pod and queue");
    command->add_option("names", names_, "These devices only: NAME, POOL/NAME or DRIVER/POOL/NAME");
    command->add_option("--node", nodes_, "Of this node only (may be repeated)")
        ->allow_extra_args(false);
    command->add_option("--driver", drivers_, "Of this driver only (may be repeated)")
        ->allow_extra_args(false);
    command->add_option("--state", states_, "Only those that stand so (may be repeated)")
        ->check(CLI::IsMember({"free", "in-use", "shared", "tainted", "blocked"}))
        ->allow_extra_args(false);
    add_view_flags(*command, flags_);
  }

  Result<int> run() override {
    const auto view = load_view(flags_, "devices");
    if (!view) return std::unexpected(view.error());
    if (auto known = check_filters(*view->snapshot); !known) {
      return std::unexpected(std::move(known.error()));
    }
    const auto listing = list(*view);
    if (!names_.empty() && listing.rows.empty()) {
      return fail(ErrorCode::not_found,
                  fmt::format("no device goes by {}", fmt::join(names_, " or ")));
    }
    std::fputs(listing_text(listing, flags_.output).c_str(), stdout);
    return done;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, flags_.policy);
  }

 private:
  /// A node or a driver that there is not lists nothing, which would say that it has no device.
  [[nodiscard]] Result<void> check_filters(const cluster::Snapshot& snapshot) const {
    std::vector<std::string> nodes;
    for (const auto node : snapshot.nodes_by_name()) nodes.push_back(snapshot.name(node).get());
    std::set<std::string> drivers;
    snapshot.for_each_pool([&](const cluster::Pool& pool) { drivers.insert(pool.driver.get()); });
    for (const auto& node : nodes_) {
      if (std::ranges::find(nodes, node) != nodes.end()) continue;
      return fail(ErrorCode::not_found, fmt::format("--node: the cluster has no node {}{}", node,
                                                    suggest_near(node, nodes)));
    }
    for (const auto& driver : drivers_) {
      if (drivers.contains(driver)) continue;
      const std::vector<std::string> known(drivers.begin(), drivers.end());
      return fail(ErrorCode::not_found, fmt::format("--driver: no slice is of driver {}{}", driver,
                                                    suggest(driver, known)));
    }
    return {};
  }

  [[nodiscard]] bool is_asked_for(const std::string& node, const NodeDevice& device) const {
    const auto has = [](const std::vector<std::string>& wanted, std::string_view value) {
      return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
    };
    const auto id = device.id.to_string();
    const bool named = names_.empty() || std::ranges::any_of(names_, [&](const auto& name) {
                         return id == name || id.ends_with("/" + name);
                       });
    return named && has(nodes_, node) && has(drivers_, device.id.driver.get()) &&
           has(states_, word(state_of(device)));
  }

  [[nodiscard]] Listing list(const ClusterView& view) const {
    Listing listing{.kind = "device",
                    .columns = {{.title = "DEVICE", .key = "device"},
                                {.title = "NODE", .key = "node"},
                                {.title = "STATE", .key = "state"},
                                {.title = "CLAIM", .key = "claim"},
                                {.title = "POD", .key = "pod"},
                                {.title = "QUEUE", .key = "queue"},
                                {.title = "PRODUCT", .key = "product", .wide = true},
                                {.title = "NUMA", .key = "numaNode", .wide = true},
                                {.title = "PCIE ROOT", .key = "pcieRoot", .wide = true},
                                {.title = "TAINTS", .key = "taints", .wide = true}},
                    .rows = {}};
    const dashboard::DeviceOwners owners(*view.snapshot, view.jobs);
    for_each_device(*view.snapshot, [&](const std::string& node, const NodeDevice& device) {
      if (!is_asked_for(node, device)) return;
      NameList claims;
      NameList pods;
      NameList queues;
      for (const auto& holder : owners.of(device.id)) {
        claims.add(holder.claim->key().to_string());
        for (const auto& user : holder.claim->reserved_for) {
          pods.add(holder.claim->meta.namespace_name + "/" + user.name);
        }
        const auto* job = owners.job_of(*holder.claim);
        if (job != nullptr) queues.add(job->queue.get());
      }
      listing.rows.push_back({device.id.to_string(), node, std::string(word(state_of(device))),
                              claims.text(), pods.text(), queues.text(),
                              dashboard::product_of(device), dashboard::numa_node_of(device),
                              dashboard::pcie_root_of(device), taints_text(device)});
    });
    return listing;
  }

  std::vector<std::string> names_;
  std::vector<std::string> nodes_;
  std::vector<std::string> drivers_;
  std::vector<std::string> states_;
  ViewFlags flags_;
};

}  // namespace

std::unique_ptr<Command> add_devices(CLI::App& app) {
  return std::make_unique<DevicesCommand>(app);
}

}  // namespace dray::app

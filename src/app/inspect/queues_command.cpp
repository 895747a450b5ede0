#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "app/common/command.h"
#include "app/common/policy_file.h"
#include "app/inspect/cluster_view.h"
#include "dashboard/picture.h"
#include "dray/base/suggest.h"
#include "dray/policy/amounts.h"

namespace dray::app {
namespace {

struct QueueJobs {
  std::size_t waiting = 0;
  std::size_t running = 0;
};

/// Of each queue and of those above it.
std::map<policy::QueueName, QueueJobs> jobs_of_queues(const ClusterView& view) {
  std::map<policy::QueueName, QueueJobs> all;
  const auto& tree = view.policy->queues;
  for (const auto& row : view.jobs) {
    const auto waiting = dashboard::waiting_members(*row.job);
    const auto place = tree.find(row.job->queue.get());
    const auto* queue = place ? &tree[*place] : nullptr;
    for (; queue != nullptr; queue = tree.parent_of(*queue)) {
      auto& jobs = all[queue->name];
      if (waiting > 0) ++jobs.waiting;
      if (waiting < row.job->members.size()) ++jobs.running;
    }
  }
  return all;
}

/// Empty: no bound.
std::string bound_text(double amount, policy::ResourceUnit unit) {
  return amount == policy::unlimited ? std::string() : policy::humanize(amount, unit);
}

/// A queue and what is below it, the queues above first; with its depth.
void walk(const policy::QueueTree& tree, policy::QueueIndex index,
          std::vector<const policy::Queue*>& order) {
  order.push_back(&tree[index]);
  for (const auto child : tree[index].children) walk(tree, child, order);
}

std::vector<const policy::Queue*> in_order(const policy::QueueTree& tree) {
  std::vector<const policy::Queue*> order;
  for (const auto top : tree.tops()) walk(tree, top, order);
  for (const auto& queue : tree.queues()) {
    if (queue.orphan) order.push_back(&queue);
  }
  return order;
}

/// The queues with what they hold, may hold and want.
class QueuesCommand : public Command {
 public:
  explicit QueuesCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "queues", "List queues: what they are owed, may hold now, hold and want; who waits");
    command->add_option("names", names_, "These queues only");
    add_view_flags(*command, flags_);
  }

  Result<int> run() override {
    const auto view = load_view(flags_, "queues");
    if (!view) return std::unexpected(view.error());
    const auto listing = list(*view);
    if (!listing) return std::unexpected(listing.error());
    std::fputs(listing_text(*listing, flags_.output).c_str(), stdout);
    return done;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, flags_.policy);
  }

 private:
  [[nodiscard]] Result<Listing> list(const ClusterView& view) const {
    Listing listing{
        .kind = "queue",
        .columns = {{.title = "QUEUE", .key = "queue"},
                    {.title = "RESOURCE", .key = "resource"},
                    {.title = "QUOTA", .key = "quota", .number = true},
                    {.title = "FAIR SHARE", .key = "fairShare", .number = true},
                    {.title = "USED", .key = "used", .number = true},
                    {.title = "WANTS", .key = "wants", .number = true},
                    {.title = "WAITING", .key = "waiting", .number = true},
                    {.title = "RUNNING", .key = "running", .number = true},
                    {.title = "LIMIT", .key = "limit", .number = true, .wide = true},
                    {.title = "PARENT", .key = "parent", .wide = true},
                    {.title = "PRIORITY", .key = "priority", .number = true, .wide = true}},
        .rows = {}};
    std::set<std::string> missing(names_.begin(), names_.end());
    const auto jobs = jobs_of_queues(view);
    std::vector<std::string> known;
    for (const auto* queue : in_order(view.policy->queues)) {
      const auto& name = queue->name.get();
      known.push_back(name);
      if (!names_.empty() && std::ranges::find(names_, name) == names_.end()) continue;
      missing.erase(name);
      const auto own = jobs.find(queue->name);
      add_rows(listing, view, *queue, own == jobs.end() ? QueueJobs() : own->second);
    }
    if (!missing.empty()) {
      return fail(ErrorCode::not_found,
                  "there is no queue " + *missing.begin() + suggest(*missing.begin(), known));
    }
    return listing;
  }

  /// A row for each resource that the policy counts; without any, one.
  static void add_rows(Listing& listing, const ClusterView& view, const policy::Queue& queue,
                       const QueueJobs& jobs) {
    const auto& resources = view.policy->counting.resources();
    const auto report = std::ranges::find(view.queues, queue.name, &planner::QueueReport::queue);
    for (std::size_t i = 0; i < std::max<std::size_t>(resources.size(), 1); ++i) {
      const bool counted = i < resources.size();
      const auto amount = [&](const policy::Amounts& amounts) {
        return counted && i < amounts.size() ? bound_text(amounts[i], resources[i].unit) : "";
      };
      const bool has_report = report != view.queues.end();
      listing.rows.push_back(
          {queue.name.get(), counted ? resources[i].name : "", amount(queue.quota),
           has_report ? amount(report->fair_share) : "",
           has_report ? amount(report->allocated) : "", has_report ? amount(report->requested) : "",
           std::to_string(jobs.waiting), std::to_string(jobs.running), amount(queue.limit),
           queue.parent ? queue.parent->get() : "", std::to_string(queue.priority)});
    }
  }

  std::vector<std::string> names_;
  ViewFlags flags_;
};

}  // namespace

std::unique_ptr<Command> add_queues(CLI::App& app) {
  return std::make_unique<QueuesCommand>(app);
}

}  // namespace dray::app

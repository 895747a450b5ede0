#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/exit_status.h"
#include "app/common/output.h"
#include "app/common/policy_file.h"
#include "app/policy/config_changes.h"
#include "app/policy/full_shares.h"
#include "app/policy/policy_commands.h"
#include "report/text_table.h"
#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

/// A queue's share of a resource by both; absent: the queue or the resource is not in it.
struct ShareChange {
  std::optional<double> was;
  std::optional<double> would;
  double total = 0;
};
using ShareChanges = std::map<std::pair<std::string, std::string>, ShareChange>;

std::string share_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

std::string shares_text(const ShareChanges& shares) {
  std::vector<std::vector<std::string>> rows{{"QUEUE", "RESOURCE", "SHARE", "WOULD BE", "OF"}};
  for (const auto& [key, share] : shares) {
    rows.push_back({key.first, key.second, share_text(share.was), share_text(share.would),
                    share_text(share.total)});
  }
  return "\nWhere every queue asks for all that there is:\n" + report::text_table(rows);
}

std::string json_of(const std::vector<ConfigChange>& changes, const ShareChanges& shares) {
  wire::JsonWriter out;
  const auto text = [&](const char* key, const std::string& value) {
    out.key(key);
    out.string(value);
  };
  const auto amount = [&](const char* key, const std::optional<double>& value) {
    out.key(key);
    value ? out.raw(share_text(value)) : out.null();
  };
  out.begin_object();
  out.key("changes");
  out.begin_list();
  for (const auto& change : changes) {
    out.begin_object();
    text("subject", change.subject);
    text("what", change.what);
    text("was", change.was);
    text("would", change.would);
    out.end_object();
  }
  out.end_list();
  out.key("shares");
  out.begin_list();
  for (const auto& [key, share] : shares) {
    out.begin_object();
    text("queue", key.first);
    text("resource", key.second);
    amount("was", share.was);
    amount("would", share.would);
    amount("total", share.total);
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return std::move(out).take() + "\n";
}

class PolicyDiffCommand : public Command {
 public:
  explicit PolicyDiffCommand(CLI::App& policy) {
    auto* diff = policy.add_subcommand(
        "diff", "Say in words and numbers what one policy file says otherwise than another");
    diff->add_option("old", old_, "The policy file in force")->required();
    diff->add_option("new", new_, "The other one")->required();
    add_cluster_source(*diff, source_);
    add_output(*diff, output_);
    diff->footer(
        "With a cluster (-f, --cluster, --kubeconfig or --context) also what each queue may hold "
        "of it.\nExit status: 0 they say the same, 1 they do not, 2 to 4 an error (docs/cli.md).");
  }

  Result<int> run() override {
    const auto was = load_policy(old_);
    if (!was) return refuse_policy("policy", was.error());
    const auto would = load_policy(new_);
    if (!would) return refuse_policy("policy", would.error());
    const auto changes = changes_between(*was, *would);
    ShareChanges shares;
    if (!source_.files.empty() || !source_.cluster.empty() || !source_.kubeconfig.empty() ||
        !source_.context.empty()) {
      const auto objects = load_objects(source_);
      if (!objects) return std::unexpected(objects.error());
      print_warnings("policy", objects->warnings);
      for (const auto& [config, side] :
           {std::pair{&*was, &ShareChange::was}, std::pair{&*would, &ShareChange::would}}) {
        const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        const auto full = full_shares(objects->objects, *config, now);
        if (!full) return std::unexpected(full.error());
        for (const auto& share : *full) {
          auto& change = shares[{share.queue, share.resource}];
          change.*side = share.share;
          change.total = share.total;
        }
      }
    }
    print(changes, shares);
    return changes.empty() ? exit_status::ok : exit_status::finding;
  }

 private:
  void print(const std::vector<ConfigChange>& changes, const ShareChanges& shares) const {
    std::string text;
    if (is_data(output_)) {
      text = data_text(json_of(changes, shares), output_);
    } else {
      for (const auto& change : changes) text += change.to_string() + "\n";
      if (changes.empty()) text = "Both say the same.\n";
      if (!shares.empty()) text += shares_text(shares);
    }
    std::fputs(text.c_str(), stdout);
  }

  std::string old_;
  std::string new_;
  std::string output_ = "table";
  ClusterSource source_;
};

}  // namespace

std::unique_ptr<Command> add_policy_diff(CLI::App& policy) {
  return std::make_unique<PolicyDiffCommand>(policy);
}

}  // namespace dray::app

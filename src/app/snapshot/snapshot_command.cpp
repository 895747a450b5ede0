#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/object_list.h"
#include "app/snapshot/redact.h"

namespace dray::app {
namespace {

/// Writes a cluster as a List, one object a line.
class SnapshotCommand : public Command {
 public:
  explicit SnapshotCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "snapshot", "Write what dray reads of a cluster, for -f and --cluster of other commands");
    command->add_flag("--redact", redact_,
                      "Replace names of namespaces, pods, claims, groups and labels; the same name "
                      "by the same word everywhere");
    add_cluster_source(*command, source_);
    command->footer(
        "The output is a List in JSON: dray snapshot > cluster.json. Queues, nodes and devices "
        "keep their names.");
  }

  Result<int> run() override {
    auto objects = load_objects(source_);
    if (!objects) return std::unexpected(std::move(objects.error()));
    print_warnings("snapshot", objects->warnings);
    if (redact_) redact(objects->objects);
    std::fputs(object_list(objects->objects).c_str(), stdout);
    if (std::fflush(stdout) != 0) return fail(ErrorCode::invalid, "the output was not taken");
    return done;
  }

 private:
  bool redact_ = false;
  ClusterSource source_;
};

}  // namespace

std::unique_ptr<Command> add_snapshot(CLI::App& app) {
  return std::make_unique<SnapshotCommand>(app);
}

}  // namespace dray::app

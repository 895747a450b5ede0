#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "app/common/command.h"
#include "app/common/listing.h"
#include "app/serve/limits.h"

namespace dray::app {
namespace {

/// What --limit of `dray serve` sets.
class LimitsCommand : public Command {
 public:
  explicit LimitsCommand(CLI::App& app) {
    auto* command = app.add_subcommand("limits", "List the limits that dray serve --limit sets");
    add_listing_output(*command, output_);
    command->footer("dray serve --limit extender.body=32Mi --limit api.requests=64");
  }

  Result<int> run() override {
    Listing listing{.kind = "limit",
                    .columns = {{.title = "NAME", .key = "name"},
                                {.title = "DEFAULT", .key = "default"},
                                {.title = "LEAST", .key = "least"},
                                {.title = "MOST", .key = "most"},
                                {.title = "WHAT", .key = "what"}},
                    .rows = {}};
    for (const auto& limit : all_limits()) {
      listing.rows.push_back({std::string(limit.name), limit_text(limit.unit, limit.standard()),
                              limit_text(limit.unit, limit.least),
                              limit_text(limit.unit, limit.most), std::string(limit.what)});
    }
    std::fputs(listing_text(listing, output_).c_str(), stdout);
    return done;
  }

 private:
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> add_limits(CLI::App& app) {
  return std::make_unique<LimitsCommand>(app);
}

}  // namespace dray::app

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "app/common/cluster_source.h"
#include "app/common/colour.h"
#include "app/common/command.h"
#include "app/common/output.h"
#include "app/common/progress.h"
#include "app/match/match_hints.h"
#include "app/match/match_report.h"

namespace dray::app {
namespace {

class MatchCommand : public Command {
 public:
  explicit MatchCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "match", "Show which devices a CEL selector accepts, and what decided on the others");
    command->add_option("expression", expression_, "The selector; may be left out with --class");
    command->add_option("--class", class_, "Only what the selectors of this DeviceClass accept");
    command->add_option("--explain", explain_,
                        "The value of every sub-expression on this device (name, pool/name or "
                        "driver/pool/name)");
    add_output(*command, output_, {"wide", "name"});
    command->get_option("--output")
        ->description("wide: a line for each device; name: those that match");
    add_cluster_source(*command, source_);
    command->footer(
        "Exit status: 0 some device matches, 1 none does, 2 or 3 an error (docs/cli.md).");
  }

  Result<int> run() override {
    if (expression_.empty() && class_.empty()) {
      return fail(ErrorCode::invalid, "no selector: give an expression, or --class");
    }
    constexpr std::array kinds{Kind::resource_slice, Kind::device_class};
    Progress reading("match: reads devices");
    const auto objects = load_objects(source_, kinds);
    reading.end();
    if (!objects) return std::unexpected(objects.error());
    print_warnings("match", objects->warnings);
    auto selectors = selectors_for(objects->objects, class_, expression_);
    if (!selectors) {
      auto error = std::move(selectors.error());
      if (const auto hint = compile_hint(error.message); !hint.empty()) {
        error.message += "\n" + hint;
      }
      return std::unexpected(std::move(error));
    }
    cel::Interner interner;
    const auto devices = offered_devices(objects->objects, interner);
    if (!explain_.empty()) return explain(devices, *selectors);
    const auto matches = ask(devices, *selectors);
    show(matches);
    const bool some = std::ranges::any_of(
        matches, [](const auto& one) { return one.verdict == cel::Verdict::yes; });
    return some ? done : no;
  }

 private:
  static std::vector<DeviceMatch> ask(const std::vector<OfferedDevice>& devices,
                                      std::vector<NamedSelector>& selectors) {
    Progress progress("match: asks devices", devices.size());
    return match_devices(devices, selectors, [&] { progress.next(); });
  }

  Result<int> explain(const std::vector<OfferedDevice>& devices,
                      std::vector<NamedSelector>& selectors) const {
    const auto device = find_device(devices, explain_);
    if (!device) return std::unexpected(device.error());
    if (is_data(output_)) {
      print(data_text(explain_json(**device, selectors), output_));
    } else {
      print(explain_table(**device, selectors));
    }
    const std::vector<OfferedDevice> one{**device};
    return match_devices(one, selectors).front().verdict == cel::Verdict::yes ? done : no;
  }

  void show(const std::vector<DeviceMatch>& matches) const {
    if (is_data(output_)) return print(data_text(match_json(matches), output_));
    if (output_ == "name") return print(match_names(matches));
    print(output_ == "wide" ? match_rows(matches) : match_table(matches, colours_output()));
    for (const auto& hint : key_hints(matches)) fmt::print(stderr, "dray match: {}\n", hint);
  }

  static void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

  std::string expression_;
  std::string class_;
  std::string explain_;
  std::string output_ = "table";
  ClusterSource source_;
};

}  // namespace

std::unique_ptr<Command> add_match(CLI::App& app) {
  return std::make_unique<MatchCommand>(app);
}

}  // namespace dray::app

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "app/common/policy_file.h"
#include "app/policy/policy_commands.h"
#include "wire/policy/policy_format.h"

namespace dray::app {
namespace {

Result<void> overwrite(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return fail(ErrorCode::invalid, path + ": cannot be written");
  return {};
}

class PolicyFmt : public Command {
 public:
  explicit PolicyFmt(CLI::App& policy) {
    auto* format = policy.add_subcommand(
        "fmt", "Print policy files in their canonical order and form; comments stay");
    format->add_option("files", files_, "Policy files; - for the standard input")->required();
    auto* write =
        format->add_flag("-w,--write", write_, "Change the files; name those that change");
    format->add_flag("--check", check_, "Print nothing but the names of files that would change")
        ->excludes(write);
    format->footer(
        "Exit status: 0 done, 1 with --check where a file would change, 4 a file is no policy.");
  }

  Result<int> run() override {
    int status = exit_status::ok;
    for (const auto& path : files_) {
      const auto text = read_file(path);
      if (!text) return std::unexpected(text.error());
      const auto formatted = wire::format_policy(*text);
      if (!formatted) return refuse_policy("policy", Error(formatted.error()).within(path));
      if (!write_ && !check_) {
        std::fputs(formatted->c_str(), stdout);
        continue;
      }
      if (*formatted == *text) continue;
      fmt::print("{}\n", path);
      if (check_) {
        status = exit_status::finding;
      } else if (path == "-") {
        return fail(ErrorCode::invalid, "-w: the standard input cannot be written");
      } else if (auto written = overwrite(path, *formatted); !written) {
        return std::unexpected(written.error());
      }
    }
    return status;
  }

 private:
  std::vector<std::string> files_;
  bool write_ = false;
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> add_policy_fmt(CLI::App& policy) {
  return std::make_unique<PolicyFmt>(policy);
}

}  // namespace dray::app

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/files.h"
#include "app/common/policy_file.h"
#include "app/convert/converter.h"

namespace dray::app {
namespace {

class ConvertCommand : public Command {
 public:
  explicit ConvertCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "convert",
        "Put ResourceClaims in place of extended resources (nvidia.com/gpu, and HAMi's and "
        "gpushare's parts of a GPU) in the pod templates of manifests of any kind");
    command
        ->add_option("-f,--filename", files_,
                     "Manifests (YAML or JSON; - for the standard input), or folders of them; "
                     "repeatable")
        ->allow_extra_args(false)
        ->required();
    command
        ->add_option("--class", classes_,
                     "RESOURCE=DEVICECLASS: what stands behind a resource, before what the cluster "
                     "says; repeatable")
        ->allow_extra_args(false);
    auto* cluster = command
                        ->add_option("--cluster", source_.cluster,
                                     "Manifests, or a folder of them: DeviceClasses, and the "
                                     "ResourceSlices of which parts are asked for")
                        ->allow_extra_args(false);
    command->add_option("--kubeconfig", source_.kubeconfig, "The same from a live cluster")
        ->excludes(cluster);
    command->add_option("--context", source_.context, "Of the kubeconfig")->excludes(cluster);
    command->add_option("--policy", policy_,
                        "A policy file: its `fractions` say what a part of a device is");
    command->add_option("--scheduler", scheduler_,
                        "schedulerName of the pods that are changed; without it as it was");
    command->add_flag("-w,--write", write_,
                      "Change the files, in which comments are lost; name those that change");
    command->footer(
        "Exit status: 0 done, 1 some pods stay as they were (why is on the standard error), 2 to "
        "4 an error (docs/cli.md).");
  }

  Result<int> run() override {
    auto rules = read_rules();
    if (!rules) {
      return policy_failed_ ? refuse_policy("convert", rules.error())
                            : Result<int>(std::unexpected(rules.error()));
    }
    const auto paths = manifest_files(files_);
    if (!paths) return std::unexpected(paths.error());
    Converter converter(*std::move(rules));
    bool all = true;
    bool first = true;
    // All is read and converted before anything is written.
    std::vector<std::pair<std::string, std::string>> changed;
    for (const auto& path : *paths) {
      auto templates = read_templates(path);
      if (!templates) return std::unexpected(templates.error());
      const auto became = converter.convert(*templates, path);
      tell(became.done, "");
      tell(became.left, "not converted: ");
      all = all && became.left.empty();
      if (write_) {
        if (!became.done.empty()) changed.emplace_back(path, templates->yaml());
        continue;
      }
      const auto text = templates->yaml();
      if (!text.empty()) fmt::print("{}{}", std::exchange(first, false) ? "" : "---\n", text);
    }
    if (auto written = write_all(changed); !written) return std::unexpected(written.error());
    return all ? done : no;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, policy_);
  }

 private:
  Result<ConvertRules> read_rules() {
    ConvertRules rules;
    rules.scheduler = scheduler_;
    for (const auto& text : classes_) {
      const auto at = text.find('=');
      if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        return fail(ErrorCode::invalid, fmt::format("--class {}: give RESOURCE=DEVICECLASS, as "
                                                    "nvidia.com/gpu=gpu.nvidia.com",
                                                    text));
      }
      rules.classes.insert_or_assign(text.substr(0, at), ClassName(text.substr(at + 1)));
    }
    if (!policy_.empty()) {
      auto policy = load_policy(policy_);
      policy_failed_ = !policy;
      if (!policy) return std::unexpected(std::move(policy.error()));
      rules.fractions = std::move(policy->fractions);
    }
    std::vector<KubeObject> objects;
    if (!source_.cluster.empty() || !source_.kubeconfig.empty() || !source_.context.empty()) {
      constexpr std::array kinds{Kind::resource_slice, Kind::device_class};
      auto loaded = load_objects(source_, kinds);
      if (!loaded) return std::unexpected(std::move(loaded.error()));
      print_warnings("convert", loaded->warnings);
      objects = std::move(loaded->objects);
    }
    rules.cluster = snapshot_of(objects);
    return rules;
  }

  [[nodiscard]] Result<wire::PodTemplates> read_templates(const std::string& path) const {
    if (write_ && (path == "-" || path.ends_with(".json"))) {
      return fail(ErrorCode::invalid, path +
                                          ": -w writes YAML files; without it the result goes "
                                          "to the standard output");
    }
    const auto text = read_file(path);
    if (!text) return std::unexpected(text.error());
    return wire::PodTemplates::read(*text, path);
  }

  static Result<void> write_all(const std::vector<std::pair<std::string, std::string>>& changed) {
    for (const auto& [path, text] : changed) {
      if (!replace_file(path, text)) {
        return fail(ErrorCode::invalid, path + ": cannot be written; it is as it was");
      }
      fmt::print("{}\n", path);
    }
    return {};
  }

  /// Wholly or not at all; a link goes on pointing to it.
  static bool replace_file(const std::string& path, const std::string& text) {
    std::error_code wrong;
    const auto target = std::filesystem::canonical(path, wrong);
    if (wrong) return false;
    auto beside = target;
    beside += ".converted";
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    const auto mode = std::filesystem::status(target, wrong).permissions();
    if (out && !wrong) std::filesystem::permissions(beside, mode, wrong);
    if (out && !wrong) std::filesystem::rename(beside, target, wrong);
    if (out && !wrong) return true;
    std::filesystem::remove(beside, wrong);
    return false;
  }

  static void tell(const std::vector<std::string>& lines, std::string_view before) {
    for (const auto& line : lines) fmt::print(stderr, "dray convert: {}{}\n", before, line);
  }

  std::vector<std::string> files_;
  std::vector<std::string> classes_;
  ClusterSource source_;
  std::string policy_;
  std::string scheduler_;
  bool write_ = false;
  bool policy_failed_ = false;
};

}  // namespace

std::unique_ptr<Command> add_convert(CLI::App& app) {
  return std::make_unique<ConvertCommand>(app);
}

}  // namespace dray::app

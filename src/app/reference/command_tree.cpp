#include "app/reference/command_tree.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace dray::app {
namespace {

/// `TEXT:{best,first-fit}`: the words between the braces.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const auto open = type.find('{');
  const auto close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  auto rest = type.substr(open + 1, close - open - 1);
  for (;;) {
    const auto comma = rest.find(',');
    const auto word = rest.substr(0, comma);
    // Of words that stand for values, the word alone.
    choices.push_back(word.substr(0, word.find("->")));
    if (comma == std::string::npos) return choices;
    rest.erase(0, comma + 1);
  }
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption made;
  for (const auto& name : option.get_lnames()) made.names.push_back("--" + name);
  for (const auto& name : option.get_snames()) made.names.push_back("-" + name);
  const auto type = option.get_type_name();
  made.choices = choices_of(type);
  if (made.names.empty()) {
    made.value = option.get_name(true);
  } else if (option.get_items_expected_max() > 0) {
    made.value = type.substr(0, type.find_first_of(": {"));
    if (made.value.empty()) made.value = "VALUE";
  }
  made.description = option.get_description();
  made.absent = option.get_default_str();
  made.required = option.get_required();
  return made;
}

CommandTree tree_below(const CLI::App& app, std::vector<std::string> path) {
  CommandTree tree;
  // The top is called by its plain name, however it was started.
  path.push_back(path.empty() ? "dray" : app.get_name());
  tree.path = path;
  tree.description = app.get_description();
  tree.footer = app.get_footer();
  for (const auto* option : app.get_options()) tree.options.push_back(option_of(*option));
  for (const auto* below : app.get_subcommands({})) {
    tree.commands.push_back(tree_below(*below, path));
  }
  return tree;
}

void collect_commands(const CommandTree& tree, std::vector<const CommandTree*>& all) {
  all.push_back(&tree);
  for (const auto& below : tree.commands) collect_commands(below, all);
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  return tree_below(app, {});
}

std::vector<const CommandTree*> all_commands(const CommandTree& tree) {
  std::vector<const CommandTree*> all;
  collect_commands(tree, all);
  return all;
}

}  // namespace dray::app

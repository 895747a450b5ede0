#include "app/reference/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace dray::app {
namespace {

/// `policy test`; empty at the top.
std::string below_top(const CommandTree& tree) {
  return fmt::format("{}", fmt::join(std::span(tree.path).subspan(1), " "));
}

/// In single quotes, as any shell takes it.
std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

/// What a description says on one line of a menu.
std::string in_short(const std::string& description) {
  constexpr std::size_t most = 72;
  auto text = description.substr(0, description.find('\n'));
  return text.size() <= most ? text : text.substr(0, text.rfind(' ', most)) + " ...";
}

/// Commands, flags, and the words of positional arguments.
std::vector<std::string> words_after(const CommandTree& tree) {
  std::vector<std::string> words;
  words.reserve(tree.commands.size());
  for (const auto& below : tree.commands) words.push_back(below.name());
  for (const auto& option : tree.options) {
    const auto& more = option.names.empty() ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

/// The branches of a shell's `case` on the command's path, and on path and flag. Both bash and zsh
/// read them.
std::string branches(const CommandTree& tree) {
  std::string text;
  for (const auto* command : all_commands(tree)) {
    text += fmt::format("    {}) offer={} ;;\n", quoted(below_top(*command)),
                        quoted(fmt::format("{}", fmt::join(words_after(*command), " "))));
  }
  return text;
}

std::string value_branches(const CommandTree& tree) {
  std::string text;
  for (const auto* command : all_commands(tree)) {
    for (const auto& option : command->options) {
      if (option.names.empty() || option.value.empty()) continue;
      std::vector<std::string> patterns;
      patterns.reserve(option.names.size());
      for (const auto& name : option.names) {
        patterns.push_back(quoted(below_top(*command) + " " + name));
      }
      text += fmt::format("    {}) takes=1 offer={} ;;\n", fmt::join(patterns, "|"),
                          quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    }
  }
  return text;
}

/// A pattern of all paths, by which the words before the cursor are followed down the tree.
std::string paths_pattern(const CommandTree& tree) {
  std::vector<std::string> paths;
  for (const auto* command : all_commands(tree)) {
    if (command->path.size() > 1) paths.push_back(quoted(below_top(*command)));
  }
  return fmt::format("{}", fmt::join(paths, "|"));
}

constexpr std::string_view bash_script =
    R"(# bash completion of {name}: source <({name} completion bash)
_dray() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" path="" next word offer="" takes=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    next="${{path:+$path }}$word"
    case "$next" in
    {paths}) path="$next" ;;
    esac
  done
  case "$path $prev" in
{values}  esac
  if [[ -z $takes ]]; then
    case "$path" in
{commands}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$cur")
  if [[ ${{#COMPREPLY[@]}} -eq 0 && $cur != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -o filenames -F _dray {name} kubectl-dray
)";

constexpr std::string_view zsh_script = R"(#compdef {name} kubectl-dray
# zsh completion of {name}: source <({name} completion zsh), or this as _{name} in a folder of $fpath
_dray() {{
  local cur_path="" next="" word="" offer="" takes="" prev="${{words[CURRENT-1]}}"
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    next="${{cur_path:+$cur_path }}$word"
    case "$next" in
    {paths}) cur_path="$next" ;;
    esac
  done
  case "$cur_path $prev" in
{values}  esac
  if [[ -z $takes ]]; then
    case "$cur_path" in
{commands}    esac
  fi
  if [[ -n $offer ]]; then
    compadd -- ${{=offer}}
    [[ -z $takes && ${{words[CURRENT]}} != -* ]] && _files
  else
    _files
  fi
}}
if [[ $funcstack[1] == _dray ]]; then
  _dray "$@"
else
  compdef _dray {name} kubectl-dray
fi
)";

/// When fish offers what follows a command.
std::string fish_condition(const CommandTree& tree) {
  if (tree.path.size() == 1) return "__fish_use_subcommand";
  std::vector<std::string> seen;
  for (const auto& name : std::span(tree.path).subspan(1)) {
    seen.push_back("__fish_seen_subcommand_from " + name);
  }
  if (!tree.commands.empty()) {
    std::vector<std::string> below;
    below.reserve(tree.commands.size());
    for (const auto& command : tree.commands) below.push_back(command.name());
    seen.push_back(fmt::format("not __fish_seen_subcommand_from {}", fmt::join(below, " ")));
  }
  return fmt::format("{}", fmt::join(seen, "; and "));
}

std::string fish_option(const std::string& start, const CommandOption& option) {
  auto line = start;
  for (const auto& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (!option.value.empty()) {
    line += " -r";
  }
  return line + " -d " + quoted(in_short(option.description)) + "\n";
}

}  // namespace

std::string bash_completion(const CommandTree& tree) {
  return fmt::format(
      bash_script, fmt::arg("name", tree.name()), fmt::arg("paths", paths_pattern(tree)),
      fmt::arg("values", value_branches(tree)), fmt::arg("commands", branches(tree)));
}

std::string zsh_completion(const CommandTree& tree) {
  return fmt::format(
      zsh_script, fmt::arg("name", tree.name()), fmt::arg("paths", paths_pattern(tree)),
      fmt::arg("values", value_branches(tree)), fmt::arg("commands", branches(tree)));
}

std::string fish_completion(const CommandTree& tree) {
  auto text = fmt::format("# fish completion of {0}: {0} completion fish | source\n", tree.name());
  for (const auto* command : all_commands(tree)) {
    const auto start =
        fmt::format("complete -c {} -n {}", tree.name(), quoted(fish_condition(*command)));
    for (const auto& below : command->commands) {
      text += fmt::format("{} -f -a {} -d {}\n", start, below.name(),
                          quoted(in_short(below.description)));
    }
    for (const auto& option : command->options) {
      if (!option.names.empty() || !option.choices.empty()) text += fish_option(start, option);
    }
  }
  return text;
}

}  // namespace dray::app

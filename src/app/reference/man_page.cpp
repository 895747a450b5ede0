#include "app/reference/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>

namespace dray::app {
namespace {

/// The character that begins at `at`, which is moved behind it.
std::uint32_t take_character(const std::string& text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  std::uint32_t character = first & (first >= 0xF0 ? 0x07U : first >= 0xE0 ? 0x0FU : 0x1FU);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
    character = (character << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return character;
}

/// No line of it is a request, no character of it has a meaning, and all are ASCII.
std::string roff(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_line = made.empty() || made.back() == '\n';
    const auto character = take_character(text, at);
    if (begins_line && (character == '.' || character == '\'')) made += "\\&";
    if (character == '\\') {
      made += "\\e";
    } else if (character == '-') {
      made += "\\-";
    } else if (character < 0x80) {
      made += static_cast<char>(character);
    } else {
      made += fmt::format("\\[u{:04X}]", character);
    }
  }
  return made;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string synopsis(const CommandTree& command) {
  auto text = fmt::format(".B {}\n", roff(fmt::format("{}", fmt::join(command.path, " "))));
  if (!command.commands.empty()) return text + ".I COMMAND\n.RI [ OPTION ...]\n";
  text += ".RI [ OPTION ...]\n";
  for (const auto& option : command.options) {
    if (!option.names.empty()) continue;
    text += option.required ? fmt::format(".I {}\n", roff(option.value))
                            : fmt::format(".RI [ {} ]\n", roff(option.value));
  }
  return text;
}

/// With its full stop.
std::string sentence(std::string text) {
  if (!text.empty() && !std::string_view(".?!").contains(text.back())) text += '.';
  return text;
}

/// What stands behind the page's own name.
std::string summary(const CommandTree& command) {
  const auto own = command.path.front() + ": ";
  return command.description.starts_with(own) ? command.description.substr(own.size())
                                              : command.description;
}

std::string entry(const CommandOption& option) {
  auto head =
      option.names.empty() ? option.value : fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.names.empty() && !option.value.empty()) head += " " + option.value;
  auto said = sentence(option.description);
  const auto add = [&](const std::string& more) { said += (said.empty() ? "" : " ") + more; };
  if (!option.choices.empty()) add(fmt::format("One of {}.", fmt::join(option.choices, ", ")));
  if (!option.absent.empty()) add(fmt::format("Default: {}.", option.absent));
  return fmt::format(".TP\n.B {}\n{}\n", roff(head), roff(said));
}

}  // namespace

std::string man_name(const CommandTree& command) {
  return fmt::format("{}", fmt::join(command.path, "-"));
}

std::string man_page(const CommandTree& command) {
  const auto name = man_name(command);
  auto text = fmt::format(
      ".TH {} 1 \"\" \"dray {}\" \"dray\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      roff(upper(name)), DRAY_VERSION, roff(name), roff(summary(command)), synopsis(command));
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const auto& below : command.commands) {
    text += fmt::format(".TP\n.BR {} (1)\n{}\n", roff(man_name(below)), roff(below.description));
  }
  text += ".SH OPTIONS\n";
  for (const auto& option : command.options) text += entry(option);
  if (!command.footer.empty()) text += ".SH NOTES\n" + roff(command.footer) + "\n";
  text += ".SH EXIT STATUS\n";
  for (const auto* const row :
       {"0\tdone; the answer is yes", "1\tthe question has an answer, and it is no",
        "2\tthe command line or an input file cannot be used",
        "3\tthe cluster does not answer, or refuses", "4\ta policy file is not valid"}) {
    const std::string line(row);
    text += fmt::format(".TP\n.B {}\n{}\n", line.substr(0, 1), line.substr(2));
  }
  return text;
}

}  // namespace dray::app

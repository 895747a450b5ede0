#include "cel/text/regex_classes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cel/text/ascii.h"

namespace dray::cel {
namespace {

/// Go's unicode.CategoryAliases by their canonical names; without Cased_Letter and Unassigned,
/// which RE2 has no class for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> aliases{{
    {"Closepunctuation", "Pe"},
    {"Cntrl", "Cc"},
    {"Combiningmark", "M"},
    {"Connectorpunctuation", "Pc"},
    {"Control", "Cc"},
    {"Currencysymbol", "Sc"},
    {"Dashpunctuation", "Pd"},
    {"Decimalnumber", "Nd"},
    {"Digit", "Nd"},
    {"Enclosingmark", "Me"},
    {"Finalpunctuation", "Pf"},
    {"Format", "Cf"},
    {"Initialpunctuation", "Pi"},
    {"Letter", "L"},
    {"Letternumber", "Nl"},
    {"Lineseparator", "Zl"},
    {"Lowercaseletter", "Ll"},
    {"Mark", "M"},
    {"Mathsymbol", "Sm"},
    {"Modifierletter", "Lm"},
    {"Modifiersymbol", "Sk"},
    {"Nonspacingmark", "Mn"},
    {"Number", "N"},
    {"Openpunctuation", "Ps"},
    {"Other", "C"},
    {"Otherletter", "Lo"},
    {"Othernumber", "No"},
    {"Otherpunctuation", "Po"},
    {"Othersymbol", "So"},
    {"Paragraphseparator", "Zp"},
    {"Privateuse", "Co"},
    {"Punct", "P"},
    {"Punctuation", "P"},
    {"Separator", "Z"},
    {"Spaceseparator", "Zs"},
    {"Spacingmark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecaseletter", "Lt"},
    {"Uppercaseletter", "Lu"},
}};

/// regexp/syntax.canonicalName: one capital, then small letters; no space, `_` or `-`.
std::string canonical(std::string_view name) {
  std::string made;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    if (made.empty()) {
      made += is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    } else {
      made += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return made;
}

/// What RE2 calls the class. Scripts of two words keep their `_` there.
std::string re2_name(std::string_view name) {
  auto made = canonical(name);
  const auto alias =
      std::ranges::lower_bound(aliases, made, {}, [](const auto& row) { return row.first; });
  if (alias != aliases.end() && alias->first == made) return std::string(alias->second);
  return name.find('_') == std::string_view::npos ? made : std::string(name);
}

/// At `\p` or `\P`: takes the class off `rest`, and gives it as RE2 writes it.
std::string take_class(std::string_view& rest) {
  std::string made(rest.substr(0, 2));
  if (rest.size() < 3) return std::string(std::exchange(rest, {}));
  if (rest[2] != '{') {
    made += is_lower(rest[2]) ? static_cast<char>(rest[2] - 'a' + 'A') : rest[2];
    rest.remove_prefix(3);
    return made;
  }
  const auto end = rest.find('}');
  if (end == std::string_view::npos) return std::string(std::exchange(rest, {}));
  auto name = rest.substr(3, end - 3);
  rest.remove_prefix(end + 1);
  made += '{';
  if (name.starts_with('^')) {
    made += '^';
    name.remove_prefix(1);
  }
  return made + re2_name(name) + '}';
}

}  // namespace

std::string with_re2_class_names(std::string_view pattern) {
  std::string made;
  for (auto rest = pattern; !rest.empty();) {
    if (rest.starts_with("\\p") || rest.starts_with("\\P")) {
      made += take_class(rest);
      continue;
    }
    std::size_t taken = rest.front() == '\\' ? 2 : 1;
    if (rest.starts_with("\\Q")) taken = std::min(rest.find("\\E"), rest.size());
    made += rest.substr(0, taken);
    rest.remove_prefix(std::min(taken, rest.size()));
  }
  return made;
}

}  // namespace dray::cel

#include "wire/yaml/yaml_comments.h"

#include <cstddef>
#include <optional>

namespace dray::wire {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Goes through the lines of a text; quoted scalars may go over several.
class CommentScan {
 public:
  /// Where the comment of the next line begins, if it has one.
  std::optional<std::size_t> line(std::string_view text) {
    char before = '\0';  // the last character that is not blank
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote_ != '\0') {
        i += in_quotes(text.substr(i));
      } else if (c == '#' && (i == 0 || is_blank(text[i - 1]))) {
        return i;
      } else if ((c == '"' || c == '\'') && begins_scalar(before, i > 0 && is_blank(text[i - 1]))) {
        quote_ = c;
      }
      if (!is_blank(c)) before = c;
    }
    return std::nullopt;
  }

 private:
  /// A quote in the middle of a plain scalar is a character as any other.
  static bool begins_scalar(char before, bool after_blank) {
    if (before == '\0' || before == '[' || before == '{' || before == ',') return true;
    return after_blank && (before == ':' || before == '-' || before == '?');
  }

  /// How many characters more than the first one belong to it.
  std::size_t in_quotes(std::string_view rest) {
    const char next = rest.size() > 1 ? rest[1] : '\0';
    if (quote_ == '"' && rest[0] == '\\') return 1;
    if (rest[0] != quote_) return 0;
    if (quote_ == '\'' && next == '\'') return 1;
    quote_ = '\0';
    return 0;
  }

  char quote_ = '\0';
};

}  // namespace

std::vector<YamlComment> comments_in(std::string_view yaml) {
  std::vector<YamlComment> comments;
  CommentScan scan;
  for (int number = 1; !yaml.empty(); ++number) {
    const auto end = yaml.find('\n');
    auto line = yaml.substr(0, end);
    yaml.remove_prefix(end == std::string_view::npos ? yaml.size() : end + 1);
    const auto at = scan.line(line);
    if (!at) continue;
    while (is_blank(line.back())) line.remove_suffix(1);
    comments.push_back({{number, static_cast<int>(*at) + 1},
                        std::string(line.substr(*at)),
                        line.find_first_not_of(" \t") == *at});
  }
  return comments;
}

}  // namespace dray::wire

#include "wire/yaml/documents.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "wire/json/first_value.h"

namespace dray::wire {
namespace {

constexpr std::string_view space = " \t\r\n";

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(space);
  return first != std::string_view::npos && text[first] == '{';
}

/// JSON values one after the other or, as kubectl takes them, between lines of `---`; what follows
/// such a line may also be YAML.
std::expected<std::vector<YamlDocument>, YamlError> split_json(std::string_view text) {
  constexpr std::string_view separator = "---";
  std::vector<YamlDocument> documents;
  int line = 1;
  for (;;) {
    const auto begin = std::min(text.find_first_not_of(space), text.size());
    line += static_cast<int>(std::ranges::count(text.substr(0, begin), '\n'));
    text.remove_prefix(begin);
    if (text.empty()) return documents;
    if (text.starts_with(separator)) {
      text.remove_prefix(separator.size());
      if (is_json(text)) continue;
      auto rest = read_yaml(text);
      if (!rest) return std::unexpected(YamlError{rest.error().line + line - 1, rest.error().text});
      for (auto& document : *rest) {
        document.index += documents.size();
        document.line += line - 1;
        for (auto& item : document.item_lines) item += line - 1;
      }
      std::ranges::move(*rest, std::back_inserter(documents));
      return documents;
    }
    const auto value = first_value(text);
    documents.push_back({documents.size(), line, std::string(value), {}});
    line += static_cast<int>(std::ranges::count(value, '\n'));
    text.remove_prefix(value.size());
  }
}

}  // namespace

std::expected<std::vector<YamlDocument>, YamlError> read_documents(std::string_view text) {
  return is_json(text) ? split_json(text) : read_yaml(text);
}

}  // namespace dray::wire

#include "app/match/match_hints.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "dray/base/suggest.h"

namespace dray::app {
namespace {

using NameSet = std::set<std::string>;

/// What the text has between the two; empty: they are not in it.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return std::string(text.substr(0, text.find(after)));
}

/// `did you mean attributes?`, or nothing.
std::string near(const std::string& word, std::span<const std::string> known) {
  constexpr std::string_view start = "; ";
  const auto hint = suggest_near(word, known);
  return hint.empty() ? hint : hint.substr(start.size());
}

std::string near(const std::string& word, const NameSet& known) {
  return near(word, std::vector<std::string>(known.begin(), known.end()));
}

/// All that devices have, whoever publishes it.
struct PublishedNames {
  NameSet ids;
  NameSet domains;

  explicit PublishedNames(const std::vector<DeviceMatch>& matches) {
    for (const auto& match : matches) {
      for (const auto& name : match.device->shape->names().names()) {
        ids.insert(std::string(name.id));
        domains.insert(std::string(name.domain));
      }
    }
  }
};

}  // namespace

std::string compile_hint(std::string_view message) {
  static const std::array<std::string, 4> fields{"driver", "attributes", "capacity",
                                                 "allowMultipleAllocations"};
  static const std::array<std::string, 8> names{"device", "quantity", "isQuantity", "semver",
                                                "cel",    "isSemver", "has",        "size"};
  if (const auto field = between(message, "undefined field '", "'"); !field.empty()) {
    return near(field, fields);
  }
  const auto name = between(message, "undeclared reference to '", "'");
  return name.empty() ? std::string() : near(name, names);
}

std::vector<std::string> key_hints(const std::vector<DeviceMatch>& matches) {
  std::set<std::string> failures;
  for (const auto& match : matches) {
    if (match.verdict == cel::Verdict::error) failures.insert(match.why);
  }
  if (failures.empty()) return {};
  const PublishedNames published(matches);
  std::set<std::string> hints;
  for (const auto& why : failures) {
    const auto key = between(why, "no such key: ", "\n");
    if (key.empty()) continue;
    if (!published.ids.contains(key)) {
      if (const auto hint = near(key, published.ids); !hint.empty()) {
        hints.insert(fmt::format("no device has {}; {}", key, hint));
      }
      continue;
    }
    const auto domain = between(why, "[\"", "\"]");
    if (domain.empty() || published.domains.contains(domain)) continue;
    if (const auto hint = near(domain, published.domains); !hint.empty()) {
      hints.insert(fmt::format("no device has anything of {}; {}", domain, hint));
    }
  }
  return {hints.begin(), hints.end()};
}

}  // namespace dray::app

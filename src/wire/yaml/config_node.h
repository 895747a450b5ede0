#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/error.h"

namespace dray::wire {

/// A place in a text; both count from 1.
struct TextPlace {
  int line = 1;
  int column = 1;

  auto operator<=>(const TextPlace&) const = default;
};

/// A value of a YAML file with its place: what a person wrote, before it means anything.
struct ConfigNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Member;

  Kind kind = Kind::null;
  TextPlace place;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< a scalar that is text whatever it looks like
  std::vector<ConfigNode> items;
  std::vector<Member> members;  ///< in the order of the file; a key may be there twice

  /// The (first) member of that key, or nullptr.
  [[nodiscard]] const ConfigNode* find(std::string_view key) const;
};

struct ConfigNode::Member {
  std::string key;
  TextPlace place;
  ConfigNode value;
};

/// Values of a file and, through anchors, of their repetitions, that are taken at most.
inline constexpr std::size_t max_config_nodes = 200'000;

/// Reads every document of a YAML (or JSON) text; empty ones are null. Errors as of parse_yaml().
[[nodiscard]] Result<std::vector<ConfigNode>> parse_yaml_documents(std::string_view text);

/// Reads one YAML document. Errors name line and column: `3:7: bad indentation of …`.
[[nodiscard]] Result<ConfigNode> parse_yaml(std::string_view text);

}  // namespace dray::wire

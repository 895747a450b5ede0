#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/policy/policy_shape.h"
#include "wire/yaml/config_node.h"

namespace dray::wire {

/// A member of a map or an item of a list, with the comments that belong to it.
struct PolicyPiece {
  std::string key;  ///< of a member
  ConfigNode::Kind kind = ConfigNode::Kind::null;
  std::string scalar;  ///< as it is written
  TextPlace place;
  std::vector<std::string> above;  ///< comment lines; an empty one is a blank line
  std::string beside;
  std::vector<std::string> below;  ///< after the last line of its value
  bool blank_above = false;
  std::vector<PolicyPiece> parts;
};

/// A policy file of the right form as pieces, in the order of `shape`, with each comment of the
/// text at the piece that it belongs to: the one below it, beside it, or the one that it stands at
/// the end of. The root's comments are those before the first piece and after the last.
[[nodiscard]] PolicyPiece policy_pieces(std::string_view yaml, const ConfigNode& root,
                                        const PolicyShape& shape);

}  // namespace dray::wire

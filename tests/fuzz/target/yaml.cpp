#include <algorithm>
#include <string>
#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/targets.h"
#include "wire/yaml/config_node.h"
#include "wire/yaml/documents.h"
#include "wire/yaml/json_yaml.h"
#include "wire/yaml/scalar_place.h"
#include "wire/yaml/yaml_bounds.h"
#include "wire/yaml/yaml_comments.h"
#include "wire/yaml/yaml_json.h"

namespace dray::fuzz {
namespace {

struct Counted {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

void count(std::string_view text, const wire::ConfigNode& node, Counted& counted) {
  ++counted.nodes;
  counted.bytes += node.text.size();
  if (node.kind == wire::ConfigNode::Kind::scalar && counted.nodes < 100) {
    const auto place = wire::place_in_scalar(text, node, node.text.size() / 2);
    DRAY_CHECK(place.line >= 1 && place.column >= 1);
  }
  for (const auto& item : node.items) count(text, item, counted);
  for (const auto& member : node.members) {
    counted.bytes += member.key.size();
    count(text, member.value, counted);
  }
}

void check_documents(std::string_view text) {
  const auto documents = wire::read_documents(text);
  if (!documents) {
    DRAY_CHECK(!documents.error().text.empty());
    return;
  }
  for (const auto& document : *documents) {
    (void)wire::line_of(text, document.index, {{"metadata", 0}, {"", 1}, {"name", 0}});
  }
}

void check_json(std::string_view text) {
  const auto json = wire::yaml_to_json(text);
  if (!json) return;
  const auto again = wire::yaml_to_json(wire::json_to_yaml(*json));
  DRAY_CHECK(again.has_value());
  // Both ways of reading number and text are settled after one.
  DRAY_CHECK(wire::yaml_to_json(wire::json_to_yaml(*again)) == *again);
}

}  // namespace

/// YAML, as manifests, as configuration and with comments: within its bounds, whatever aliases
/// make of it.
void yaml(std::string_view input) {
  check_documents(input);
  check_json(input);
  for (const auto& comment : wire::comments_in(input)) DRAY_CHECK(comment.text.starts_with('#'));
  const auto documents = wire::parse_yaml_documents(input);
  if (!documents) {
    DRAY_CHECK(!documents.error().message.empty());
    return;
  }
  Counted counted;
  for (const auto& document : *documents) count(input, document, counted);
  DRAY_CHECK(counted.nodes <= wire::max_config_nodes);
  DRAY_CHECK(counted.bytes <= wire::most_yaml_bytes(input.size()));
}

}  // namespace dray::fuzz

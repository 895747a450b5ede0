#include "wire/yaml/config_node.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/yaml/yaml_bounds.h"
#include "wire/yaml/yaml_progress.h"

namespace dray::wire {

namespace {

TextPlace place_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

/// Copies a YAML tree; what it cannot take is noted once.
class Copy {
 public:
  explicit Copy(std::size_t text_size) : most_bytes_(most_yaml_bytes(text_size)) {}

  ConfigNode node(const YAML::Node& from, int depth = 0) {
    ConfigNode to;
    to.place = place_of(from.Mark());
    if (++count_ > max_config_nodes) {
      note(to.place, fmt::format("more than {} values", max_config_nodes));
    }
    if (depth > deepest_yaml) note(to.place, fmt::format("nested deeper than {}", deepest_yaml));
    if (problem_) return to;
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        to.kind = ConfigNode::Kind::scalar;
        to.text = take(from);
        to.quoted = from.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        to.kind = ConfigNode::Kind::list;
        for (const auto& item : from) {
          if (problem_) break;
          to.items.push_back(node(item, depth + 1));
        }
        break;
      case YAML::NodeType::Map:
        to.kind = ConfigNode::Kind::map;
        for (const auto& member : from) {
          if (problem_) break;
          add_member(to, member.first, member.second, depth + 1);
        }
        break;
    }
    return to;
  }

  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  void note(TextPlace place, std::string_view text) {
    if (!problem_) problem_ = fmt::format("{}:{}: {}", place.line, place.column, text);
  }

  /// The text of a scalar, as long as aliases do not make too much of it.
  std::string take(const YAML::Node& scalar) {
    bytes_ += scalar.Scalar().size();
    if (bytes_ <= most_bytes_) return scalar.Scalar();
    note(place_of(scalar.Mark()), "aliases (*) make the text far larger than it is");
    return {};
  }

  void add_member(ConfigNode& to, const YAML::Node& key, const YAML::Node& value, int depth) {
    const auto place = place_of(key.Mark());
    if (!key.IsScalar()) return note(place, "expected a word as the key");
    auto name = take(key);
    to.members.push_back({std::move(name), place, node(value, depth)});
  }

  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t most_bytes_;
  std::optional<std::string> problem_;
};

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto it = std::ranges::find(members, key, &Member::key);
  return it == members.end() ? nullptr : &it->value;
}

Result<std::vector<ConfigNode>> parse_yaml_documents(std::string_view text) {
  if (const auto place = endless_yaml(text)) {
    return fail(ErrorCode::invalid,
                fmt::format("{}:{}: {}", place->line, place->column, no_document));
  }
  try {
    Copy copy(text.size());
    std::vector<ConfigNode> documents;
    for (const auto& document : YAML::LoadAll(std::string(text))) {
      documents.push_back(copy.node(document));
    }
    if (copy.problem()) return fail(ErrorCode::invalid, *copy.problem());
    return documents;
  } catch (const YAML::Exception& e) {
    const auto place = place_of(e.mark);
    return fail(ErrorCode::invalid, fmt::format("{}:{}: {}", place.line, place.column, e.msg));
  }
}

Result<ConfigNode> parse_yaml(std::string_view text) {
  auto documents = parse_yaml_documents(text);
  if (!documents) return std::unexpected(std::move(documents.error()));
  if (documents->empty()) return ConfigNode();
  if (documents->size() == 1) return std::move(documents->front());
  const auto place = (*documents)[1].place;
  return fail(ErrorCode::invalid,
              fmt::format("{}:{}: a second document; expected one", place.line, place.column));
}

}  // namespace dray::wire

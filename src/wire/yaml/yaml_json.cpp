#include "wire/yaml/yaml_json.h"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "wire/json/json_writer.h"
#include "wire/yaml/yaml_bounds.h"
#include "wire/yaml/yaml_progress.h"
#include "wire/yaml/yaml_scalar.h"

namespace dray::wire {
namespace {

int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

constexpr std::size_t most_values_per_byte = 20;
constexpr const char* too_large = "aliases (*) make the text far larger than it is";

class Converter {
 public:
  explicit Converter(std::size_t text_size)
      : most_values_(text_size * most_values_per_byte), most_bytes_(most_yaml_bytes(text_size)) {}

  [[nodiscard]] std::expected<std::string, YamlError> run(const YAML::Node& node) {
    convert(node, 0);
    if (error_) return std::unexpected(*std::move(error_));
    return std::move(out_).take();
  }

 private:
  void fail(const YAML::Node& node, std::string text) {
    if (!error_) error_ = YamlError{line_of(node), std::move(text)};
  }

  void convert(const YAML::Node& node, int depth) {
    if (depth > deepest_yaml) fail(node, fmt::format("nested deeper than {}", deepest_yaml));
    if (++values_ > most_values_) fail(node, too_large);
    if (error_) return;
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return convert_map(node, depth);
      case YAML::NodeType::Sequence:
        out_.begin_list();
        for (const auto& item : node) convert(item, depth + 1);
        return out_.end_list();
      case YAML::NodeType::Scalar:
        return convert_scalar(node);
      default:
        return out_.null();
    }
  }

  void convert_map(const YAML::Node& node, int depth) {
    std::set<std::string> seen;
    out_.begin_object();
    for (const auto& member : node) {
      if (error_) return;
      if (!member.first.IsScalar()) return fail(member.first, "a key must be a plain text");
      const auto& key = member.first.Scalar();
      if (!counts(member.first)) return;
      if (key == "<<" && member.first.Tag() != "!") {
        return fail(member.first, "merge keys (<<) are not supported; write the fields out");
      }
      if (!seen.insert(key).second) {
        return fail(member.first, fmt::format("key \"{}\" is set twice", key));
      }
      out_.key(key);
      convert(member.second, depth + 1);
    }
    out_.end_object();
  }

  /// Whether the text of the scalar is within what there may be in all.
  bool counts(const YAML::Node& scalar) {
    bytes_ += scalar.Scalar().size();
    if (bytes_ <= most_bytes_) return true;
    fail(scalar, too_large);
    return false;
  }

  void convert_scalar(const YAML::Node& node) {
    if (!counts(node)) return;
    // "?" is the tag of a plain scalar, "!" of a quoted one.
    if (node.Tag() == "?" || node.Tag().empty()) {
      out_.raw(plain_scalar_to_json(node.Scalar()));
    } else {
      out_.string(node.Scalar());
    }
  }

  JsonWriter out_;
  std::optional<YamlError> error_;
  std::size_t most_values_;
  std::size_t values_ = 0;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
};

std::expected<std::vector<YAML::Node>, YamlError> load(std::string_view text) {
  if (const auto place = endless_yaml(text)) {
    return std::unexpected(YamlError{place->line, std::string(no_document)});
  }
  try {
    return YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& error) {
    return std::unexpected(YamlError{error.mark.line + 1, error.msg});
  }
}

std::expected<YamlDocument, YamlError> convert(const YAML::Node& node, std::size_t index,
                                               std::size_t text_size) {
  auto json = Converter(text_size).run(node);
  if (!json) return std::unexpected(std::move(json.error()));
  YamlDocument document{index, line_of(node), *std::move(json), {}};
  if (!node.IsMap()) return document;
  if (const auto items = node["items"]; items && items.IsSequence()) {
    for (const auto& item : items) document.item_lines.push_back(line_of(item));
  }
  return document;
}

}  // namespace

std::expected<std::vector<YamlDocument>, YamlError> read_yaml(std::string_view text) {
  const auto nodes = load(text);
  if (!nodes) return std::unexpected(nodes.error());
  std::vector<YamlDocument> documents;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    if ((*nodes)[i].IsNull()) continue;
    auto document = convert((*nodes)[i], i, text.size());
    if (!document) return std::unexpected(std::move(document.error()));
    documents.push_back(*std::move(document));
  }
  return documents;
}

Result<std::string> yaml_to_json(std::string_view text) {
  auto documents = read_yaml(text);
  if (!documents) {
    return fail(ErrorCode::invalid,
                fmt::format("line {}: {}", documents.error().line, documents.error().text));
  }
  if (documents->size() > 1) {
    return fail(ErrorCode::invalid,
                fmt::format("line {}: expected one document", (*documents)[1].line));
  }
  return documents->empty() ? "null" : std::move(documents->front().json);
}

int line_of(std::string_view text, std::size_t document, const Path& path) {
  const auto nodes = load(text);
  if (!nodes || document >= nodes->size()) return 0;
  auto node = (*nodes)[document];
  for (const auto& step : path) {
    YAML::Node next;
    if (step.key.empty() && node.IsSequence()) {
      next.reset(node[step.index]);
    } else if (node.IsMap()) {
      next.reset(node[step.key]);
    }
    if (!next.IsDefined() || next.IsNull()) break;
    node.reset(next);
  }
  return line_of(node);
}

}  // namespace dray::wire

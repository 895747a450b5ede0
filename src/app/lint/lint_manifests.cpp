#include "app/lint/lint_manifests.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace dray::app {
namespace {

using wire::ConfigNode;

std::string_view text_of(const ConfigNode* node) {
  return node != nullptr && node->kind == ConfigNode::Kind::scalar ? std::string_view(node->text)
                                                                   : std::string_view();
}

/// Walks the objects of one file.
class Linter {
 public:
  Linter(std::string_view text, const std::string& file, const wire::ValidationOptions& options)
      : text_(text), file_(file), options_(options) {}

  LintResult run() {
    const auto documents = wire::parse_yaml_documents(text_);
    if (!documents) {
      // Its message begins with the place.
      result_.findings.push_back({file_, {0, 0}, {}, {}, documents.error().message});
      return std::move(result_);
    }
    for (const auto& document : *documents) object(document, {});
    return std::move(result_);
  }

 private:
  struct ListOf {
    std::string_view kind;
    std::string_view version;
  };

  void object(const ConfigNode& node, const ListOf& list) {
    auto kind = text_of(node.find("kind"));
    auto version = text_of(node.find("apiVersion"));
    if (kind.empty()) kind = list.kind;
    if (version.empty()) version = list.version;
    if (kind.ends_with("List")) {
      kind.remove_suffix(4);
      const auto* items = node.find("items");
      if (items == nullptr) return;
      for (const auto& item : items->items) object(item, {kind, kind.empty() ? "" : version});
      return;
    }
    auto checked = wire::validate({version, kind}, node, text_, options_);
    if (!checked) return;
    ++result_.objects;
    result_.expressions += checked->expressions;
    const auto name = name_of(node, kind);
    for (auto& error : checked->errors) {
      result_.findings.push_back(
          {file_, error.place, name, std::move(error.path), std::move(error.message)});
    }
  }

  static std::string name_of(const ConfigNode& node, std::string_view kind) {
    const auto* meta = node.find("metadata");
    const auto space = meta == nullptr ? std::string_view() : text_of(meta->find("namespace"));
    auto name = meta == nullptr ? std::string_view() : text_of(meta->find("name"));
    if (name.empty() && meta != nullptr) name = text_of(meta->find("generateName"));
    return fmt::format("{} {}{}{}", kind, space, space.empty() ? "" : "/", name);
  }

  std::string_view text_;
  const std::string& file_;
  const wire::ValidationOptions& options_;
  LintResult result_;
};

}  // namespace

std::string LintFinding::text() const {
  if (place.line == 0) return fmt::format("{}:{}", file, message);
  return fmt::format("{}:{}:{}: {}: {}: {}", file, place.line, place.column, object, path, message);
}

LintResult lint_manifests(std::string_view text, const std::string& file,
                          const wire::ValidationOptions& options) {
  return Linter(text, file, options).run();
}

void read_namespaces(std::string_view text, wire::ValidationOptions& options) {
  const auto documents = wire::parse_yaml_documents(text);
  if (!documents) return;  // said when the file is checked
  const auto read = [&](const ConfigNode& node) {
    const auto* meta = node.find("metadata");
    if (text_of(node.find("kind")) != "Namespace" || meta == nullptr) return;
    const auto* labels = meta->find("labels");
    const auto* label =
        labels == nullptr ? nullptr : labels->find("resource.kubernetes.io/admin-access");
    options.namespaces.insert_or_assign(std::string(text_of(meta->find("name"))),
                                        text_of(label) == "true");
  };
  for (const auto& document : *documents) {
    read(document);
    if (const auto* items = document.find("items")) {
      for (const auto& item : items->items) read(item);
    }
  }
}

}  // namespace dray::app

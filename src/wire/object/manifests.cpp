#include "wire/object/manifests.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dray/model/defaults.h"
#include "wire/json/json_reader.h"
#include "wire/object/read_object.h"
#include "wire/object/snapshot_lists.h"
#include "wire/yaml/documents.h"

namespace dray::wire {
namespace {

class Loader {
 public:
  Loader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<Manifests> run() {
    auto documents = read();
    if (!documents) return std::unexpected(std::move(documents.error()));
    for (const auto& document : *documents) {
      load_document(document);
      if (error_) return std::unexpected(*std::move(error_));
    }
    return std::move(result_);
  }

 private:
  Result<std::vector<YamlDocument>> read() const {
    auto documents = read_documents(text_);
    if (documents) return *std::move(documents);
    return fail(ErrorCode::invalid,
                fmt::format("{}:{}: {}", file_, documents.error().line, documents.error().text));
  }

  void load_document(const YamlDocument& source) {
    Document document(source.json);
    bool says_kind = false;
    std::string kind;
    std::string api_version;
    std::optional<DecodedObject> object;
    document.visit([&](const Reader& root) {
      kind = root.peek("kind");
      api_version = root.peek("apiVersion");
      says_kind = !kind.empty();
      if (!says_kind) return;
      if (!kind.ends_with("List")) {
        object = read_object(root, {}, {});
        return;
      }
      kind.resize(kind.size() - 4);
      root.members([&](const Reader& member) {
        if (member.key() == "items") {
          load_items(member, source, kind, api_version, {{"items", 0}});
        }
      });
    });
    if (!says_kind && !document.problem()) {
      if (const auto way = way_to_lists(document)) return load_lists(document, source, *way);
      document.visit([&](const Reader& root) { object = read_object(root, {}, {}); });
    }
    if (document.problem()) return note(*document.problem(), source, object, {});
    if (object) keep(*std::move(object), source.line);
  }

  /// What another tool has of a cluster: a list of each kind.
  void load_lists(Document& document, const YamlDocument& source, const Path& way) {
    document.visit([&](const Reader& root) {
      each_list(root, way, [&](const Reader& list, const Path& path, const KindInfo& info) {
        load_items(list, source, std::string(info.name), api_version_of(info), path);
      });
    });
    if (document.problem()) note(*document.problem(), source, {}, {});
  }

  /// `path`: of the list, in its document.
  void load_items(const Reader& list, const YamlDocument& source, const std::string& kind,
                  const std::string& api_version, const Path& path) {
    std::size_t index = 0;
    list.items([&](const Reader& item) {
      const auto place = index++;
      if (error_) return;
      Document document(item.raw());
      std::optional<DecodedObject> object;
      document.visit([&](const Reader& root) {
        object = read_object(root, kind, kind.empty() ? std::string() : api_version);
      });
      if (document.problem()) {
        auto prefix = path;
        prefix.push_back({"", place});
        return note(*document.problem(), source, object, std::move(prefix));
      }
      const bool has_line = place < source.item_lines.size();
      keep(*std::move(object), has_line ? source.item_lines[place] : source.line);
    });
  }

  void keep(DecodedObject object, int line) {
    if (auto* known = std::get_if<KubeObject>(&object)) {
      apply_defaults(*known);
      result_.objects.push_back({std::move(*known), line});
    } else {
      result_.unknown.push_back({std::get<UnknownObject>(std::move(object)), line});
    }
  }

  /// `prefix` is the way from the document to the object.
  void note(const Problem& problem, const YamlDocument& source,
            const std::optional<DecodedObject>& object, Path prefix) {
    if (error_) return;
    prefix.insert(prefix.end(), problem.path.begin(), problem.path.end());
    const auto line = line_of(text_, source.index, prefix);
    const auto place = fmt::format("{}:{}", file_, line == 0 ? source.line : line);
    error_ = error_about(problem, object).within(place);
  }

  std::string_view text_;
  std::string_view file_;
  Manifests result_;
  std::optional<Error> error_;
};

}  // namespace

Result<Manifests> load_manifests(std::string_view text, std::string_view file) {
  return Loader(text, file).run();
}

}  // namespace dray::wire

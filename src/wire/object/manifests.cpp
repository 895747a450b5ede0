#include "wire/object/manifests.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dray/model/defaults.h"
#include "wire/json/json_reader.h"
#include "wire/object/pod_owner_codec.h"
#include "wire/object/read_object.h"
#include "wire/object/snapshot_lists.h"
#include "wire/yaml/documents.h"

namespace dray::wire {
namespace {

class Loader {
 public:
  Loader(std::string_view text, std::string_view file, Owners owners)
      : text_(text), file_(file), owners_(owners) {}

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
    if (!object) return;
    auto owner = owner_in(document, *object, {}, {});
    if (document.problem()) return note(*document.problem(), source, object, {});
    note_stranger(*object, source.json, source.line);
    keep(*std::move(object), std::move(owner), source.line);
  }

  /// The object again, for the pods that its controller makes.
  [[nodiscard]] std::optional<sim::PodOwner> owner_in(Document& document,
                                                      const DecodedObject& object,
                                                      const std::string& kind,
                                                      const std::string& api_version) const {
    std::optional<sim::PodOwner> owner;
    if (owners_ == Owners::skip) return owner;
    if (const auto* known = std::get_if<KubeObject>(&object)) {
      const auto& info = kind_info(kind_of(*known));
      if (!find_pod_owner(api_version_of(info), info.name)) return owner;
    }
    document.visit([&](const Reader& root) {
      auto version = root.peek("apiVersion");
      if (version.empty()) version = api_version;
      auto name = root.peek("kind");
      if (name.empty()) name = kind;
      const auto found = find_pod_owner(version, name);
      if (found) owner = read_pod_owner(root, *found, std::move(version));
    });
    return owner;
  }

  /// Pods of a DaemonSet come with the nodes, and are of the cluster.
  void note_stranger(const DecodedObject& object, const std::string& json, int line) {
    const auto* unknown = std::get_if<UnknownObject>(&object);
    if (owners_ == Owners::skip || unknown == nullptr || unknown->kind == "DaemonSet" ||
        find_pod_owner(unknown->api_version, unknown->kind) || !has_pod_template(json)) {
      return;
    }
    result_.strangers.push_back(
        fmt::format("{}:{}: {} {}: it is not known which pods its controller makes: expected Pod, "
                    "{}, or the pods themselves",
                    file_, line, unknown->kind, unknown->name, known_pod_owners()));
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
      const auto json = item.raw();
      Document document(json);
      std::optional<DecodedObject> object;
      const auto version = kind.empty() ? std::string() : api_version;
      document.visit([&](const Reader& root) { object = read_object(root, kind, version); });
      std::optional<sim::PodOwner> owner;
      if (!document.problem()) owner = owner_in(document, *object, kind, version);
      if (document.problem()) {
        auto prefix = path;
        prefix.push_back({"", place});
        return note(*document.problem(), source, object, std::move(prefix));
      }
      const bool has_line = place < source.item_lines.size();
      const auto line = has_line ? source.item_lines[place] : source.line;
      note_stranger(*object, json, line);
      keep(*std::move(object), std::move(owner), line);
    });
  }

  void keep(DecodedObject object, std::optional<sim::PodOwner> owner, int line) {
    if (auto* known = std::get_if<KubeObject>(&object)) {
      apply_defaults(*known);
      result_.objects.push_back({std::move(*known), line});
    } else if (!owner) {
      result_.unknown.push_back({std::get<UnknownObject>(std::move(object)), line});
    }
    if (!owner) return;
    for (auto& set : owner->templates) {
      if (set.pod) apply_defaults(*set.pod);
    }
    owner->place = fmt::format("{}:{}", file_, line);
    owner->position = result_.objects.size();
    result_.owners.push_back(*std::move(owner));
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
  Owners owners_;
  Manifests result_;
  std::optional<Error> error_;
};

}  // namespace

Result<Manifests> load_manifests(std::string_view text, std::string_view file, Owners owners) {
  return Loader(text, file, owners).run();
}

}  // namespace dray::wire

#include "wire/object/pod_templates.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "wire/object/object_codec.h"
#include "wire/yaml/documents.h"
#include "wire/yaml/json_yaml.h"
#include "wire/yaml/yaml_bounds.h"

namespace dray::wire {
namespace {

using Json = nlohmann::ordered_json;

/// A member that is a string; else empty.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A member that is an object or a list; else an empty one of that kind.
const Json& member_of(const Json& object, const char* key, Json::value_t kind) {
  static const Json no_object = Json::object();
  static const Json no_list = Json::array();
  const auto found = object.find(key);
  if (found != object.end() && found->type() == kind) return *found;
  return kind == Json::value_t::object ? no_object : no_list;
}

const Json& object_at(const Json& object, const char* key) {
  return member_of(object, key, Json::value_t::object);
}

const Json& list_at(const Json& object, const char* key) {
  return member_of(object, key, Json::value_t::array);
}

/// Whether JSON has more objects and lists in each other than YAML may have: each costs a call
/// here.
bool is_too_deep(std::string_view json) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if ((c == '{' || c == '[') && ++depth > deepest_yaml) return true;
    if (c == '}' || c == ']') --depth;
  }
  return false;
}

constexpr std::array container_lists{"containers", "initContainers"};

/// A resource with a domain that is not Kubernetes' own, or that stands for a DeviceClass.
bool is_extended(std::string_view resource) {
  const auto slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const auto domain = resource.substr(0, slash);
  return domain == "deviceclass.resource.kubernetes.io" ||
         (domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io"));
}

bool is_template_key(std::string_view key) {
  return key.ends_with("template") || key.ends_with("Template");
}

bool has_containers(const Json& value) {
  return value.is_object() && !list_at(object_at(value, "spec"), "containers").empty();
}

/// Places of pod templates below a value, by JSON pointers and as people read them.
using Found = std::vector<std::pair<Json::json_pointer, std::string>>;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the reader of the document allows
void find_templates(const Json& value, const Json::json_pointer& place, const std::string& path,
                    Found& found) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      find_templates(value[i], place / i, fmt::format("{}[{}]", path, i), found);
    }
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    const auto below = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (is_template_key(key) && has_containers(member)) {
      found.emplace_back(place / key, below);
    } else if (key != "metadata" && key != "status") {
      find_templates(member, place / key, below, found);
    }
  }
}

Result<ResourceList> extended_resources(const Json& container) {
  ResourceList asked;
  const auto& resources = object_at(container, "resources");
  for (const auto* list : {"requests", "limits"}) {
    for (const auto& [name, amount] : object_at(resources, list).items()) {
      if (!is_extended(name)) continue;
      auto quantity =
          Quantity::parse(amount.is_string() ? amount.get<std::string>() : amount.dump());
      if (!quantity) {
        return std::unexpected(
            std::move(quantity.error())
                .within(fmt::format("container {}: {}", text_at(container, "name"), name)));
      }
      asked.insert_or_assign(name, std::move(*quantity));
    }
  }
  return asked;
}

/// What is read of a pod's metadata and spec.
Result<PodTemplate> view_of(const Json& pod) {
  PodTemplate view;
  const auto& spec = object_at(pod, "spec");
  view.scheduler_name = text_at(spec, "schedulerName");
  for (const auto* list : container_lists) {
    for (const auto& container : list_at(spec, list)) {
      if (!container.is_object()) continue;
      auto extended = extended_resources(container);
      if (!extended) return std::unexpected(std::move(extended.error()));
      view.containers.push_back({text_at(container, "name"),
                                 std::string_view(list) == "initContainers", std::move(*extended)});
    }
  }
  for (const auto& entry : list_at(spec, "resourceClaims")) {
    if (entry.is_object()) view.claims.push_back(text_at(entry, "name"));
  }
  for (const auto& [key, value] : object_at(object_at(pod, "metadata"), "annotations").items()) {
    if (value.is_string()) view.annotations.emplace(key, value.get<std::string>());
  }
  return view;
}

/// What `kubectl get` gives of several objects. A kind of its own may end with `List`, too.
bool is_list(const Json& json) {
  if (!json.is_object() || !text_at(json, "kind").ends_with("List")) return false;
  const auto items = json.find("items");
  return items != json.end() && items->is_array() && !object_at(json, "metadata").contains("name");
}

std::string name_of(const Json& meta) {
  auto name = text_at(meta, "name");
  if (name.empty()) name = text_at(meta, "generateName");
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Takes resources out of a container; a map that nothing is left in goes, too.
void remove_resources(Json& container, const std::vector<std::string>& names) {
  auto& resources = container["resources"];
  for (const auto* list : {"requests", "limits"}) {
    const auto found = resources.find(list);
    if (found == resources.end() || !found->is_object()) continue;
    for (const auto& name : names) found->erase(name);
    if (found->empty()) resources.erase(list);
  }
}

void add_claims(Json& container, const std::string& entry,
                const std::vector<std::string>& requests) {
  auto& claims = container["resources"]["claims"];
  if (!claims.is_array()) claims = Json::array();
  if (requests.empty()) claims.push_back({{"name", entry}});
  for (const auto& request : requests) claims.push_back({{"name", entry}, {"request", request}});
}

}  // namespace

struct PodTemplates::Documents {
  struct Document {
    Json json;
    std::vector<std::string> before;  ///< JSON of the claim templates that go before it
  };
  struct Place {
    std::size_t document;
    Json::json_pointer pointer;
  };

  std::vector<Document> all;
  std::vector<Place> places;  ///< of the templates

  Json& pod(std::size_t place) { return all[places[place].document].json[places[place].pointer]; }
};

PodTemplates::PodTemplates(std::unique_ptr<Documents> documents)
    : documents_(std::move(documents)) {}
PodTemplates::PodTemplates(PodTemplates&&) noexcept = default;
PodTemplates& PodTemplates::operator=(PodTemplates&&) noexcept = default;
PodTemplates::~PodTemplates() = default;

Result<void> PodTemplates::add(std::string_view file, int line) {
  const auto document = documents_->all.size() - 1;
  const auto& json = documents_->all.back().json;
  const auto& meta = object_at(json, "metadata");
  const auto kind = text_at(json, "kind");
  const auto space = text_at(meta, "namespace");
  const auto name = name_of(meta);
  if (kind == "ResourceClaimTemplate") claim_templates_.push_back(space + "/" + name);
  Found found;
  if (kind == "Pod") {
    // One without a spec is as another kind of object: nothing in it can be changed.
    const auto spec = json.find("spec");
    if (spec != json.end() && spec->is_object()) found.emplace_back(Json::json_pointer(), "");
  } else {
    find_templates(json, Json::json_pointer(), "", found);
  }
  const auto object = fmt::format("{} {}{}{}", kind, space, space.empty() ? "" : "/", name);
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto view = view_of(json[found[i].first]);
    if (!view) {
      return std::unexpected(
          std::move(view.error()).within(fmt::format("{}:{}: {}", file, line, object)));
    }
    view->object = object;
    view->path = found[i].second;
    view->line = line;
    view->kind = kind;
    view->namespace_name = space;
    view->name = name;
    view->index = i;
    view->of = found.size();
    templates_.push_back(std::move(*view));
    documents_->places.push_back({document, found[i].first});
  }
  return {};
}

Result<PodTemplates> PodTemplates::read(std::string_view text, std::string_view file) {
  const auto documents = read_documents(text);
  if (!documents) {
    return fail(ErrorCode::invalid,
                fmt::format("{}:{}: {}", file, documents.error().line, documents.error().text));
  }
  PodTemplates made(std::make_unique<Documents>());
  const auto add = [&](Json json, int line) -> Result<void> {
    if (!json.is_object()) {
      return fail(ErrorCode::invalid,
                  fmt::format("{}:{}: is no object of JSON or YAML", file, line));
    }
    made.documents_->all.push_back({std::move(json), {}});
    return made.add(file, line);
  };
  for (const auto& document : *documents) {
    if (is_too_deep(document.json)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{}:{}: nested deeper than {}", file, document.line, deepest_yaml));
    }
    auto json = Json::parse(document.json, nullptr, false);
    if (json.is_null()) continue;
    if (!is_list(json)) {
      if (auto added = add(std::move(json), document.line); !added) {
        return std::unexpected(added.error());
      }
      continue;
    }
    auto& items = json["items"];
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto line = i < document.item_lines.size() ? document.item_lines[i] : document.line;
      if (auto added = add(std::move(items[i]), line); !added) {
        return std::unexpected(added.error());
      }
    }
  }
  return made;
}

void PodTemplates::use_claim(std::size_t place, const ClaimInPlace& change) {
  auto& spec = documents_->pod(place)["spec"];
  for (auto& container : spec["containers"]) {
    const auto name = text_at(container, "name");
    if (const auto removed = change.removed.find(name); removed != change.removed.end()) {
      remove_resources(container, removed->second);
    }
    if (const auto requests = change.requests.find(name); requests != change.requests.end()) {
      add_claims(container, change.entry, requests->second);
    }
  }
  auto& claims = spec["resourceClaims"];
  if (!claims.is_array()) claims = Json::array();
  claims.push_back({{"name", change.entry}, {"resourceClaimTemplateName", change.claim_template}});
  ResourceClaimTemplate made;
  made.meta.name = change.claim_template;
  made.meta.namespace_name = templates_[place].namespace_name;
  made.spec = change.spec;
  documents_->all[documents_->places[place].document].before.push_back(encode_object(made));
}

void PodTemplates::set_scheduler(std::size_t place, const std::string& name) {
  documents_->pod(place)["spec"]["schedulerName"] = name;
}

std::string PodTemplates::yaml() const {
  std::string text;
  for (const auto& document : documents_->all) {
    for (const auto& before : document.before) {
      text += (text.empty() ? "" : "---\n") + json_to_yaml(before);
    }
    text += (text.empty() ? "" : "---\n") + json_to_yaml(document.json.dump());
  }
  return text;
}

}  // namespace dray::wire

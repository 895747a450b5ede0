#include "wire/object/object_codec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wire/object/codecs.h"
#include "wire/object/make_out.h"
#include "wire/object/read_object.h"

namespace dray::wire {
namespace {

/// Splits `resource.k8s.io/v1`; the core group has no name.
std::pair<std::string_view, std::string_view> group_and_version(std::string_view api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {{}, api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

template <std::size_t I = 0>
KubeObject make(Kind kind) {
  if constexpr (I + 1 < std::variant_size_v<KubeObject>) {
    if (static_cast<std::size_t>(kind) != I) return make<I + 1>(kind);
  }
  return KubeObject(std::in_place_index<I>);
}

std::string name_in(const Reader& in) {
  std::string name;
  in.fields(
      [&](auto& io) { io.object("metadata", [&](auto& meta) { meta.field("name", name); }); });
  return name;
}

struct ListHead {
  std::string kind;  ///< of the items, where the list says it
  std::string api_version;
};

void read_list_meta(FieldReader& io, ObjectList& list) {
  io.object("metadata", [&](auto& meta) {
    meta.field("resourceVersion", list.resource_version);
    meta.field("continue", list.continue_token);
  });
}

void keep(DecodedObject object, ObjectList& list) {
  if (auto* known = std::get_if<KubeObject>(&object)) {
    list.items.push_back(std::move(*known));
  } else {
    list.unknown.push_back(std::get<UnknownObject>(std::move(object)));
  }
}

Result<DecodedObject> decode_item(std::string_view json, const ListHead& head) {
  Document document(json);
  std::optional<DecodedObject> object;
  document.visit(
      [&](const Reader& root) { object = read_object(root, head.kind, head.api_version); });
  if (document.problem()) return std::unexpected(error_about(*document.problem(), object));
  return *std::move(object);
}

/// Who the object is that could not be read, and what it holds.
std::optional<KubeObject> make_out(std::string_view json, const ListHead& head,
                                   const Error& problem) {
  Document document(json);
  std::optional<Kind> kind;
  document.visit([&](const Reader& root) {
    auto own_kind = root.peek("kind");
    auto own_version = root.peek("apiVersion");
    if (own_kind.empty()) own_kind = head.kind;
    if (own_version.empty()) own_version = head.api_version;
    kind = find_kind(group_and_version(own_version).first, own_kind);
  });
  if (!kind) return std::nullopt;
  auto object = make(*kind);
  meta_of(object) = identity_in(json);
  if (meta_of(object).name.empty()) return std::nullopt;
  if (auto* claim = std::get_if<ResourceClaim>(&object)) {
    claim->spec.unreadable = problem.message;
    make_out_use(json, *claim);
  }
  return object;
}

/// Each item by itself, after one of them has stopped the common pass.
Result<ObjectList> decode_item_by_item(std::string_view json, const ListHead& head) {
  ObjectList list;
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      read_list_meta(io, list);
      if (io.member().key() != "items") return;
      io.member().items([&](const Reader& item) {
        const auto text = item.raw();
        if (auto object = decode_item(text, head)) {
          keep(*std::move(object), list);
        } else {
          auto known = make_out(text, head, object.error());
          list.rejected.push_back({std::move(object.error()), std::move(known)});
        }
      });
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  return list;
}

void read_status(const Reader& in, ApiStatus& out) {
  in.fields([&](auto& io) {
    io.field("code", out.code);
    io.field("reason", out.reason);
    io.field("message", out.message);
    io.object("details", [&](auto& details) {
      if (details.member().key() != "causes") return;
      details.member().items([&](const Reader& item) {
        auto& reason = out.causes.emplace_back();
        item.fields([&](auto& cause) { cause.field("reason", reason); });
      });
    });
  });
}

std::optional<WatchedObject::Change> change_of(std::string_view type) {
  if (type == "ADDED") return WatchedObject::Change::added;
  if (type == "MODIFIED") return WatchedObject::Change::modified;
  if (type == "DELETED") return WatchedObject::Change::deleted;
  return std::nullopt;
}

void read_event(const Reader& in, std::string_view type, std::optional<WatchEvent>& event,
                std::optional<DecodedObject>& object) {
  if (type == "ERROR") {
    read_status(in, event.emplace().emplace<ApiStatus>());
  } else if (type == "BOOKMARK") {
    auto& bookmark = event.emplace().emplace<Bookmark>();
    in.fields([&](auto& io) {
      io.object("metadata",
                [&](auto& meta) { meta.field("resourceVersion", bookmark.resource_version); });
    });
  } else if (const auto change = change_of(type)) {
    object = read_object(in, {}, {});
    if (!in.failed()) event = WatchedObject{*change, *std::move(object)};
  } else {
    in.fail(fmt::format("unknown watch event type \"{}\"", type));
  }
}

/// The line again, for who the object is that could not be read.
std::optional<WatchEvent> rejected_change(std::string_view json, const Error& error) {
  std::optional<WatchEvent> event;
  Document document(json);
  document.visit([&](const Reader& root) {
    const auto change = change_of(root.peek("type"));
    if (!change) return;
    root.members([&](const Reader& member) {
      if (member.key() != "object") return;
      if (auto object = make_out(member.raw(), {}, error)) {
        event = RejectedChange{*change, {error, std::move(object)}};
      }
    });
  });
  return event;
}

}  // namespace

DecodedObject read_object(const Reader& in, std::string_view kind, std::string_view api_version) {
  // Items of a typed list do not say what they are.
  auto own_kind = in.peek("kind");
  auto own_version = in.peek("apiVersion");
  if (own_kind.empty()) own_kind = kind;
  if (own_version.empty()) own_version = api_version;
  if (own_kind.empty() || own_version.empty()) {
    in.fail("kind and apiVersion must be set");
    return UnknownObject{};
  }
  const auto [group, version] = group_and_version(own_version);
  const auto known = find_kind(group, own_kind);
  if (!known) return UnknownObject{own_version, own_kind, name_in(in)};
  auto object = make(*known);
  if (!kind_info(*known).versions.contains(version)) {
    meta_of(object).name = name_in(in);
    in.fail(fmt::format("apiVersion {} is not one that dray reads", own_version),
            ErrorCode::unsupported);
    return object;
  }
  in.set_api_version(own_version);
  std::visit([&in](auto& typed) { read(in, typed); }, object);
  return object;
}

Error error_about(const Problem& problem, const std::optional<DecodedObject>& object) {
  auto error = problem.to_error();
  if (!object) return error;
  if (const auto* known = std::get_if<KubeObject>(&*object)) {
    const bool named = !meta_of(*known).name.empty();
    return std::move(error).within(named ? describe(*known) : kind_info(kind_of(*known)).name);
  }
  const auto& kind = std::get<UnknownObject>(*object).kind;
  return kind.empty() ? error : std::move(error).within(kind);
}

Result<DecodedObject> decode_object(std::string_view json) {
  return decode_item(json, {});
}

Result<ObjectList> decode_list(std::string_view json) {
  Document document(json);
  ObjectList list;
  ListHead head;
  document.visit([&](const Reader& root) {
    head.kind = root.peek("kind");
    head.api_version = root.peek("apiVersion");
    if (!head.kind.ends_with("List")) {
      root.fail(fmt::format("expected a list, not kind \"{}\"", head.kind));
    }
    head.kind.resize(head.kind.size() - std::min<std::size_t>(head.kind.size(), 4));
    if (head.kind.empty()) head = {};
    root.fields([&](auto& io) {
      read_list_meta(io, list);
      if (io.member().key() != "items") return;
      io.member().items([&](const Reader& item) {
        auto object = read_object(item, head.kind, head.api_version);
        if (!item.failed()) keep(std::move(object), list);
      });
    });
  });
  if (!document.problem()) return list;
  const auto& path = document.problem()->path;
  if (path.size() > 1 && path[0].key == "items") return decode_item_by_item(json, head);
  return std::unexpected(document.problem()->to_error());
}

Result<ApiStatus> decode_status(std::string_view json) {
  Document document(json);
  ApiStatus status;
  document.visit([&](const Reader& root) { read_status(root, status); });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  return status;
}

Result<WatchEvent> decode_watch_line(std::string_view json) {
  Document document(json);
  std::optional<WatchEvent> event;
  std::optional<DecodedObject> object;
  document.visit([&](const Reader& root) {
    const auto type = root.peek("type");
    root.members([&](const Reader& member) {
      if (member.key() == "object") read_event(member, type, event, object);
    });
    if (!event) root.fail("a watch event without an object");
  });
  if (!document.problem()) return *std::move(event);
  auto error = error_about(*document.problem(), object);
  if (auto rejected = rejected_change(json, error)) return *std::move(rejected);
  return std::unexpected(std::move(error));
}

std::string encode_object(const KubeObject& object) {
  JsonWriter out;
  std::visit([&out](const auto& typed) { write(out, typed); }, object);
  return std::move(out).take();
}

}  // namespace dray::wire

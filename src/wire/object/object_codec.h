#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"

namespace dray::wire {

/// An object of a kind that dray does not keep: no error, and nothing more is read of it.
struct UnknownObject {
  std::string api_version;
  std::string kind;
  std::string name;

  bool operator==(const UnknownObject&) const = default;
};
using DecodedObject = std::variant<KubeObject, UnknownObject>;

/// One object from its JSON, in any version that its KindInfo names. Null is absent, unknown fields
/// are ignored, no default is applied. Errors name object and field: `ResourceSlice dgx-0:
/// spec.devices[3].capacity.memory.value: quantities must match ...`.
[[nodiscard]] Result<DecodedObject> decode_object(std::string_view json);

/// An object that cannot be read.
struct RejectedObject {
  Error error;
  /// What can be made out all the same: its name, namespace, uid and resourceVersion; of a claim
  /// also its devices and users, with `spec.unreadable` set. Nothing: not even who it is.
  std::optional<KubeObject> object;
};

/// A chunk of a list (`PodList`, `List`). An object that cannot be read does not spoil the others.
struct ObjectList {
  std::vector<KubeObject> items;
  std::vector<UnknownObject> unknown;
  std::vector<RejectedObject> rejected;
  ResourceVersion resource_version;
  std::string continue_token;  ///< empty: this was the last chunk
};
[[nodiscard]] Result<ObjectList> decode_list(std::string_view json);

/// A metav1.Status: how the API server answers what it refuses.
struct ApiStatus {
  std::int32_t code = 0;
  std::string reason;  ///< `Conflict`, `Expired`…
  std::string message;
  std::vector<std::string> causes = {};  ///< details.causes by their reasons

  bool operator==(const ApiStatus&) const = default;
};
[[nodiscard]] Result<ApiStatus> decode_status(std::string_view json);

struct WatchedObject {
  enum class Change : std::uint8_t { added, modified, deleted };
  Change change = Change::added;
  DecodedObject object;
};
/// A change of an object that cannot be read.
struct RejectedChange {
  WatchedObject::Change change = WatchedObject::Change::added;
  RejectedObject object;
};
struct Bookmark {
  ResourceVersion resource_version;
};
/// One line of a watch: a change, a bookmark, or an error such as 410 inside the 200 stream. An
/// error is a line that says nothing of an object.
using WatchEvent = std::variant<WatchedObject, Bookmark, ApiStatus, RejectedChange>;
[[nodiscard]] Result<WatchEvent> decode_watch_line(std::string_view json);

/// The whole object, in the first version of its KindInfo. Times of metav1.Time lose their
/// fraction.
[[nodiscard]] std::string encode_object(const KubeObject& object);

}  // namespace dray::wire

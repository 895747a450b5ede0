#include <string_view>
#include <variant>

#include "dray/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/object/object_codec.h"

namespace dray::fuzz {
namespace {

void check_list(std::string_view json) {
  const auto list = wire::decode_list(json);
  if (!list) {
    DRAY_CHECK(!list.error().message.empty());
    return;
  }
  for (const auto& rejected : list->rejected) {
    DRAY_CHECK(!rejected.error.message.empty());
    if (!rejected.object) continue;
    // It is kept by its name, and a claim like that is never allocated anew.
    DRAY_CHECK(!meta_of(*rejected.object).name.empty());
    const auto* claim = std::get_if<ResourceClaim>(&*rejected.object);
    DRAY_CHECK(claim == nullptr || !claim->spec.unreadable.empty());
  }
  for (const auto& item : list->items) {
    DRAY_CHECK(wire::decode_object(wire::encode_object(item)).has_value());
  }
}

void check_line(std::string_view json) {
  const auto event = wire::decode_watch_line(json);
  if (!event) {
    DRAY_CHECK(!event.error().message.empty());
    return;
  }
  if (const auto* rejected = std::get_if<wire::RejectedChange>(&*event)) {
    DRAY_CHECK(!rejected->object.error.message.empty());
  }
}

}  // namespace

/// Answers of the API server: the first character says whether it is a list, a line of a watch or a
/// Status.
void object_list(std::string_view bytes) {
  Input input(bytes);
  switch (input.pick(3)) {
    case 0:
      return check_list(input.rest());
    case 1:
      return check_line(input.rest());
    default:
      if (const auto status = wire::decode_status(input.rest()); !status) {
        DRAY_CHECK(!status.error().message.empty());
      }
  }
}

}  // namespace dray::fuzz

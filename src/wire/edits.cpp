#include "wire/edits.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wire/codecs.h"

namespace dray::wire {
namespace {

using Json = nlohmann::json;

/// Calls `change(object)`, which may find nothing to do; the new text if it did something. The only
/// place where nlohmann's exceptions end: they mean an object that is not shaped as its kind.
template <class F>
Result<std::optional<std::string>> edit(std::string_view text, std::string_view what, F&& change) {
  try {
    auto object = Json::parse(text);
    Result<bool> changed = change(object);
    if (!changed) return std::unexpected(std::move(changed.error()).within(what));
    if (!*changed) return std::optional<std::string>();
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid, fmt::format("{}: {}", what, error.what()));
  }
}

/// The same where the text is wanted in any case.
template <class F>
Result<std::string> edit_always(std::string_view text, std::string_view what, F&& change) {
  auto edited = edit(text, what, change);
  if (!edited) return std::unexpected(std::move(edited.error()));
  return *edited ? **std::move(edited) : std::string(text);
}

template <class T>
Json to_json(const T& value) {
  JsonWriter out;
  write(out, value);
  return Json::parse(std::move(out).take());
}

std::string what(const ClaimKey& claim) {
  return "claim " + claim.to_string();
}

Result<bool> check_uid(const Json& object, const Uid& uid) {
  if (object.at("metadata").value("uid", "") == uid.get()) return true;
  return fail(ErrorCode::conflict, "its uid is another by now");
}

/// That the engine saw this very version.
template <class Write>
Result<bool> check_version(const Json& object, const Write& write) {
  if (auto same = check_uid(object, write.uid); !same) return same;
  const auto version = object.at("metadata").value("resourceVersion", "");
  if (version == write.expected.get()) return true;
  return fail(ErrorCode::conflict, fmt::format("it is at resourceVersion {} and no longer at {}",
                                               version, write.expected.get()));
}

void annotate(Json& object, const Labels& annotations) {
  for (const auto& [key, value] : annotations) object["metadata"]["annotations"][key] = value;
}

bool erase_if_empty(Json& object, const char* key) {
  if (!object.contains(key) || !object[key].empty()) return false;
  object.erase(key);
  return true;
}

}  // namespace

Result<std::string> protect_claim(std::string_view claim, const engine::ProtectClaim& write) {
  return edit_always(claim, what(write.claim), [&](Json& object) {
    auto checked = check_version(object, write);
    if (!checked) return checked;
    auto& finalizers = object["metadata"]["finalizers"];
    if (std::ranges::find(finalizers, Json(claim_finalizer)) == finalizers.end()) {
      finalizers.push_back(claim_finalizer);
    }
    annotate(object, write.annotations);
    return checked;
  });
}

Result<std::string> allocate_claim(std::string_view claim, const engine::AllocateClaim& write) {
  return edit_always(claim, what(write.claim), [&](Json& object) {
    auto checked = check_version(object, write);
    if (!checked) return checked;
    auto& status = object["status"];
    status["allocation"] = to_json(write.allocation);
    status["reservedFor"] = to_json(write.reserved_for);
    return checked;
  });
}

Result<std::string> reserve_claim(std::string_view claim, const engine::ReserveClaim& write) {
  return edit_always(claim, what(write.claim), [&](Json& object) -> Result<bool> {
    if (auto checked = check_version(object, write); !checked) return checked;
    auto& users = object["status"]["reservedFor"];
    const bool reserved = std::ranges::any_of(
        users, [&](const Json& user) { return user.value("uid", "") == write.consumer.uid.get(); });
    if (!reserved) users.push_back(to_json(write.consumer));
    return !reserved;
  });
}

Result<std::optional<std::string>> release_claim(std::string_view claim,
                                                 const engine::ReleaseClaim& write) {
  return edit(claim, what(write.claim), [&](Json& object) -> Result<bool> {
    if (auto checked = check_uid(object, write.uid); !checked) return checked;
    if (!object.contains("status") || !object["status"].contains("reservedFor")) return false;
    auto& status = object["status"];
    auto& users = status["reservedFor"];
    const auto gone = std::ranges::find_if(
        users, [&](const Json& user) { return user.value("uid", "") == write.consumer.get(); });
    if (gone == users.end()) return false;
    users.erase(gone);
    if (!erase_if_empty(status, "reservedFor") || !write.deallocate) return true;
    // status.devices goes with it on the server; removing it here would need a driver's rights.
    status.erase("allocation");
    return true;
  });
}

Result<std::optional<std::string>> unprotect_claim(std::string_view claim) {
  return edit(claim, "claim", [&](Json& object) -> Result<bool> {
    auto& meta = object.at("metadata");
    if (!meta.contains("finalizers")) return false;
    auto& finalizers = meta["finalizers"];
    const auto found = std::ranges::find(finalizers, Json(claim_finalizer));
    if (found == finalizers.end()) return false;
    finalizers.erase(found);
    erase_if_empty(meta, "finalizers");
    return true;
  });
}

Result<std::string> put_lease(std::string_view lease, const engine::PutLease& write) {
  return edit_always(lease, "lease " + write.lease.to_string(), [&](Json& object) -> Result<bool> {
    object.at("metadata")["resourceVersion"] = write.expected.get();
    annotate(object, write.value.meta.annotations);
    auto fields = to_json(write.value);
    // A released lease has no holder: omitted fields must not stay as they were.
    for (const auto* key : {"holderIdentity", "leaseDurationSeconds", "leaseTransitions",
                            "acquireTime", "renewTime"}) {
      object["spec"].erase(key);
    }
    object["spec"].update(fields["spec"]);
    return true;
  });
}

}  // namespace dray::wire

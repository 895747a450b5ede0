#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kube/write_request.h"
#include "wire/object/object_codec.h"

namespace dray::kube {
namespace {

using engine::Write;
using engine::WriteOutcome;
using engine::WrittenObject;

ErrorCode code_of(int status) {
  switch (status) {
    case 404:
      return ErrorCode::not_found;
    case 409:
      return ErrorCode::conflict;
    case 410:
      return ErrorCode::gone;
    case 401:
    case 403:
      return ErrorCode::denied;
    case 429:
      return ErrorCode::unavailable;
    default:
      return status / 100 == 4 ? ErrorCode::invalid : ErrorCode::unavailable;
  }
}

/// The API server's own words, or the beginning of what came instead.
std::string message_of(const net::HttpResponse& response) {
  const auto status = wire::decode_status(response.body);
  if (status && !status->message.empty()) return status->message;
  constexpr std::size_t enough = 200;
  return response.body.substr(0, enough);
}

/// A patch that names another uid than the object's: the API server calls that an invalid change
/// of metadata.uid; it means that the object is another one now.
bool names_other_object(const Error& error) {
  return error.code == ErrorCode::invalid &&
         error.message.find("metadata.uid") != std::string::npos;
}

template <class T>
WriteOutcome take(wire::DecodedObject decoded) {
  if (auto* object = std::get_if<KubeObject>(&decoded)) {
    if (auto* wanted = std::get_if<T>(object)) return WrittenObject(std::move(*wanted));
  }
  return fail(ErrorCode::unavailable, "the answer holds another kind of object");
}

WriteOutcome object_in(Answered answered, const std::string& body) {
  if (answered == Answered::nothing) return WrittenObject();
  auto decoded = wire::decode_object(body);
  // It happened, but what there is now is not known: as if there had been no answer.
  if (!decoded) return fail(ErrorCode::unavailable, "answer: " + decoded.error().message);
  if (answered == Answered::claim) return take<ResourceClaim>(std::move(*decoded));
  if (answered == Answered::pod) return take<Pod>(std::move(*decoded));
  if (answered == Answered::config_map) return take<ConfigMap>(std::move(*decoded));
  return take<Lease>(std::move(*decoded));
}

/// How a write is named in metrics and in messages.
struct Name {
  std::string_view doing;
  std::string object;
};

Name name(const engine::LiftGate& w) {
  return {"lift the gate of pod", w.pod.to_string()};
}
Name name(const engine::AnnotatePod& w) {
  return {"annotate pod", w.pod.to_string()};
}
Name name(const engine::NominateNode& w) {
  return {"nominate a node for pod", w.pod.to_string()};
}
Name name(const engine::SetPodCondition& w) {
  return {"set a condition of pod", w.pod.to_string()};
}
Name name(const engine::ProtectClaim& w) {
  return {"protect claim", w.claim.to_string()};
}
Name name(const engine::AllocateClaim& w) {
  return {"allocate claim", w.claim.to_string()};
}
Name name(const engine::ReserveClaim& w) {
  return {"reserve claim", w.claim.to_string()};
}
Name name(const engine::ReleaseClaim& w) {
  return {"release claim", w.claim.to_string()};
}
Name name(const engine::CreateClaim& w) {
  return {"create claim", w.claim.key().to_string()};
}
Name name(const engine::DeleteClaim& w) {
  return {"delete claim", w.claim.to_string()};
}
Name name(const engine::NameExtendedClaim& w) {
  return {"name the extended resource claim of pod", w.pod.to_string()};
}
Name name(const engine::SetNodeAllocatable& w) {
  return {"write the node resources of pod", w.pod.to_string()};
}
Name name(const engine::ReadClaim& w) {
  return {"read claim", w.claim.to_string()};
}
Name name(const engine::ReadPod& w) {
  return {"read pod", w.pod.to_string()};
}
Name name(const engine::BindPod& w) {
  return {"bind pod", w.pod.to_string()};
}
Name name(const engine::EvictPod& w) {
  return {"evict pod", w.pod.to_string()};
}
Name name(const engine::RecordEvent& w) {
  return {"record an event of pod", w.pod.to_string()};
}
Name name(const engine::ReadLease& w) {
  return {"read lease", w.lease.to_string()};
}
Name name(const engine::PutLease& w) {
  return {"put lease", w.lease.to_string()};
}
Name name(const engine::ReadConfigMap& w) {
  return {"read config map", w.map.to_string()};
}
Name name(const engine::PutConfigMap& w) {
  return {"put config map", w.map.to_string()};
}

Name name(const engine::RequestNodes& w) {
  const auto& meta = w.request.meta;
  return {"request nodes by", ProvisioningKey{meta.namespace_name, meta.name}.to_string()};
}
Name name(const engine::WithdrawNodes& w) {
  return {"withdraw the request for nodes", w.request.to_string()};
}

}  // namespace

Error error_of(const net::HttpResponse& response) {
  return {code_of(response.status),
          fmt::format("{} {}: {}", response.status, net::status_text(response.status),
                      message_of(response))};
}

WriteOutcome outcome_of(const Write& write, Answered answered, const net::HttpResponse& response) {
  if (response.status / 100 == 2) return object_in(answered, response.body);
  auto error = error_of(response);
  const bool deletes = std::holds_alternative<engine::DeleteClaim>(write) ||
                       std::holds_alternative<engine::WithdrawNodes>(write);
  if (deletes && response.status == 404) return WrittenObject();
  const bool evicts = std::holds_alternative<engine::EvictPod>(write);
  if (evicts && is_budget(response)) error.code = ErrorCode::denied;
  if (names_other_object(error)) error.code = ErrorCode::conflict;
  return std::unexpected(std::move(error));
}

Result<ProvisioningRequest> provisioning_request_in(const std::string& body) {
  auto decoded = wire::decode_object(body);
  if (!decoded) return fail(ErrorCode::unavailable, "answer: " + decoded.error().message);
  if (auto* object = std::get_if<KubeObject>(&*decoded)) {
    if (auto* found = std::get_if<ProvisioningRequest>(object)) return std::move(*found);
  }
  return fail(ErrorCode::unavailable, "the answer holds another kind of object");
}

bool is_other_epoch(const net::HttpResponse& response) {
  return response.status == 403 && response.body.contains("not of the Lease's epoch");
}

bool is_budget(const net::HttpResponse& response) {
  if (response.status != 429) return false;
  const auto status = wire::decode_status(response.body);
  return status && std::ranges::find(status->causes, "DisruptionBudget") != status->causes.end();
}

std::string describe(const Write& write) {
  const auto named = std::visit([](const auto& each) { return name(each); }, write);
  return fmt::format("{} {}", named.doing, named.object);
}

}  // namespace dray::kube

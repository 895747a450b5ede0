#include "kube/write_request.h"

#include <algorithm>
#include <utility>

#include "kube/api_path.h"
#include "wire/object/codecs.h"
#include "wire/object/object_codec.h"
#include "wire/object/pod_template_body.h"
#include "wire/requests.h"

namespace dray::kube {
namespace {

using wire::FieldWriter;
using wire::JsonWriter;

constexpr auto json = "application/json";

template <class F>
std::string body(F&& describe) {
  JsonWriter out;
  out.object(describe);
  return std::move(out).take();
}

WriteRequest made(std::string method, std::string target, std::string content_type,
                  std::string text, Answered answered) {
  WriteRequest request;
  request.http.method = std::move(method);
  request.http.target = std::move(target);
  request.http.headers.push_back({"Accept", "application/json"});
  if (!content_type.empty()) {
    request.http.headers.push_back({"Content-Type", std::move(content_type)});
  }
  request.http.body = std::move(text);
  request.answered = answered;
  return request;
}

std::string pod_path(const PodKey& pod) {
  return object_path(Kind::pod, "v1", pod.namespace_name, pod.name);
}

std::string claim_path(const ClaimKey& claim, const WriteContext& context) {
  return object_path(Kind::resource_claim, context.claim_version, claim.namespace_name, claim.name);
}

WriteRequest patch(std::string path, std::string text, Answered answered) {
  return made("PATCH", std::move(path), std::string(wire::strategic_merge_patch), std::move(text),
              answered);
}

WriteRequest read(std::string path, Answered answered) {
  return made("GET", std::move(path), "", "", answered);
}

/// PUT of a whole object that nobody else has fields in; POST where none is expected there.
template <class Key, class Object>
WriteRequest put_whole(Kind kind, const Key& key, const ResourceVersion& expected, Object object,
                       Answered answered) {
  object.meta.namespace_name = key.namespace_name;
  object.meta.name = key.name;
  object.meta.resource_version = expected;
  JsonWriter out;
  wire::write(out, object);
  const bool is_new = expected.get().empty();
  return made(is_new ? "POST" : "PUT",
              is_new ? collection_path(kind, "v1", key.namespace_name)
                     : object_path(kind, "v1", key.namespace_name, key.name),
              json, std::move(out).take(), answered);
}

/// `{"$patch": "delete", KEY: VALUE}`: takes one item off a list that merges by KEY.
void drop_item(JsonWriter& out, std::string_view key, std::string_view value) {
  out.begin_list();
  out.begin_object();
  out.key("$patch");
  out.string("delete");
  out.key(key);
  out.string(value);
  out.end_object();
  out.end_list();
}

/// A list member of an object, written by hand.
struct Dropped {
  std::string_view key;
  std::string value;
};
void write(JsonWriter& out, const Dropped& dropped) {
  drop_item(out, dropped.key, dropped.value);
}

struct Null {};
void write(JsonWriter& out, const Null&) {
  out.null();
}

void precondition(FieldWriter& meta, const Uid& uid, const ResourceVersion& expected) {
  meta.field("uid", uid);
  meta.field("resourceVersion", expected);
}

WriteRequest request(const engine::LiftGate& lift, const WriteContext& context) {
  return patch(pod_path(lift.pod), wire::lift_patch(lift, context.gate), Answered::pod);
}

WriteRequest request(const engine::AnnotatePod& annotate, const WriteContext&) {
  return patch(pod_path(annotate.pod), wire::annotation_patch(annotate), Answered::pod);
}

WriteRequest request(const engine::NominateNode& nominate, const WriteContext&) {
  return patch(pod_path(nominate.pod) + "/status", wire::nominate_patch(nominate), Answered::pod);
}

WriteRequest request(const engine::SetPodCondition& set, const WriteContext&) {
  return patch(pod_path(set.pod) + "/status", wire::condition_patch(set), Answered::pod);
}

WriteRequest request(const engine::ProtectClaim& protect, const WriteContext& context) {
  return patch(claim_path(protect.claim, context), body([&](FieldWriter& io) {
                 io.object("metadata", [&](FieldWriter& meta) {
                   precondition(meta, protect.uid, protect.expected);
                   meta.required("finalizers", std::vector<std::string>{claim_finalizer});
                 });
               }),
               Answered::claim);
}

WriteRequest request(const engine::AllocateClaim& allocate, const WriteContext& context) {
  return patch(claim_path(allocate.claim, context) + "/status", body([&](FieldWriter& io) {
                 io.object("metadata", [&](FieldWriter& meta) {
                   precondition(meta, allocate.uid, allocate.expected);
                 });
                 io.object("status", [&](FieldWriter& status) {
                   status.required("allocation", allocate.allocation);
                   status.field("reservedFor", allocate.reserved_for);
                 });
               }),
               Answered::claim);
}

WriteRequest request(const engine::ReserveClaim& reserve, const WriteContext& context) {
  return patch(claim_path(reserve.claim, context) + "/status", body([&](FieldWriter& io) {
                 io.object("metadata", [&](FieldWriter& meta) {
                   precondition(meta, reserve.uid, reserve.expected);
                 });
                 io.object("status", [&](FieldWriter& status) {
                   status.required("reservedFor", std::vector{reserve.consumer});
                 });
               }),
               Answered::claim);
}

WriteRequest request(const engine::ReleaseClaim& release, const WriteContext& context) {
  return read(claim_path(release.claim, context), Answered::claim);
}

/// Moves the claim's resourceVersion: the value is another each time.
WriteRequest undone_request(const engine::ReleaseClaim& release, const ResourceClaim& claim,
                            const WriteContext& context) {
  return patch(claim_path(release.claim, context), body([&](FieldWriter& io) {
                 io.object("metadata", [&](FieldWriter& meta) {
                   const auto& version = claim.meta.resource_version;
                   precondition(meta, release.uid, version);
                   meta.field("annotations", Labels{{engine::undone_annotation, version.get()}});
                 });
               }),
               Answered::claim);
}

WriteRequest request(const engine::CreateClaim& create, const WriteContext&) {
  auto text = wire::encode_object(create.claim);
  return made("POST", collection_path(Kind::resource_claim, "v1", create.claim.meta.namespace_name),
              json, std::move(text), Answered::claim);
}

WriteRequest request(const engine::DeleteClaim& drop, const WriteContext& context) {
  return made("DELETE", claim_path(drop.claim, context), json, wire::delete_body(drop),
              Answered::nothing);
}

WriteRequest request(const engine::NameExtendedClaim& name, const WriteContext&) {
  return patch(pod_path(name.pod) + "/status", wire::extended_claim_patch(name), Answered::pod);
}

/// A JSON merge patch: the list is replaced, and an empty one clears it (the API server keeps the
/// old list where a patch leaves none).
WriteRequest request(const engine::SetNodeAllocatable& set, const WriteContext&) {
  return made("PATCH", pod_path(set.pod) + "/status", std::string(wire::json_merge_patch),
              wire::node_allocatable_patch(set), Answered::pod);
}

WriteRequest request(const engine::ReadClaim& wanted, const WriteContext& context) {
  return read(claim_path(wanted.claim, context), Answered::claim);
}

WriteRequest request(const engine::ReadPod& wanted, const WriteContext&) {
  return read(pod_path(wanted.pod), Answered::pod);
}

WriteRequest request(const engine::BindPod& bind, const WriteContext&) {
  return made("POST", pod_path(bind.pod) + "/binding", json, wire::binding_body(bind),
              Answered::nothing);
}

WriteRequest request(const engine::EvictPod& evict, const WriteContext&) {
  return made("POST", pod_path(evict.pod) + "/eviction", json, wire::eviction_body(evict),
              Answered::nothing);
}

WriteRequest request(const engine::RecordEvent& record, const WriteContext& context) {
  const auto path = "/apis/events.k8s.io/v1/namespaces/" +
                    net::percent_encode(record.pod.namespace_name) + "/events";
  return made("POST", path, json,
              wire::event_body(record, {.controller = context.controller,
                                        .instance = context.instance,
                                        .trace = context.trace,
                                        .now = context.now}),
              Answered::nothing);
}

WriteRequest request(const engine::ReadLease& wanted, const WriteContext&) {
  return read(object_path(Kind::lease, "v1", wanted.lease.namespace_name, wanted.lease.name),
              Answered::lease);
}

WriteRequest request(const engine::PutLease& put, const WriteContext&) {
  return put_whole(Kind::lease, put.lease, put.expected, put.value, Answered::lease);
}

WriteRequest request(const engine::ReadConfigMap& wanted, const WriteContext&) {
  return read(object_path(Kind::config_map, "v1", wanted.map.namespace_name, wanted.map.name),
              Answered::config_map);
}

WriteRequest request(const engine::PutConfigMap& put, const WriteContext&) {
  return put_whole(Kind::config_map, put.map, put.expected, put.value, Answered::config_map);
}

std::string nodes_path(const ProvisioningKey& request) {
  return object_path(Kind::provisioning_request, "v1", request.namespace_name, request.name);
}

WriteRequest request(const engine::RequestNodes& wanted, const WriteContext&) {
  const auto& meta = wanted.request.meta;
  return made("POST", collection_path(Kind::provisioning_request, "v1", meta.namespace_name), json,
              wire::encode_object(wanted.request), Answered::nothing);
}

WriteRequest request(const engine::WithdrawNodes& drop, const WriteContext&) {
  return made("DELETE", nodes_path(drop.request), json, wire::delete_body(drop), Answered::nothing);
}

}  // namespace

WriteRequest read_request(const engine::RequestNodes& wanted) {
  const auto& meta = wanted.request.meta;
  return read(nodes_path({meta.namespace_name, meta.name}), Answered::nothing);
}

WriteRequest read_example(const engine::ExamplePod& example) {
  return read(pod_path(example.pod), Answered::nothing);
}

Result<WriteRequest> template_request(const engine::RequestNodes& wanted, std::size_t place,
                                      const ProvisioningRequest& request, const std::string& pod) {
  ObjectMeta meta;
  meta.namespace_name = request.meta.namespace_name;
  meta.name = wanted.request.pod_sets.at(place).pod_template;
  const auto& kind = kind_info(Kind::provisioning_request);
  meta.owners.push_back({.api_version = api_version_of(kind),
                         .kind = std::string(kind.name),
                         .name = request.meta.name,
                         .uid = request.meta.uid,
                         .controller = true});
  auto text = wire::pod_template_body(meta, pod, wanted.examples.at(place).uid);
  if (!text) return std::unexpected(std::move(text.error()));
  return made("POST",
              "/api/v1/namespaces/" + net::percent_encode(meta.namespace_name) + "/podtemplates",
              json, *std::move(text), Answered::nothing);
}

WriteRequest request_for(const engine::Write& write, const WriteContext& context) {
  return std::visit([&](const auto& each) { return request(each, context); }, write);
}

WriteRequest release_request(const engine::ReleaseClaim& release, const ResourceClaim& claim,
                             const WriteContext& context) {
  const auto is_ours = [&](const ClaimConsumer& user) { return user.uid == release.consumer; };
  const bool reserved = std::ranges::any_of(claim.reserved_for, is_ours);
  const bool others = !std::ranges::all_of(claim.reserved_for, is_ours);
  const bool deallocates = release.deallocate && claim.allocation && !others;
  if (!reserved && !deallocates) {
    return release.fence ? undone_request(release, claim, context) : WriteRequest();
  }
  return patch(claim_path(release.claim, context) + "/status", body([&](FieldWriter& io) {
                 io.object("metadata", [&](FieldWriter& meta) {
                   precondition(meta, release.uid, claim.meta.resource_version);
                 });
                 io.object("status", [&](FieldWriter& status) {
                   if (deallocates) status.required("allocation", Null{});
                   if (reserved) {
                     status.required("reservedFor", Dropped{"uid", release.consumer.get()});
                   }
                 });
               }),
               Answered::claim);
}

}  // namespace dray::kube

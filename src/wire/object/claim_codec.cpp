#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<ResourceClaim> T>
void describe(Io& io, T& claim) {
  type_fields(io, claim);
  io.required("metadata", claim.meta);
  io.required("spec", claim.spec);
  io.object("status", [&](auto& status) {
    status.field("allocation", claim.allocation);
    status.field("reservedFor", claim.reserved_for);
    status.items("devices", claim.device_statuses, [](auto& item, auto& device) {
      item.required("driver", device.device.driver);
      item.required("pool", device.device.pool);
      item.required("device", device.device.device);
      item.field("shareID", device.share_id);
      item.field("conditions", device.conditions);
    });
  });
}

template <class Io, Like<ResourceClaimTemplate> T>
void describe(Io& io, T& claim_template) {
  type_fields(io, claim_template);
  io.required("metadata", claim_template.meta);
  io.object("spec", [&](auto& spec) {
    spec.object("metadata", [&](auto& meta) {
      meta.field("labels", claim_template.claim_labels);
      meta.field("annotations", claim_template.claim_annotations);
    });
    spec.required("spec", claim_template.spec);
  });
}

}  // namespace

void read(const Reader& in, ResourceClaim& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const ResourceClaim& claim) {
  out.object([&](auto& io) { describe(io, claim); });
}
void read(const Reader& in, ResourceClaimTemplate& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const ResourceClaimTemplate& claim_template) {
  out.object([&](auto& io) { describe(io, claim_template); });
}

}  // namespace dray::wire

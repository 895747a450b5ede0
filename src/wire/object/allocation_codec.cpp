#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<AllocatedDevice> T>
void describe(Io& io, T& result) {
  io.required("request", result.request);
  io.required("driver", result.device.driver);
  io.required("pool", result.device.pool);
  io.required("device", result.device.device);
  io.field("adminAccess", result.admin_access);
  io.field("tolerations", result.tolerations);
  io.field("bindingConditions", result.binding_conditions);
  io.field("bindingFailureConditions", result.binding_failure_conditions);
  io.field("shareID", result.share_id);
  io.field("consumedCapacity", result.consumed_capacity);
  io.field("skipNodeOperations", result.skip_node_operations);
}

template <class Io, Like<AllocatedConfig> T>
void describe(Io& io, T& config) {
  if constexpr (Io::reading) {
    if (io.member().key() == "source") config.from_class = io.member().string() == "FromClass";
  } else {
    io.required("source", std::string(config.from_class ? "FromClass" : "FromClaim"));
  }
  io.field("requests", config.requests);
  io.field("opaque", config.opaque);
}

template <class Io, Like<AllocationResult> T>
void describe(Io& io, T& allocation) {
  io.object("devices", [&](auto& devices) {
    devices.items("results", allocation.devices,
                  [](auto& item, auto& result) { describe(item, result); });
    devices.items("config", allocation.config,
                  [](auto& item, auto& config) { describe(item, config); });
  });
  io.field("nodeSelector", allocation.node_selector);
  io.field("allocationTimestamp", allocation.allocated);
}

template <class Io, Like<ClaimConsumer> T>
void describe(Io& io, T& consumer) {
  io.field("apiGroup", consumer.api_group);
  io.required("resource", consumer.resource);
  io.required("name", consumer.name);
  io.required("uid", consumer.uid);
}

}  // namespace

void read(const Reader& in, AllocationResult& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const AllocationResult& allocation) {
  out.object([&](auto& io) { describe(io, allocation); });
}
void read(const Reader& in, ClaimConsumer& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const ClaimConsumer& consumer) {
  out.object([&](auto& io) { describe(io, consumer); });
}

}  // namespace dray::wire

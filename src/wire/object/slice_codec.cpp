#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<ResourceSlice> T>
void describe(Io& io, T& slice) {
  type_fields(io, slice);
  io.required("metadata", slice.meta);
  io.object("spec", [&](auto& spec) {
    spec.required("driver", slice.driver);
    spec.object("pool", [&](auto& pool) {
      pool.required("name", slice.pool);
      pool.required("generation", slice.pool_generation);
      pool.required("resourceSliceCount", slice.pool_slice_count);
    });
    spec.field("nodeName", slice.scope.node_name);
    spec.field("nodeSelector", slice.scope.node_selector);
    spec.field("allNodes", slice.scope.all_nodes);
    spec.field("perDeviceNodeSelection", slice.per_device_node_selection);
    spec.field("devices", slice.devices);
    spec.items("sharedCounters", slice.shared_counters, [](auto& item, auto& set) {
      item.required("name", set.name);
      item.entries("counters", set.counters,
                   [](auto& entry, auto& value) { entry.required("value", value); });
    });
    spec.field("skipNodeOperations", slice.skip_node_operations);
  });
}

}  // namespace

void read(const Reader& in, ResourceSlice& out) {
  in.fields([&](auto& io) { describe(io, out); });
  // v1beta1 writes "" where v1 leaves the field out.
  if (out.scope.node_name && out.scope.node_name->get().empty()) out.scope.node_name.reset();
}
void write(JsonWriter& out, const ResourceSlice& slice) {
  out.object([&](auto& io) { describe(io, slice); });
}

}  // namespace dray::wire

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<DeviceClass> T>
void describe(Io& io, T& device_class) {
  type_fields(io, device_class);
  io.required("metadata", device_class.meta);
  io.object("spec", [&](auto& spec) {
    spec.field("selectors", device_class.selectors);
    spec.items("config", device_class.config,
               [](auto& item, auto& config) { item.field("opaque", config); });
    spec.field("extendedResourceName", device_class.extended_resource_name);
  });
}

}  // namespace

void read(const Reader& in, DeviceClass& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const DeviceClass& device_class) {
  out.object([&](auto& io) { describe(io, device_class); });
}

}  // namespace dray::wire

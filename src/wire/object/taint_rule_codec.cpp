#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<DeviceTaintRule> T>
void describe(Io& io, T& rule) {
  type_fields(io, rule);
  io.required("metadata", rule.meta);
  io.object("spec", [&](auto& spec) {
    spec.object("deviceSelector", rule.has_selector, [&](auto& selector) {
      selector.field("driver", rule.driver);
      selector.field("pool", rule.pool);
      selector.field("device", rule.device);
    });
    spec.required("taint", rule.taint);
  });
}

}  // namespace

void read(const Reader& in, DeviceTaintRule& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const DeviceTaintRule& rule) {
  out.object([&](auto& io) { describe(io, rule); });
}

}  // namespace dray::wire

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<Node> T>
void describe(Io& io, T& node) {
  type_fields(io, node);
  io.required("metadata", node.meta);
  io.object("spec", [&](auto& spec) {
    spec.field("unschedulable", node.unschedulable);
    spec.items("taints", node.taints, [](auto& item, auto& taint) {
      item.required("key", taint.key);
      item.field("value", taint.value);
      item.required("effect", taint.effect);
    });
  });
  io.object("status", [&](auto& status) {
    status.field("allocatable", node.allocatable);
    status.field("conditions", node.conditions);
    status.field("declaredFeatures", node.declared_features);
  });
}

template <class Io, Like<Namespace> T>
void describe(Io& io, T& name_space) {
  type_fields(io, name_space);
  io.required("metadata", name_space.meta);
}

}  // namespace

void read(const Reader& in, Node& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const Node& node) {
  out.object([&](auto& io) { describe(io, node); });
}
void read(const Reader& in, Namespace& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const Namespace& name_space) {
  out.object([&](auto& io) { describe(io, name_space); });
}

}  // namespace dray::wire

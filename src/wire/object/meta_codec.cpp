#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<OwnerReference> T>
void describe(Io& io, T& owner) {
  io.field("apiVersion", owner.api_version);
  io.field("kind", owner.kind);
  io.field("name", owner.name);
  io.field("uid", owner.uid);
  io.field("controller", owner.controller);
}

template <class Io, Like<ObjectMeta> T>
void describe(Io& io, T& meta) {
  io.field("name", meta.name);
  io.field("namespace", meta.namespace_name);
  io.field("uid", meta.uid);
  io.field("resourceVersion", meta.resource_version);
  io.field("creationTimestamp", meta.created);
  io.field("deletionTimestamp", meta.deleted);
  io.field("labels", meta.labels);
  io.field("annotations", meta.annotations);
  io.field("finalizers", meta.finalizers);
  io.items("ownerReferences", meta.owners, [](auto& item, auto& owner) { describe(item, owner); });
}

template <class Io, Like<Condition> T>
void describe(Io& io, T& condition) {
  io.required("type", condition.type);
  io.required("status", condition.status);
  io.field("reason", condition.reason);
  io.field("message", condition.message);
  io.field("lastTransitionTime", condition.last_transition);
}

template <class Io, Like<NodeSelectorRequirement> T>
void describe(Io& io, T& requirement) {
  io.required("key", requirement.key);
  io.required("operator", requirement.op);
  io.field("values", requirement.values);
}

template <class Io, Like<NodeSelector> T>
void describe(Io& io, T& selector) {
  io.items("nodeSelectorTerms", selector.terms, [](auto& item, auto& term) {
    const auto requirement = [](auto& inner, auto& x) { describe(inner, x); };
    item.items("matchExpressions", term.match_expressions, requirement);
    item.items("matchFields", term.match_fields, requirement);
  });
}

}  // namespace

void read(const Reader& in, ObjectMeta& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const ObjectMeta& meta) {
  out.object([&](auto& io) { describe(io, meta); });
}
void read(const Reader& in, Condition& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const Condition& condition) {
  out.object([&](auto& io) { describe(io, condition); });
}
void read(const Reader& in, NodeSelector& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const NodeSelector& selector) {
  out.object([&](auto& io) { describe(io, selector); });
}

}  // namespace dray::wire

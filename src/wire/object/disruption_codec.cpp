#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<LabelSelector> T>
void describe(Io& io, T& selector) {
  io.field("matchLabels", selector.match_labels);
  io.items("matchExpressions", selector.match_expressions, [](auto& item, auto& requirement) {
    item.required("key", requirement.key);
    item.required("operator", requirement.op);
    item.field("values", requirement.values);
  });
}

template <class Io, Like<PodDisruptionBudget> T>
void describe(Io& io, T& budget) {
  type_fields(io, budget);
  io.required("metadata", budget.meta);
  io.object("spec", [&](auto& spec) {
    spec.optional("selector", budget.selector, [](auto& item, auto& it) { describe(item, it); });
  });
  io.object("status", [&](auto& status) {
    status.required("disruptionsAllowed", budget.disruptions_allowed);
  });
}

}  // namespace

void read(const Reader& in, PodDisruptionBudget& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const PodDisruptionBudget& budget) {
  out.object([&](auto& io) { describe(io, budget); });
}

}  // namespace dray::wire

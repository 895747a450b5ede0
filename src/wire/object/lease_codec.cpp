#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<Lease> T>
void describe(Io& io, T& lease) {
  type_fields(io, lease);
  io.required("metadata", lease.meta);
  io.object("spec", [&](auto& spec) {
    spec.field("holderIdentity", lease.holder);
    spec.field("leaseDurationSeconds", lease.duration_seconds);
    spec.field("leaseTransitions", lease.transitions);
    spec.micro_time("acquireTime", lease.acquired);
    spec.micro_time("renewTime", lease.renewed);
  });
}

}  // namespace

void read(const Reader& in, Lease& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const Lease& lease) {
  out.object([&](auto& io) { describe(io, lease); });
}

}  // namespace dray::wire

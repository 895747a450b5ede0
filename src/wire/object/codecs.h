#pragma once

#include <type_traits>

#include "dray/model/object.h"
#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"

// How each model type looks in JSON. A field list is a function template describe(io, x), which
// reads with a FieldReader and writes with a FieldWriter, so that both know the same fields. That
// of a kind stands with its struct (T::describe, what is below the metadata), unless reading needs
// more than the list: then there is a codec for it here.

namespace dray::wire {

/// `T` is Model, or const Model when writing.
template <class T, class Model>
concept Like = std::is_same_v<std::remove_const_t<T>, Model>;

void read(const Reader& in, ObjectMeta& out);
void write(JsonWriter& out, const ObjectMeta& meta);
void read(const Reader& in, Condition& out);
void write(JsonWriter& out, const Condition& condition);
void read(const Reader& in, NodeSelector& out);
void write(JsonWriter& out, const NodeSelector& selector);

void read(const Reader& in, Node& out);
void write(JsonWriter& out, const Node& node);
void read(const Reader& in, Namespace& out);
void write(JsonWriter& out, const Namespace& name_space);
void read(const Reader& in, NodeAllocatableClaim& out);
void write(JsonWriter& out, const NodeAllocatableClaim& claim);
void read(const Reader& in, Pod& out);
void write(JsonWriter& out, const Pod& pod);

void read(const Reader& in, DeviceTaint& out);
void write(JsonWriter& out, const DeviceTaint& taint);
void read(const Reader& in, AttributeValue& out);
void write(JsonWriter& out, const AttributeValue& value);
void read(const Reader& in, Device& out);
void write(JsonWriter& out, const Device& device);
void read(const Reader& in, ResourceSlice& out);
void write(JsonWriter& out, const ResourceSlice& slice);

void read(const Reader& in, DeviceSelector& out);
void write(JsonWriter& out, const DeviceSelector& selector);
void read(const Reader& in, OpaqueConfig& out);
void write(JsonWriter& out, const OpaqueConfig& config);
void read(const Reader& in, DeviceToleration& out);
void write(JsonWriter& out, const DeviceToleration& toleration);
void read(const Reader& in, ClaimSpec& out);
void write(JsonWriter& out, const ClaimSpec& spec);
void read(const Reader& in, AllocationResult& out);
void write(JsonWriter& out, const AllocationResult& allocation);
void read(const Reader& in, ClaimConsumer& out);
void write(JsonWriter& out, const ClaimConsumer& consumer);
void read(const Reader& in, ResourceClaim& out);
void write(JsonWriter& out, const ResourceClaim& claim);
void read(const Reader& in, ResourceClaimTemplate& out);
void write(JsonWriter& out, const ResourceClaimTemplate& claim_template);

void read(const Reader& in, PodDisruptionBudget& out);
void write(JsonWriter& out, const PodDisruptionBudget& budget);
void read(const Reader& in, PodGroup& out);
void write(JsonWriter& out, const PodGroup& group);
void read(const Reader& in, KubeWorkload& out);
void write(JsonWriter& out, const KubeWorkload& workload);
void read(const Reader& in, JobSet& out);
void write(JsonWriter& out, const JobSet& job_set);
void read(const Reader& in, KaiQueue& out);
void write(JsonWriter& out, const KaiQueue& queue);
void read(const Reader& in, KaiPodGroup& out);
void write(JsonWriter& out, const KaiPodGroup& group);

/// The first fields of every object, when written.
template <class Io, class T>
void type_fields(Io& io, const T&) {
  if constexpr (!Io::reading) {
    constexpr auto info = kind_info(kind_for<T>);
    io.required("kind", std::string(info.name));
    io.required("apiVersion", api_version_of(info));
  }
}

/// A kind whose list of fields stands with its struct.
template <class T>
concept DescribesFields = requires(FieldReader& io, T& object) { T::describe(io, object); };

template <DescribesFields T>
void read(const Reader& in, T& out) {
  in.fields([&](auto& io) {
    io.required("metadata", out.meta);
    T::describe(io, out);
  });
}
template <DescribesFields T>
void write(JsonWriter& out, const T& object) {
  out.object([&](auto& io) {
    type_fields(io, object);
    io.required("metadata", object.meta);
    T::describe(io, object);
  });
}

}  // namespace dray::wire

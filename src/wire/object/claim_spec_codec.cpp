#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<DeviceSelector> T>
void describe(Io& io, T& selector) {
  if (Io::reading || selector.cel) {
    io.object("cel", [&](auto& cel) { cel.required("expression", selector.cel); });
  }
}

template <class Io, Like<OpaqueConfig> T>
void describe(Io& io, T& config) {
  io.required("driver", config.driver);
  io.raw("parameters", config.parameters);
}

template <class Io, Like<DeviceToleration> T>
void describe(Io& io, T& toleration) {
  io.field("key", toleration.key);
  io.field("operator", toleration.op);
  io.field("value", toleration.value);
  io.field("effect", toleration.effect);
  io.field("tolerationSeconds", toleration.toleration_seconds);
}

/// All but the name, which only subrequests have.
template <class Io, Like<DeviceRequestSpec> T>
void describe(Io& io, T& request) {
  io.field("deviceClassName", request.device_class);
  io.field("selectors", request.selectors);
  io.field("allocationMode", request.allocation_mode);
  io.field("count", request.count);
  io.field("adminAccess", request.admin_access);
  io.field("tolerations", request.tolerations);
  io.object("capacity", request.has_capacity,
            [&](auto& capacity) { capacity.field("requests", request.capacity_requests); });
  io.items("derivedAttributes", request.derived_attributes, [](auto& item, auto& attribute) {
    item.required("name", attribute.name);
    item.required("expression", attribute.expression);
  });
}

/// v1beta1 has the fields of `exactly` in the request itself.
void read_flat(FieldReader& io, DeviceRequest& request) {
  const auto key = io.member().key();
  if (key == "name" || key == "firstAvailable") return;
  if (!request.exactly) request.exactly.emplace();
  describe(io, *request.exactly);
}

template <class Io, Like<DeviceRequest> T>
void describe(Io& io, T& request) {
  io.required("name", request.name);
  io.optional("exactly", request.exactly, [](auto& inner, auto& spec) { describe(inner, spec); });
  io.items("firstAvailable", request.first_available, [](auto& item, auto& subrequest) {
    item.required("name", subrequest.name);
    describe(item, subrequest);
  });
  if constexpr (Io::reading) {
    if (io.member().api_version() == "resource.k8s.io/v1beta1") read_flat(io, request);
  }
}

template <class Io, Like<DeviceConstraint> T>
void describe(Io& io, T& constraint) {
  io.field("requests", constraint.requests);
  for (const auto& field : constraint_fields) {
    if constexpr (Io::reading) {
      std::optional<std::string> attribute;
      io.field(field.name, attribute);
      if (attribute) {
        constraint.kind = field.kind;
        constraint.attribute = *std::move(attribute);
      }
      if (constraint.kind == field.kind) return;  // the first of the table counts
    } else if (constraint.kind == field.kind) {
      io.required(field.name, constraint.attribute);
    }
  }
}

template <class Io, Like<ClaimSpec> T>
void describe(Io& io, T& spec) {
  io.object("devices", [&](auto& devices) {
    devices.items("requests", spec.requests,
                  [](auto& item, auto& request) { describe(item, request); });
    devices.items("constraints", spec.constraints,
                  [](auto& item, auto& constraint) { describe(item, constraint); });
    devices.items("config", spec.config, [](auto& item, auto& config) {
      item.field("requests", config.requests);
      item.field("opaque", config.opaque);
    });
  });
}

}  // namespace

void read(const Reader& in, DeviceSelector& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const DeviceSelector& selector) {
  out.object([&](auto& io) { describe(io, selector); });
}
void read(const Reader& in, OpaqueConfig& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const OpaqueConfig& config) {
  out.object([&](auto& io) { describe(io, config); });
}
void read(const Reader& in, DeviceToleration& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const DeviceToleration& toleration) {
  out.object([&](auto& io) { describe(io, toleration); });
}
void read(const Reader& in, ClaimSpec& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const ClaimSpec& spec) {
  out.object([&](auto& io) { describe(io, spec); });
}

}  // namespace dray::wire

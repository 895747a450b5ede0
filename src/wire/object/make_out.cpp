#include "wire/object/make_out.h"

#include <utility>

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

/// Calls `f` with what stands under status.`name`; whether that could be read.
template <class F>
bool read_status(std::string_view json, std::string_view name, F&& f) {
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.object("status", [&](auto& status) {
        if (status.member().key() == name) f(status.member());
      });
    });
  });
  return !document.problem();
}

AllocatedDevice name_of_device(const Reader& in) {
  AllocatedDevice named;
  in.fields([&](auto& io) {
    io.field("request", named.request);
    io.field("driver", named.device.driver);
    io.field("pool", named.device.pool);
    io.field("device", named.device.device);
    io.field("adminAccess", named.admin_access);
  });
  return named;
}

AllocationResult names_of_devices(const Reader& in) {
  AllocationResult allocation;
  in.fields([&](auto& io) {
    io.object("devices", [&](auto& devices) {
      if (devices.member().key() != "results") return;
      devices.member().items(
          [&](const Reader& item) { allocation.devices.push_back(name_of_device(item)); });
    });
  });
  return allocation;
}

}  // namespace

ObjectMeta identity_in(std::string_view json) {
  ObjectMeta meta;
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.object("metadata", [&](auto& in) {
        in.field("name", meta.name);
        in.field("namespace", meta.namespace_name);
        in.field("uid", meta.uid);
        in.field("resourceVersion", meta.resource_version);
      });
    });
  });
  if (document.problem()) return {};
  return meta;
}

void make_out_use(std::string_view json, ResourceClaim& claim) {
  std::optional<AllocationResult> allocation;
  const bool whole =
      read_status(json, "allocation", [&](const Reader& in) { read(in, allocation.emplace()); });
  if (!whole) {
    (void)read_status(json, "allocation",
                      [&](const Reader& in) { allocation = names_of_devices(in); });
  }
  claim.allocation = std::move(allocation);
  std::vector<ClaimConsumer> users;
  if (read_status(json, "reservedFor", [&](const Reader& in) { read(in, users); })) {
    claim.reserved_for = std::move(users);
  }
}

}  // namespace dray::wire

#include "dray/policy/counting.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::counting_test {

namespace {

Quantity quantity(std::string_view text) {
  return Quantity::parse(text).value();
}

/// cpu, gpu (whole 1, slices by memory, a device plugin's), and devices of the class `slice`.
PolicyConfig config() {
  PolicyConfig config;
  CountedResource gpu{"gpu", {}};
  gpu.rules.resize(3);
  gpu.rules[0].device_class = ClassName("whole");
  gpu.rules[1].device_class = ClassName("slice");
  gpu.rules[1].capacity = "memory";
  gpu.rules[1].per = quantity("80Gi");
  gpu.rules[2].node_resource = "nvidia.com/gpu";
  gpu.rules[2].amount = quantity("0.5");
  config.resources = {gpu};
  config.queues.resize(1);
  config.queues[0].name = QueueName("a");
  config.queues[0].quota["cpu"] = quantity("1");
  config.queues[0].limit["slice.deviceclass.resource.k8s.io/devices"] = quantity("1");
  return config;
}

DeviceRequestSpec asks(std::string device_class, std::int64_t count = 1) {
  DeviceRequestSpec spec;
  spec.device_class = ClassName(std::move(device_class));
  spec.allocation_mode = "ExactCount";
  spec.count = count;
  return spec;
}

ResourceClaim claim_of(std::vector<DeviceRequestSpec> specs) {
  ResourceClaim claim;
  for (auto& spec : specs) {
    auto& request = claim.spec.requests.emplace_back();
    request.name = "r" + std::to_string(claim.spec.requests.size());
    request.exactly = std::move(spec);
  }
  return claim;
}

AllocatedDevice allocated(std::string request, std::string device) {
  AllocatedDevice allocated;
  allocated.request = std::move(request);
  allocated.device = {DriverName("d"), PoolName("p"), DeviceName(std::move(device))};
  return allocated;
}

const Device* no_device(const DeviceId&) {
  return nullptr;
}

Device with_memory(std::string_view memory, std::string name = "memory") {
  Device device;
  device.capacity[std::move(name)].value = quantity(memory);
  return device;
}

}  // namespace

TEST_CASE("node resources count by the rules") {
  const Counting counting(config());
  REQUIRE(counting.resources().size() == 3);
  CHECK(counting.of(ResourceList{{"cpu", quantity("1500m")},
                                 {"memory", quantity("1Gi")},
                                 {"nvidia.com/gpu", quantity("4")},
                                 {"gpu", quantity("9")}}) == amounts({1500, 2, 0}));
}

TEST_CASE("a pending claim counts by its requests") {
  struct Row {
    std::string name;
    ResourceClaim claim;
    Amounts want;
  };
  auto all = asks("whole");
  all.allocation_mode = "All";
  all.count = 0;
  auto admin = asks("whole");
  admin.admin_access = true;
  auto part = asks("slice");
  part.capacity_requests["memory"] = quantity("20Gi");
  ResourceClaim first;
  first.spec.requests.emplace_back().first_available = {asks("whole", 2), asks("slice", 7)};
  const auto row = GENERATE_COPY(values<Row>({
      {"devices of a class", claim_of({asks("whole", 4)}), amounts({0, 4, 0})},
      {"two requests", claim_of({asks("whole"), asks("slice", 2)}), amounts({0, 3, 2})},
      {"all: one at least", claim_of({all}), amounts({0, 1, 0})},
      {"admin access: nothing", claim_of({admin}), amounts({0, 0, 0})},
      {"a part of a device by its capacity", claim_of({part}), amounts({0, 0.25, 1})},
      {"the first alternative", first, amounts({0, 2, 0})},
      {"another class: nothing", claim_of({asks("nic", 4)}), amounts({0, 0, 0})},
      {"a request without class: nothing", claim_of({asks("")}), amounts({0, 0, 0})},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(Counting(config()).of(row.claim, nullptr, no_device) == row.want);
  }
}

TEST_CASE("an allocated claim counts by its devices") {
  const Counting counting(config());
  auto claim = claim_of({asks("whole", 8), asks("slice")});
  claim.allocation.emplace().devices = {allocated("r1", "gpu-0"), allocated("r2", "mig-0")};
  const auto slice = with_memory("20Gi");
  const auto domained = with_memory("40Gi", "d/memory");
  const auto find = [&](const Device& mig) {
    return [&mig](const DeviceId& id) { return id.device.get() == "mig-0" ? &mig : nullptr; };
  };
  CHECK(counting.of(claim, &*claim.allocation, find(slice)) == amounts({0, 1.25, 1}));
  CHECK(counting.of(claim, &*claim.allocation, find(domained)) == amounts({0, 1.5, 1}));
  CHECK(counting.of(claim, &*claim.allocation, no_device) == amounts({0, 2, 1}));

  claim.allocation->devices[0].admin_access = true;
  CHECK(counting.of(claim, &*claim.allocation, find(slice)) == amounts({0, 0.25, 1}));
  claim.allocation->devices[1].request = "r9";
  CHECK(counting.of(claim, &*claim.allocation, find(slice)) == amounts({0, 0, 0}));
}

TEST_CASE("an alternative that was taken counts by its own class") {
  ResourceClaim claim;
  auto& request = claim.spec.requests.emplace_back();
  request.name = "r";
  request.first_available = {asks("whole"), asks("slice")};
  request.first_available[1].name = "small";
  claim.allocation.emplace().devices = {allocated("r/small", "mig-0")};
  CHECK(Counting(config()).of(claim, &*claim.allocation, no_device) == amounts({0, 1, 1}));
}

TEST_CASE("a share of a device counts by the capacity that it consumes") {
  const Counting counting(config());
  auto claim = claim_of({asks("whole")});
  auto& share = claim.allocation.emplace().devices.emplace_back(allocated("r1", "gpu-0"));
  share.consumed_capacity["memory"] = quantity("20Gi");
  share.consumed_capacity["cores"] = quantity("10");
  auto gpu = with_memory("80Gi");
  gpu.capacity["cores"].value = quantity("100");
  const auto find = [&](const DeviceId&) { return &gpu; };
  CHECK(counting.of(claim, &*claim.allocation, find) == amounts({0, 0.25, 0}));
  // Unknown device: the whole of it.
  CHECK(counting.of(claim, &*claim.allocation, no_device) == amounts({0, 1, 0}));
}

TEST_CASE("a device counts as a whole towards the cluster's total") {
  const Counting counting(config());
  CHECK(counting.of(with_memory("20Gi"), DriverName("d"), ClassName("slice")) ==
        amounts({0, 0.25, 1}));
  CHECK(counting.of(Device(), DriverName("d"), ClassName("whole")) == amounts({0, 1, 0}));
}

}  // namespace dray::policy::counting_test

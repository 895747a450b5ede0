#include "dray/model/defaults.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::defaults_test {
namespace {

TEST_CASE("requests get a mode, and a count where they count") {
  struct Row {
    std::string mode;
    std::int64_t count;
    std::string want_mode;
    std::int64_t want_count;
  };
  const auto row = GENERATE(Row{"", 0, "ExactCount", 1}, Row{"", 3, "ExactCount", 3},
                            Row{"ExactCount", 0, "ExactCount", 1}, Row{"All", 0, "All", 0});
  DYNAMIC_SECTION(row.mode << " " << row.count) {
    DeviceRequestSpec spec;
    spec.allocation_mode = row.mode;
    spec.count = row.count;
    ResourceClaim claim;
    claim.spec.requests = {{"a", spec, {}}, {"b", {}, {spec}}};
    KubeObject object = claim;
    apply_defaults(object);
    const auto& requests = std::get<ResourceClaim>(object).spec.requests;
    for (const auto* got : {&*requests[0].exactly, &requests[1].first_available[0]}) {
      CHECK(got->allocation_mode == row.want_mode);
      CHECK(got->count == row.want_count);
    }
  }
}

TEST_CASE("a template's claims get them too") {
  ResourceClaimTemplate made;
  made.spec.requests = {{"a", DeviceRequestSpec{}, {}}};
  KubeObject object = made;
  apply_defaults(object);
  CHECK(std::get<ResourceClaimTemplate>(object).spec.requests[0].exactly->count == 1);
  CHECK(meta_of(object).namespace_name == "default");
}

TEST_CASE("pods: scheduler, phase, and requests from limits") {
  Pod pod;
  pod.meta.namespace_name = "team";
  pod.containers.emplace_back();
  pod.containers[0].limits["cpu"] = Quantity(2);
  pod.containers[0].limits["memory"] = Quantity(5);
  pod.containers[0].requests["cpu"] = Quantity(1);
  KubeObject object = pod;
  apply_defaults(object);
  const auto& got = std::get<Pod>(object);
  CHECK(got.meta.namespace_name == "team");
  CHECK(got.scheduler_name == "default-scheduler");
  CHECK(got.phase == "Pending");
  CHECK(got.containers[0].requests.at("cpu") == Quantity(1));
  CHECK(got.containers[0].requests.at("memory") == Quantity(5));
}

TEST_CASE("cluster-scoped objects have no namespace") {
  KubeObject object = Node{};
  apply_defaults(object);
  CHECK(meta_of(object).namespace_name.empty());
}

}  // namespace
}  // namespace dray::defaults_test

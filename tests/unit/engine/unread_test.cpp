#include "dray/engine/unread.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::engine::unread_test {
namespace {

using namespace dray::testing;

const std::optional<OpaqueConfig> secret =
    OpaqueConfig{DriverName("gpu.example.com"), R"({"key":"s3cret"})"};

TEST_CASE("annotations of others go, those that rules read stay") {
  KubeObject pod = make_pod("a");
  meta_of(pod).annotations = {{"dray.dev/reservation", "n0"},
                              {"pod-group-name", "g"},
                              {"gpu-fraction", "0.5"},
                              {"team.example.com/note", "x"}};
  drop_unread(pod);
  CHECK(meta_of(pod).annotations ==
        Labels{{"dray.dev/reservation", "n0"}, {"gpu-fraction", "0.5"}, {"pod-group-name", "g"}});
}

TEST_CASE("parameters for drivers go, from objects and from what is written of them") {
  auto claim = make_claim("c", 1);
  claim.spec.config = {{{}, secret}};
  claim.allocation = AllocationResult{};
  claim.allocation->config = {{false, {}, secret}};
  Write create = CreateClaim{claim};
  Write allocate = AllocateClaim{
      .claim = {}, .uid = {}, .expected = {}, .allocation = *claim.allocation, .reserved_for = {}};
  KubeObject object = claim;
  drop_unread(object);
  drop_unread(create);
  drop_unread(allocate);
  const auto& kept = std::get<ResourceClaim>(object);
  CHECK(kept.spec.config[0].opaque->parameters == "{}");
  CHECK(kept.spec.config[0].opaque->driver == DriverName("gpu.example.com"));
  CHECK(kept.allocation->config[0].opaque->parameters == "{}");
  CHECK(std::get<CreateClaim>(create).claim == kept);
  CHECK(std::get<AllocateClaim>(allocate).allocation == *kept.allocation);
}

TEST_CASE("classes and templates keep nothing that drivers are told") {
  DeviceClass device_class;
  device_class.config = {secret};
  KubeObject object = device_class;
  drop_unread(object);
  CHECK(std::get<DeviceClass>(object).config[0]->parameters == "{}");
  ResourceClaimTemplate made_from;
  made_from.claim_annotations = {{"note", "x"}};
  made_from.spec.config = {{{}, secret}};
  object = made_from;
  drop_unread(object);
  CHECK(std::get<ResourceClaimTemplate>(object).spec.config[0].opaque->parameters == "{}");
  CHECK(std::get<ResourceClaimTemplate>(object).claim_annotations.empty());
}

}  // namespace
}  // namespace dray::engine::unread_test

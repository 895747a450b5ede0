#include "wire/object/pod_templates.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::wire::pod_templates_test {
namespace {

TEST_CASE("a pod without a spec that is an object has nothing to change") {
  for (const std::string spec : {"", "spec: text\n", "spec: [1]\n", "spec: ~\n"}) {
    CAPTURE(spec);
    const auto read = PodTemplates::read("kind: Pod\nmetadata: {name: p}\n" + spec, "f");
    REQUIRE(read);
    CHECK(read->all().empty());
    CHECK(PodTemplates::read(read->yaml(), "f"));
  }
}

TEST_CASE("templates get claims and a scheduler, and the rest stays") {
  auto read = PodTemplates::read(
      "kind: Job\nmetadata: {name: j, namespace: ns}\nspec:\n  template:\n    spec:\n      "
      "containers:\n"
      "      - {name: c, resources: {limits: {nvidia.com/gpu: 2, cpu: 1}}}\n",
      "f");
  REQUIRE(read);
  REQUIRE(read->all().size() == 1);
  CHECK(read->all().front().path == "spec.template");
  ClaimInPlace change;
  change.entry = "gpus";
  change.claim_template = "j-gpus";
  change.removed["c"] = {"nvidia.com/gpu"};
  change.requests["c"] = {"gpu"};
  read->use_claim(0, change);
  read->set_scheduler(0, "dray");
  const auto again = PodTemplates::read(read->yaml(), "f");
  REQUIRE(again);
  REQUIRE(again->all().size() == 1);
  const auto& changed = again->all().front();
  CHECK(changed.scheduler_name == "dray");
  CHECK(changed.claims == std::vector<std::string>{"gpus"});
  CHECK(changed.containers.front().extended.empty());
  CHECK(again->claim_templates() == std::vector<std::string>{"ns/j-gpus"});
}

TEST_CASE("JSON that is nested without end is an error") {
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  const auto read = PodTemplates::read(deep, "f");
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "f:1: nested deeper than 500");
  CHECK(PodTemplates::read(R"({"a":"[[{\\\"[","b":[]})", "f"));
}

}  // namespace
}  // namespace dray::wire::pod_templates_test

#include "dray/engine/share_wish.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "dray/engine/share_claim.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::share_wish_test {
namespace {

Quantity q(const char* text) {
  return Quantity::parse(text).value();
}

Container container(const std::string& name, const ResourceList& limits) {
  Container made;
  made.name = name;
  made.limits = limits;
  made.requests = limits;
  return made;
}

policy::Fractions rule() {
  return {ClassName("gpu"), "memory", {"cores"}, "gpu.example.com/uuid"};
}

std::vector<ShareOffer> offers() {
  return {{DriverName("gpu.example.com"), q("40Gi"), {Quantity(100)}}};
}

ShareWish wish(const std::string& request, double memory, double cores, std::int64_t devices = 1) {
  return {.request = request,
          .memory_part = {},
          .memory = memory,
          .others_part = cores,
          .devices = devices,
          .together = false};
}

}  // namespace

TEST_CASE("HAMi's and gpushare's resources say what part of a device a container wants") {
  struct Row {
    std::string name;
    ResourceList limits;
    ShareWish want;
  };
  auto half = wish("main", 0, 0.3);
  half.memory_part = 0.5;
  auto all = wish("main", 0, 0.3);
  all.memory_part = 1;
  auto shared = wish("main", 3 * 1024 * mebibyte, 0);
  shared.together = true;
  const auto row = GENERATE_COPY(values<Row>({
      {"memory and cores of two",
       {{"nvidia.com/gpu", q("2")},
        {"nvidia.com/gpumem", q("8192")},
        {"nvidia.com/gpucores", q("30")}},
       wish("main", 8192 * mebibyte, 0.3, 2)},
      {"without a number it is one",
       {{"nvidia.com/gpumem", q("3k")}},
       wish("main", 3000 * mebibyte, 0)},
      {"a part of the memory",
       {{"nvidia.com/gpumem-percentage", q("50")}, {"nvidia.com/gpucores", q("30")}},
       half},
      {"MiB count before percent",
       {{"nvidia.com/gpumem", q("1")}, {"nvidia.com/gpumem-percentage", q("50")}},
       wish("main", mebibyte, 0)},
      {"cores alone are of all the memory", {{"nvidia.com/gpucores", q("30")}}, all},
      {"gpushare counts GiB, and shares out no cores", {{"aliyun.com/gpu-mem", q("3")}}, shared},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(asks_for_part(row.limits));
    const auto read = wish_of_resources("main", row.limits);
    REQUIRE(read);
    CHECK(*read == row.want);
  }
}

TEST_CASE("numbers that the resource cannot mean are told") {
  struct Row {
    ResourceList limits;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {{{"nvidia.com/gpucores", q("130")}},
       "container main: nvidia.com/gpucores: 130 is no whole number from 0 to 100"},
      {{{"nvidia.com/gpumem-percentage", q("0")}},
       "container main: nvidia.com/gpumem-percentage: 0 is no whole number from 1 to 100"},
      {{{"nvidia.com/gpu", q("33")}, {"nvidia.com/gpumem", q("1")}},
       "container main: nvidia.com/gpu: 33 is no whole number from 1 to 32"},
      {{{"nvidia.com/gpumem", q("500m")}},
       "container main: nvidia.com/gpumem: 500m is no whole number from 0 to 1000000000"},
      {{{"aliyun.com/gpu-mem", q("3")}, {"nvidia.com/gpu", q("1")}},
       "container main: aliyun.com/gpu-mem beside resources of nvidia.com"},
  }));
  const auto read = wish_of_resources("main", row.limits);
  REQUIRE_FALSE(read);
  CHECK(read.error().message == row.want);
}

TEST_CASE("what containers ask for is moved out of the way of the nodes, and read again") {
  auto pod = make_pod("p", "");
  pod.containers = {
      container("plain", {{"cpu", q("1")}}),
      container("main",
                {{"cpu", q("1")}, {"nvidia.com/gpu", q("1")}, {"nvidia.com/gpumem", q("8192")}}),
      container("whole", {{"nvidia.com/gpu", q("1")}}),
      container("side", {{"nvidia.com/gpumem-percentage", q("10")}})};
  CHECK(asked_for_share_by(pod) == "nvidia.com/gpumem");
  pod.resource_claims.push_back({.name = "nic", .claim_name = "nic", .template_name = {}});
  add_share_entry(pod);
  CHECK(has_share_entry(pod));
  CHECK(pod.resource_claims.size() == 2);
  CHECK(pod.meta.annotations.at(moved_requests_annotation) ==
        "main nvidia.com/gpu=1 nvidia.com/gpumem=8192; side nvidia.com/gpumem-percentage=10");
  CHECK(pod.containers[0].claims.empty());
  CHECK(pod.containers[1].claims == std::vector<std::string>{share_entry});
  CHECK(pod.containers[1].requests == ResourceList{{"cpu", q("1")}});
  CHECK(pod.containers[1].limits == ResourceList{{"cpu", q("1")}});
  CHECK(pod.containers[2].limits.contains("nvidia.com/gpu"));
  CHECK(pod.containers[3].requests.empty());
  const auto wishes = wishes_of(pod);
  REQUIRE(wishes);
  auto side = wish("side", 0, 0);
  side.memory_part = 0.1;
  CHECK(*wishes == std::vector{wish("main", 8192 * mebibyte, 0), side});
  const auto once = pod;
  add_share_entry(pod);
  CHECK(pod == once);
}

TEST_CASE("an annotation that nobody moved there is told") {
  auto pod = make_pod("p", "");
  pod.meta.annotations = {
      {moved_requests_annotation, GENERATE("main", "main gpumem=1", "main nvidia.com/gpumem=x")}};
  const auto wishes = wishes_of(pod);
  REQUIRE_FALSE(wishes);
  CHECK_THAT(wishes.error().message,
             Catch::StartsWith("annotation dray.dev/moved-requests: container main: "));
}

TEST_CASE("each container's part is a request of its own") {
  const std::vector wishes{wish("main", 1024 * mebibyte, 0.3, 2), wish("side", 2048 * mebibyte, 0)};
  const auto spec = share_spec(wishes, rule(), offers());
  REQUIRE(spec);
  REQUIRE(spec->requests.size() == 2);
  CHECK(spec->requests[0].name == "main");
  CHECK(spec->requests[0].exactly->count == 2);
  CHECK(spec->requests[0].exactly->capacity_requests ==
        Counters{{"cores", Quantity(30)}, {"memory", q("1Gi")}});
  CHECK(spec->requests[1].exactly->capacity_requests ==
        Counters{{"cores", Quantity(0)}, {"memory", q("2Gi")}});
  // The two of `main` are different devices; `side` may be on one of them.
  REQUIRE(spec->constraints.size() == 1);
  CHECK(spec->constraints[0].requests == std::vector<std::string>{"main"});
  CHECK(spec->constraints[0].kind == ConstraintKind::distinct_attribute);
}

TEST_CASE("a pod's parts in gpushare's words are of one device") {
  std::vector wishes{wish("a", 1024 * mebibyte, 0), wish("b", 2048 * mebibyte, 0)};
  for (auto& each : wishes) each.together = true;
  const auto spec = share_spec(wishes, rule(), offers());
  REQUIRE(spec);
  REQUIRE(spec->constraints.size() == 1);
  CHECK(spec->constraints[0].kind == ConstraintKind::match_attribute);
  CHECK(spec->constraints[0].requests == std::vector<std::string>{"a", "b"});
  auto blind = rule();
  blind.distinct.clear();
  CHECK(share_spec(wishes, blind, offers()).error().code == ErrorCode::unsupported);
  CHECK(share_spec(std::vector{wishes[0]}, blind, offers()));
}

TEST_CASE("more devices than a claim may have are told") {
  const std::vector wishes{wish("a", mebibyte, 0, 20), wish("b", mebibyte, 0, 20)};
  CHECK(share_spec(wishes, rule(), offers()).error().message ==
        "parts of 40 devices, more than the 32 of a claim");
}

TEST_CASE("a pod that was there before the admission policy is told what it lacks") {
  Bench bench;
  bench.tell(make_node("n0"));
  auto pod = make_pod("p", "");
  pod.containers = {container("main", {{"nvidia.com/gpumem", q("8192")}})};
  bench.tell(pod);
  const auto told = bench.take_write<SetPodCondition>();
  REQUIRE(told);
  CHECK(told->second.condition.reason == "Unsupported");
  CHECK_THAT(told->second.condition.message,
             Catch::Contains("nvidia.com/gpumem: the admission policy of manifests/shares.yaml"));
}

}  // namespace dray::engine::share_wish_test

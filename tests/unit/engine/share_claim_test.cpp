#include "dray/engine/share_claim.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::share_claim_test {
namespace {

Quantity q(const char* text) {
  return Quantity::parse(text).value();
}

policy::Fractions rule() {
  return {ClassName("gpu"), "memory", {"cores"}, "gpu.example.com/uuid"};
}

ShareOffer offer(const char* memory) {
  return {DriverName("gpu.example.com"), q(memory), {Quantity(100)}};
}

Pod asking(const Labels& annotations) {
  auto pod = make_pod("p", "");
  pod.meta.annotations = annotations;
  add_share_entry(pod);
  return pod;
}

/// A node whose devices may be shared.
ResourceSlice make_shared(const std::string& node, const char* memory) {
  auto slice = make_gpus(node, 1);
  auto& device = slice.devices.front();
  device.allow_multiple_allocations = true;
  device.capacity["memory"] = {.value = q(memory), .request_policy = {}};
  device.capacity["cores"] = {.value = Quantity(100), .request_policy = {}};
  return slice;
}

PolicyChanged with_fractions() {
  policy::PolicyConfig config;
  config.fractions = rule();
  return {std::make_shared<const policy::PolicyConfig>(config)};
}

/// As the API server and the resourceclaim controller would leave both.
void make_found(Bench& bench, Pod pod, ResourceClaim claim) {
  claim.meta.uid = Uid("uid-made");
  claim.meta.resource_version = ResourceVersion("30");
  bench.tell(claim);
  pod.resource_claim_statuses.push_back({share_entry, claim.meta.name});
  bench.tell(pod);
}

}  // namespace

TEST_CASE("a fraction is of the device, whatever its size") {
  const auto pod = asking({{"gpu-fraction", "0.5"}});
  const auto one = share_claim(pod, rule(), {offer("40Gi")});
  REQUIRE(one);
  const auto& exactly = one->spec.requests.at(0).exactly;
  REQUIRE(exactly);
  CHECK(exactly->device_class.get() == "gpu");
  CHECK(exactly->count == 1);
  CHECK(exactly->selectors.empty());
  CHECK(exactly->capacity_requests == Counters{{"cores", Quantity(50)}, {"memory", q("20Gi")}});
  CHECK(one->meta.annotations.at("resource.kubernetes.io/pod-claim-name") == share_entry);
  CHECK(one->meta.owners.at(0).uid == pod.meta.uid);
  CHECK(one->spec.constraints.empty());

  const auto two = share_claim(pod, rule(), {offer("40Gi"), offer("80Gi")});
  REQUIRE(two);
  const auto& choices = two->spec.requests.at(0).first_available;
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].capacity_requests.at("memory") == q("20Gi"));
  CHECK(choices[1].capacity_requests.at("memory") == q("40Gi"));
  CHECK(*choices[1].selectors.at(0).cel ==
        "device.driver == \"gpu.example.com\" && "
        "device.capacity[\"gpu.example.com\"][\"memory\"].compareTo(quantity(\"80Gi\")) == 0 && "
        "device.capacity[\"gpu.example.com\"][\"cores\"].compareTo(quantity(\"100\")) == 0");
}

TEST_CASE("memory is asked for as it is, of devices that have so much") {
  const auto pod = asking({{"gpu-memory", "20480"}, {"gpu-fraction-num-devices", "2"}});
  const auto made = share_claim(pod, rule(), {offer("16Gi"), offer("40Gi")});
  REQUIRE(made);
  const auto& exactly = made->spec.requests.at(0).exactly;
  REQUIRE(exactly);
  CHECK(exactly->count == 2);
  CHECK(exactly->capacity_requests == Counters{{"cores", Quantity(50)}, {"memory", q("20Gi")}});
  REQUIRE(made->spec.constraints.size() == 1);
  CHECK(made->spec.constraints[0].attribute == "gpu.example.com/uuid");

  auto plain = rule();
  plain.others.clear();
  const auto any = share_claim(pod, plain, {offer("40Gi"), offer("80Gi")});
  REQUIRE(any);
  CHECK(any->spec.requests.at(0).exactly);
}

TEST_CASE("a part may be all of a device, and is never less than was asked for") {
  const auto all = share_claim(asking({{"gpu-memory", "40960"}}), rule(), {offer("40Gi")});
  REQUIRE(all);
  CHECK(all->spec.requests.at(0).exactly->capacity_requests ==
        Counters{{"cores", Quantity(100)}, {"memory", q("40Gi")}});
  const auto odd = share_claim(asking({{"gpu-fraction", "0.255"}}), rule(), {offer("40Gi")});
  REQUIRE(odd);
  CHECK(odd->spec.requests.at(0).exactly->capacity_requests.at("cores") == Quantity(26));
}

TEST_CASE("what cannot be asked for is told") {
  struct Row {
    Labels annotations;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {{{"gpu-fraction", "half"}},
       "annotation gpu-fraction: half is no number above 0 and at most 1"},
      {{{"gpu-fraction", "1.5"}},
       "annotation gpu-fraction: 1.5 is no number above 0 and at most 1"},
      {{{"gpu-fraction", "nan"}},
       "annotation gpu-fraction: nan is no number above 0 and at most 1"},
      {{{"gpu-memory", "8Gi"}}, "annotation gpu-memory: 8Gi is no positive number of MiB"},
      {{{"gpu-memory", "0"}}, "annotation gpu-memory: 0 is no positive number of MiB"},
      {{{"gpu-fraction", "0.5"}, {"gpu-fraction-num-devices", "-1"}},
       "annotation gpu-fraction-num-devices: -1 is no number of devices from 1 to 32"},
      {{{"gpu-fraction", "0.5"}, {"gpu-fraction-num-devices", "33"}},
       "annotation gpu-fraction-num-devices: 33 is no number of devices from 1 to 32"},
      {{{"gpu-memory", "99999999"}},
       "no device that may be shared has a capacity memory of that size"},
  }));
  const auto made = share_claim(asking(row.annotations), rule(), {offer("40Gi")});
  REQUIRE_FALSE(made);
  CHECK(made.error().message == row.want);
}

TEST_CASE("more sizes than a request may have alternatives are told") {
  std::vector<ShareOffer> offers;
  for (int i = 1; i <= 9; ++i) offers.push_back(offer((std::to_string(i) + "0Gi").c_str()));
  const auto made = share_claim(asking({{"gpu-fraction", "0.5"}}), rule(), offers);
  REQUIRE_FALSE(made);
  CHECK(made.error().message == "devices of 9 sizes, more than the 8 alternatives of a request");
}

TEST_CASE("the entry belongs to the container that the pod names") {
  auto pod = make_pod("p", "");
  auto second = pod.containers.front();
  second.name = "second";
  pod.containers.push_back(second);
  pod.meta.annotations = {{"gpu-fraction", "0.5"}, {"gpu-fraction-container-name", "second"}};
  add_share_entry(pod);
  CHECK(has_share_entry(pod));
  CHECK(pod.containers[0].claims.empty());
  CHECK(pod.containers[1].claims == std::vector<std::string>{share_entry});
}

/// The pod p asked for half a device before there was one; its claim is asked for by now.
struct Asked : Bench {
  Pod pod = asking({{"gpu-fraction", "0.5"}});
  std::pair<WriteId, CreateClaim> first;

  Asked() {
    apply(with_fractions());
    tell(make_node("n0"));
    tell(pod);
    // Nothing is published yet: it waits with a Reason.
    const auto told = take_write<SetPodCondition>();
    REQUIRE(told);
    CHECK(told->second.condition.reason == "Unsupported");
    CHECK_FALSE(take_write<CreateClaim>());
    tell(make_shared("n0", "40Gi"));
    auto write = take_write<CreateClaim>();
    REQUIRE(write);
    first = std::move(*write);
    CHECK_FALSE(take_write<CreateClaim>());
  }
};

TEST_CASE("a pod gets the part of a device that its annotation asks for") {
  Asked bench;
  SECTION("once, although the API server failed at first") {
    bench.done(bench.first.first, fail(ErrorCode::unavailable, "no answer"));
    CHECK_FALSE(bench.take_write<CreateClaim>());
    bench.now += std::chrono::seconds(2);
    bench.tick();
    const auto second = bench.take_write<CreateClaim>();
    REQUIRE(second);
    CHECK(second->second.claim == bench.first.second.claim);
    bench.done(second->first);
  }
  SECTION("again, if somebody deletes it") {
    bench.done(bench.first.first);
    auto made = bench.first.second.claim;
    made.meta.uid = Uid("uid-made");
    bench.tell(made);
    CHECK_FALSE(bench.take_write<CreateClaim>());
    bench.apply(cluster::ObjectGone{.kind = Kind::resource_claim,
                                    .namespace_name = made.meta.namespace_name,
                                    .name = made.meta.name,
                                    .uid = made.meta.uid});
    const auto second = bench.take_write<CreateClaim>();
    REQUIRE(second);
    bench.done(second->first);
  }
  SECTION("and what the API server says against it is told") {
    while (bench.take_write<SetPodCondition>()) {
    }
    bench.done(bench.first.first, fail(ErrorCode::invalid, "spec.devices: wrong"));
    const auto said = bench.engine.pod(bench.pod.key());
    REQUIRE(said);
    CHECK(said->detail == "spec.devices: wrong");
    bench.now += std::chrono::seconds(2);
    bench.tick();
    CHECK(bench.take_write<CreateClaim>());
  }
  SECTION("or it is there from before") {
    bench.done(bench.first.first, fail(ErrorCode::conflict, "already exists"));
  }
  CHECK_FALSE(bench.take_write<CreateClaim>());
  make_found(bench, bench.pod, bench.first.second.claim);
  const auto lift = bench.take_write<LiftGate>();
  REQUIRE(lift);
  const auto view = bench.engine.pod(bench.pod.key());
  REQUIRE(view);
  REQUIRE(view->placement);
  const auto& device = view->placement->claims.at(0).allocation.devices.at(0);
  CHECK(device.consumed_capacity.at("memory") == q("20Gi"));
}

TEST_CASE("a controller that looked in vain is made to look again") {
  Bench bench;
  bench.apply(with_fractions());
  bench.tell(make_node("n0"));
  bench.tell(asking({{"gpu-fraction", "0.5"}}));
  while (bench.take_write<SetPodCondition>()) {
  }
  bench.now += std::chrono::minutes(5);
  bench.tell(make_shared("n0", "40Gi"));
  const auto made = bench.take_write<CreateClaim>();
  REQUIRE(made);
  bench.done(made->first);
  const auto told = bench.take_write<SetPodCondition>();
  REQUIRE(told);
  CHECK(told->second.condition.reason == "ClaimMissing");
}

TEST_CASE("without the policy's word, and without the entry, such a pod waits with a Reason") {
  Bench bench;
  bench.tell(make_node("n0"));
  bench.tell(make_shared("n0", "40Gi"));
  SECTION("no fractions in the policy") {
    bench.tell(asking({{"gpu-fraction", "0.5"}}));
    const auto told = bench.take_write<SetPodCondition>();
    REQUIRE(told);
    CHECK_THAT(told->second.condition.message, Catch::Contains("the policy has no fractions"));
  }
  SECTION("no entry in the pod") {
    auto pod = make_pod("p", "");
    pod.meta.annotations["gpu-memory"] = "100";
    bench.tell(pod);
    const auto told = bench.take_write<SetPodCondition>();
    REQUIRE(told);
    CHECK_THAT(told->second.condition.message, Catch::Contains("manifests/shares.yaml"));
  }
  CHECK_FALSE(bench.take_write<CreateClaim>());
  CHECK_FALSE(bench.take_write<LiftGate>());
}

}  // namespace dray::engine::share_claim_test

#include "sim/api_rules.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "dray/model/claim_limits.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::sim::api_rules_test {

using namespace dray::testing;

namespace {

void allocate(ResourceClaim& claim) {
  claim.allocation = allocation({device_id("n0", "gpu-0")});
}

void reserve(ResourceClaim& claim, int users = 1) {
  for (int i = 0; i < users; ++i) {
    claim.reserved_for.push_back(consumer("p", Uid(std::to_string(i))));
  }
}

void nothing(ResourceClaim& /*claim*/) {}

void allocate_and_reserve(ResourceClaim& claim) {
  allocate(claim);
  reserve(claim);
}

struct Change {
  const char* name;
  void (*prepare)(ResourceClaim&);  ///< status before
  void (*change)(ResourceClaim&);
  std::string refusal;  ///< what it contains; empty: allowed
};

std::vector<Change> allocations() {
  return {
      {"allocation and reservedFor in one write", nothing, allocate_and_reserve, ""},
      {"an allocation is immutable", allocate,
       [](ResourceClaim& c) { c.allocation = allocation({device_id("n0", "gpu-1")}); },
       "immutable"},
      {"the same again is no change", allocate, allocate, ""},
      {"an allocation may be cleared", allocate, [](ResourceClaim& c) { c.allocation.reset(); },
       ""},
      {"but not while reserved", allocate_and_reserve,
       [](ResourceClaim& c) { c.allocation.reset(); }, "may not be specified"},
      {"results name a request of the claim", nothing,
       [](ResourceClaim& c) { c.allocation = allocation({device_id("n0", "gpu-0")}, "other"); },
       "request other"},
      {"and no subrequest that is not there", nothing,
       [](ResourceClaim& c) { c.allocation = allocation({device_id("n0", "gpu-0")}, "gpu/x"); },
       "request gpu/x"},
      {"a device has a driver, a pool and a name", nothing,
       [](ResourceClaim& c) { c.allocation = allocation({device_id("p", "")}); }, "are required"},
      {"a device that does not exist is taken", nothing,
       [](ResourceClaim& c) { c.allocation = allocation({device_id("nowhere", "gpu-99")}); }, ""},
      {"as many results as a claim may have", nothing,
       [](ResourceClaim& c) {
         allocate(c);
         c.allocation->devices.resize(max_results, c.allocation->devices[0]);
       },
       ""},
      {"not one more", nothing,
       [](ResourceClaim& c) {
         allocate(c);
         c.allocation->devices.resize(max_results + 1, c.allocation->devices[0]);
       },
       "too many items"},
      {"a node selector has a term", nothing,
       [](ResourceClaim& c) {
         allocate(c);
         c.allocation->node_selector.emplace();
       },
       "at least one node selector term"},
  };
}

std::vector<Change> consumers() {
  return {
      {"reservedFor needs an allocation", nothing, [](ResourceClaim& c) { reserve(c); },
       "may not be specified"},
      {"256 users", allocate, [](ResourceClaim& c) { reserve(c, 256); }, ""},
      {"but not 257", allocate, [](ResourceClaim& c) { reserve(c, 257); }, "at most 256"},
      {"a user once", allocate,
       [](ResourceClaim& c) { c.reserved_for.assign(2, consumer("p0", Uid("u0"))); }, "duplicate"},
      {"a user has a name", allocate,
       [](ResourceClaim& c) { c.reserved_for = {consumer("", Uid("u0"))}; }, "are required"},
      {"a user has a uid", allocate,
       [](ResourceClaim& c) { c.reserved_for = {consumer("p0", Uid(""))}; }, "are required"},
      {"metadata is not status's to change", nothing,
       [](ResourceClaim& c) { c.meta.finalizers = {claim_finalizer}; }, ""},
      {"nor is the spec", nothing, [](ResourceClaim& c) { c.spec.requests.clear(); }, ""},
  };
}

void check(const Change& row) {
  auto old = make_claim("c0", 1);
  row.prepare(old);
  KubeObject next = old;
  row.change(std::get<ResourceClaim>(next));
  const auto valid = prepare_update(next, old, Endpoint::status);
  CHECK(valid.has_value() == row.refusal.empty());
  if (!valid) {
    CHECK(valid.error().code == ErrorCode::invalid);
    CHECK_THAT(valid.error().message, Catch::Contains(row.refusal));
    return;
  }
  CHECK(meta_of(next).finalizers.empty());
  CHECK(std::get<ResourceClaim>(next).spec == old.spec);
}

template <class T>
bool may_become(const T& old, T next, Endpoint endpoint = Endpoint::main) {
  KubeObject object = std::move(next);
  return prepare_update(object, old, endpoint).has_value();
}

}  // namespace

TEST_CASE("an allocation follows the rules of the real server") {
  const auto row = GENERATE(from_range(allocations()));
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("the users of a claim follow the rules of the real server") {
  const auto row = GENERATE(from_range(consumers()));
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("a claim that is being deleted gets no new users, and keeps those it has") {
  auto old = make_claim("c0", 1);
  allocate(old);
  reserve(old);
  old.meta.deleted = at(1);
  auto next = old;
  CHECK(may_become(old, next, Endpoint::status));
  next.reserved_for.push_back(consumer("late", Uid("late")));
  CHECK_FALSE(may_become(old, next, Endpoint::status));
  next = old;
  next.reserved_for.clear();
  CHECK(may_become(old, next, Endpoint::status));
}

TEST_CASE("drivers' reports on devices end with their allocation") {
  auto old = make_claim("c0", 1);
  allocate(old);
  DeviceStatus status;
  status.device = device_id("n0", "gpu-0");
  old.device_statuses = {status};
  KubeObject next = old;
  REQUIRE(prepare_update(next, old, Endpoint::status));
  CHECK(std::get<ResourceClaim>(next).device_statuses.size() == 1);
  std::get<ResourceClaim>(next).allocation.reset();
  REQUIRE(prepare_update(next, old, Endpoint::status));
  CHECK(std::get<ResourceClaim>(next).device_statuses.empty());
  // Of a device that the claim never had.
  status.device = device_id("n0", "gpu-1");
  next = old;
  std::get<ResourceClaim>(next).device_statuses.push_back(status);
  CHECK_FALSE(prepare_update(next, old, Endpoint::status));
}

TEST_CASE("what a budget allows is its controller's to say") {
  PodDisruptionBudget old;
  old.selector = LabelSelector{{{"app", "x"}}, {}};
  old.disruptions_allowed = 3;
  KubeObject object = old;
  REQUIRE(prepare_create(object, {}, at(0)));
  CHECK(std::get<PodDisruptionBudget>(object).disruptions_allowed == 0);
  const auto updated = [&](Endpoint endpoint) {
    auto next = old;
    next.selector.reset();
    next.disruptions_allowed = 1;
    object = next;
    REQUIRE(prepare_update(object, old, endpoint));
    return std::get<PodDisruptionBudget>(object);
  };
  CHECK(updated(Endpoint::main).disruptions_allowed == 3);
  CHECK_FALSE(updated(Endpoint::main).selector);
  CHECK(updated(Endpoint::status).disruptions_allowed == 1);
  CHECK(updated(Endpoint::status).selector == old.selector);
}

TEST_CASE("the main endpoint leaves a claim's status alone, and its spec is fixed") {
  auto old = make_claim("c0", 1);
  KubeObject next = old;
  allocate_and_reserve(std::get<ResourceClaim>(next));
  REQUIRE(prepare_update(next, old, Endpoint::main));
  CHECK_FALSE(std::get<ResourceClaim>(next).allocation);
  CHECK(std::get<ResourceClaim>(next).reserved_for.empty());
  auto other = old;
  other.spec.requests.clear();
  CHECK_FALSE(may_become(old, other));
}

TEST_CASE("a slice keeps its pool, driver and node; a template its spec") {
  ResourceSlice slice;
  slice.meta.name = "s";
  slice.driver = DriverName("d");
  slice.pool = PoolName("p");
  slice.scope.node_name = NodeName("n");
  auto next = slice;
  next.pool_generation = 2;
  CHECK(may_become(slice, next));
  next = slice;
  next.pool = PoolName("q");
  CHECK_FALSE(may_become(slice, next));
  next = slice;
  next.driver = DriverName("e");
  CHECK_FALSE(may_become(slice, next));
  next = slice;
  next.scope.node_name.reset();
  CHECK_FALSE(may_become(slice, next));

  const auto made = make_template("t", {request("gpu", exactly(1, "gpu"))});
  auto labelled = made;
  labelled.meta.labels["x"] = "y";
  CHECK(may_become(made, labelled));
  labelled.claim_labels["x"] = "y";
  CHECK_FALSE(may_become(made, labelled));
  auto other = made;
  other.spec.requests.clear();
  CHECK_FALSE(may_become(made, other));
}

TEST_CASE("a priority class keeps its value") {
  PriorityClass old;
  old.value = 7;
  auto next = old;
  next.global_default = true;
  CHECK(may_become(old, next));
  next.value = 8;
  CHECK_FALSE(may_become(old, next));
}

TEST_CASE("a device taint is as old as its effect") {
  DeviceTaintRule rule;
  rule.taint = {.key = "broken", .value = "", .effect = "NoSchedule", .time_added = {}};
  const auto time_after = [](KubeObject next, const KubeObject* old, double now) {
    default_taint_times(next, old, at(now));
    return std::get<DeviceTaintRule>(next).taint.time_added;
  };
  CHECK(time_after(rule, nullptr, 3.5) == at(3));
  rule.taint.time_added = at(1);
  CHECK(time_after(rule, nullptr, 3) == at(1));
  const KubeObject old = rule;
  CHECK(time_after(rule, &old, 3) == at(1));
  rule.taint.effect = "NoExecute";
  CHECK(time_after(rule, &old, 3) == at(3));
  rule.taint.time_added = at(2);
  CHECK(time_after(rule, &old, 3) == at(2));
  auto tainted = device("gpu-0");
  tainted.taints.push_back(
      {.key = "broken", .value = "", .effect = "NoSchedule", .time_added = {}});
  KubeObject slice = make_slice("n0", {tainted});
  default_taint_times(slice, nullptr, at(4));
  CHECK(std::get<ResourceSlice>(slice).devices.front().taints.front().time_added == at(4));
}

TEST_CASE("what is being deleted gets no new finalizer, and its end is not moved") {
  auto old = make_node("n");
  old.meta.finalizers = {"a"};
  old.meta.deleted = at(1);
  auto next = old;
  next.meta.finalizers.clear();
  CHECK(may_become(old, next));
  next.meta.finalizers = {"a", "b"};
  CHECK_FALSE(may_become(old, next));
  auto alive = make_node("n");
  next = alive;
  next.meta.finalizers = {"b"};
  CHECK(may_become(alive, next));
  next.meta.deleted = at(1);
  CHECK_FALSE(may_become(alive, next));
}

TEST_CASE("a new claim has no status, and the finalizer where claims are protected") {
  auto claim = make_claim("c0", 1);
  allocate_and_reserve(claim);
  ApiServerOptions options;
  KubeObject object = claim;
  REQUIRE(prepare_create(object, options, at(0)));
  CHECK_FALSE(std::get<ResourceClaim>(object).allocation);
  CHECK(std::get<ResourceClaim>(object).reserved_for.empty());
  CHECK(meta_of(object).finalizers.empty());
  options.protect_claims = true;
  REQUIRE(prepare_create(object, options, at(0)));
  REQUIRE(prepare_create(object, options, at(0)));
  CHECK(meta_of(object).finalizers == std::vector<std::string>{claim_finalizer});
}

TEST_CASE("only a lease is created by a PUT, and only it needs a resourceVersion") {
  for (const auto& info : kind_table) {
    CAPTURE(info.name);
    CHECK(allows_create_on_update(info.kind) == (info.kind == Kind::lease));
    CHECK(allows_unconditional_update(info.kind) == (info.kind != Kind::lease));
  }
}

}  // namespace dray::sim::api_rules_test

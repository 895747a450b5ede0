#include "wire/edits.h"

#include <string>
#include <variant>

#include <catch2/catch.hpp>

#include "wire/object_codec.h"

namespace dray::wire {
namespace {

const ClaimKey key{"default", "c0"};
const Uid uid("u0");
const ResourceVersion version("7");

/// A claim with fields that dray does not know, and `rest` in its status.
std::string claim_json(const std::string& rest) {
  return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c0",)"
         R"("namespace":"default","uid":"u0","resourceVersion":"7","finalizers":["other"],)"
         R"("managedFields":[{"x":1}]},"spec":{"devices":{},"new":{"a":[null,1.5]}},"status":{)" +
         rest + "}}";
}

ResourceClaim decoded(const std::string& json) {
  auto object = decode_object(json);
  if (!object) FAIL(object.error().message);
  return std::get<ResourceClaim>(std::get<KubeObject>(*object));
}

void check_unknown_fields(const std::string& json) {
  CHECK(json.find(R"("managedFields":[{"x":1}])") != std::string::npos);
  CHECK(json.find(R"("new":{"a":[null,1.5]})") != std::string::npos);
}

ClaimConsumer pod(const std::string& name) {
  return {"", "pods", name, Uid("uid-" + name)};
}

TEST_CASE("a claim is protected once") {
  const engine::ProtectClaim write{key, uid, version, {{"dray.dev/epoch", "4"}}};
  const auto once = protect_claim(claim_json(""), write);
  REQUIRE(once);
  const auto claim = decoded(*once);
  CHECK(claim.meta.finalizers == std::vector<std::string>{"other", claim_finalizer});
  CHECK(claim.meta.annotations.at("dray.dev/epoch") == "4");
  check_unknown_fields(*once);
  CHECK(protect_claim(*once, write) == *once);
}

TEST_CASE("a claim without finalizers is protected too") {
  const std::string bare = R"({"metadata":{"uid":"u0","resourceVersion":"7"}})";
  const auto json = protect_claim(bare, {key, uid, version, {}});
  REQUIRE(json);
  CHECK(*json == R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"],)"
                 R"("resourceVersion":"7","uid":"u0"}})");
}

TEST_CASE("allocation and users in one text") {
  AllocationResult allocation;
  allocation.devices.emplace_back();
  allocation.devices[0].request = "gpu";
  allocation.devices[0].device = {DriverName("d"), PoolName("p"), DeviceName("x")};
  allocation.devices[0].consumed_capacity["memory"] = *Quantity::parse("1Gi");
  const auto json =
      allocate_claim(claim_json(R"("unknown":true)"), {key, uid, version, allocation, {pod("a")}});
  REQUIRE(json);
  CHECK(decoded(*json).allocation == allocation);
  CHECK(decoded(*json).reserved_for == std::vector{pod("a")});
  CHECK(json->find(R"("unknown":true)") != std::string::npos);
  check_unknown_fields(*json);
}

TEST_CASE("another version or another claim is a conflict") {
  const auto moved = protect_claim(claim_json(""), {key, uid, ResourceVersion("6"), {}});
  REQUIRE_FALSE(moved);
  CHECK(moved.error() == Error{ErrorCode::conflict,
                               "claim default/c0: it is at resourceVersion 7 "
                               "and no longer at 6"});
  const auto other = release_claim(claim_json(""), {key, Uid("u1"), Uid("x"), true});
  REQUIRE_FALSE(other);
  CHECK(other.error() == Error{ErrorCode::conflict, "claim default/c0: its uid is another by now"});
}

TEST_CASE("one more user, once") {
  const engine::ReserveClaim write{key, uid, version, pod("b")};
  const auto json = reserve_claim(
      claim_json(R"("reservedFor":[{"resource":"pods","name":"a","uid":"uid-a"}])"), write);
  REQUIRE(json);
  CHECK(decoded(*json).reserved_for == std::vector{pod("a"), pod("b")});
  CHECK(reserve_claim(*json, write) == *json);
}

TEST_CASE("the last user takes the allocation along") {
  const std::string allocated = R"("allocation":{"devices":{}},"reservedFor":[)";
  const std::string a = R"({"resource":"pods","name":"a","uid":"uid-a"})";
  const std::string b = R"({"resource":"pods","name":"b","uid":"uid-b"})";
  struct Row {
    std::string name;
    std::string users;
    bool deallocate;
    std::size_t left;
    bool allocated;
  };
  const auto row =
      GENERATE_COPY(Row{"last", a, true, 0, false}, Row{"last, keep", a, false, 0, true},
                    Row{"another stays", a + "," + b, true, 1, true});
  DYNAMIC_SECTION(row.name) {
    const auto json = release_claim(claim_json(allocated + row.users + "]"),
                                    {key, uid, Uid("uid-a"), row.deallocate});
    REQUIRE(json);
    REQUIRE(*json);
    CHECK(decoded(**json).reserved_for.size() == row.left);
    CHECK(decoded(**json).allocation.has_value() == row.allocated);
    check_unknown_fields(**json);
  }
  const auto untouched =
      release_claim(claim_json(allocated + b + "]"), {key, uid, Uid("uid-a"), true});
  REQUIRE(untouched);
  CHECK_FALSE(untouched->has_value());
}

TEST_CASE("the finalizer comes off, others stay") {
  const auto with = protect_claim(claim_json(""), {key, uid, version, {}});
  const auto without = unprotect_claim(*with);
  REQUIRE(without);
  REQUIRE(*without);
  CHECK(decoded(**without).meta.finalizers == std::vector<std::string>{"other"});
  CHECK_FALSE(unprotect_claim(**without)->has_value());
}

TEST_CASE("a lease is renewed and released") {
  const std::string json =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l",)"
      R"("resourceVersion":"1","x":1},"spec":{"holderIdentity":"a","strategy":"s"}})";
  engine::PutLease write;
  write.expected = ResourceVersion("1");
  write.value.transitions = 5;
  const auto put = put_lease(json, write);
  REQUIRE(put);
  CHECK(*put == R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l",)"
                R"("resourceVersion":"1","x":1},"spec":{"leaseTransitions":5,"strategy":"s"}})");
}

TEST_CASE("what is no claim is an error") {
  const auto json = GENERATE(as<std::string>(), "", "[]", "{}", R"({"metadata":[]})",
                             R"({"metadata":{"uid":1}})", "{\"metadata\":");
  DYNAMIC_SECTION(json) {
    const auto edited = protect_claim(json, {key, uid, version, {}});
    REQUIRE_FALSE(edited);
    CHECK(edited.error().message.starts_with("claim default/c0: "));
  }
}

}  // namespace
}  // namespace dray::wire

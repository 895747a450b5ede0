#include "wire/object/make_out.h"

#include <catch2/catch.hpp>

#include "wire/object/object_codec.h"

// What is made out of objects that cannot be read: in lists, in watches, and of claims.

namespace dray::wire::make_out_test {
namespace {

const std::string meta =
    R"("metadata":{"name":"bad","namespace":"x","uid":"u","resourceVersion":"7"})";
const std::string bad_spec =
    R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"capacity":{"requests":{"x":"1e20000"}}}}]}})";
const std::string status =
    R"("status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"gpu-0",)"
    R"("shareID":"s","consumedCapacity":{"m":"CAPACITY"}}]}},)"
    R"("reservedFor":[{"resource":"pods","name":"pod","uid":"pod-uid"}]})";

std::string claim(const std::string& capacity) {
  auto text = R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",)" + meta + "," +
              bad_spec + "," + status + "}";
  return text.replace(text.find("CAPACITY"), 8, capacity);
}

void check_claim(const RejectedObject& rejected) {
  REQUIRE(rejected.object);
  const auto& found = std::get<ResourceClaim>(*rejected.object);
  CHECK(found.meta.namespace_name == "x");
  CHECK(found.meta.uid == Uid("u"));
  CHECK(found.meta.resource_version == ResourceVersion("7"));
  CHECK(found.spec.requests.empty());
  CHECK(found.spec.unreadable == rejected.error.message);
  REQUIRE(found.allocation);
  REQUIRE(found.allocation->devices.size() == 1);
  const auto& device = found.allocation->devices[0];
  CHECK(device.device == DeviceId{DriverName("d"), PoolName("p"), DeviceName("gpu-0")});
  CHECK(device.share_id == "s");
  REQUIRE(found.reserved_for.size() == 1);
  CHECK(found.reserved_for[0].uid == Uid("pod-uid"));
}

TEST_CASE("a claim of a list that cannot be read keeps its name, its devices and its users") {
  const auto list = decode_list(
      R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","metadata":{},"items":[)" +
      claim("1") + R"(,{"metadata":{"name":"good"}}]})");
  REQUIRE(list);
  CHECK(list->items.size() == 1);
  REQUIRE(list->rejected.size() == 1);
  check_claim(list->rejected[0]);
}

TEST_CASE("so does one of a watch, with what happened to it") {
  const auto event = decode_watch_line(R"({"type":"MODIFIED","object":)" + claim("1") + "}\n");
  REQUIRE(event);
  const auto& rejected = std::get<RejectedChange>(*event);
  CHECK(rejected.change == WatchedObject::Change::modified);
  check_claim(rejected.object);
}

TEST_CASE("a device of which a part is held counts as held whole where the part cannot be read") {
  const auto event = decode_watch_line(R"({"type":"ADDED","object":)" + claim("1e20000") + "}");
  REQUIRE(event);
  const auto& object = std::get<RejectedChange>(*event).object.object;
  REQUIRE(object);
  const auto& found = std::get<ResourceClaim>(*object);
  REQUIRE(found.allocation);
  REQUIRE(found.allocation->devices.size() == 1);
  CHECK(found.allocation->devices[0].device.device == DeviceName("gpu-0"));
  CHECK_FALSE(found.allocation->devices[0].share_id);
  CHECK(found.reserved_for.size() == 1);
}

TEST_CASE("of other kinds only the name is made out") {
  const auto list = decode_list(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"b",)"
      R"("labels":{"a":"b"}},"spec":{"priority":"x","nodeName":"n"}}]})");
  REQUIRE(list);
  REQUIRE(list->rejected.size() == 1);
  REQUIRE(list->rejected[0].object);
  const auto& pod = std::get<Pod>(*list->rejected[0].object);
  CHECK(pod.meta.name == "b");
  CHECK(pod.meta.labels.empty());
  CHECK_FALSE(pod.node_name);
}

TEST_CASE("an object without a name is nobody") {
  const auto list =
      decode_list(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":7}]})");
  REQUIRE(list);
  REQUIRE(list->rejected.size() == 1);
  CHECK_FALSE(list->rejected[0].object);
}

}  // namespace
}  // namespace dray::wire::make_out_test

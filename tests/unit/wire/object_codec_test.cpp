#include "wire/object/object_codec.h"

#include <string>
#include <variant>

#include <catch2/catch.hpp>

namespace dray::wire::object_codec_test {
namespace {

std::string outcome(const Result<DecodedObject>& object) {
  if (!object) return object.error().message;
  if (const auto* unknown = std::get_if<UnknownObject>(&*object)) {
    return "unknown " + unknown->api_version + " " + unknown->kind + " " + unknown->name;
  }
  return describe(std::get<KubeObject>(*object));
}

TEST_CASE("objects by kind, group and version") {
  struct Row {
    std::string api_version;
    std::string kind;
    std::string want;
  };
  const auto row = GENERATE(
      Row{"v1", "Pod", "Pod x"}, Row{"v1", "Node", "Node x"}, Row{"v1", "Namespace", "Namespace x"},
      Row{"resource.k8s.io/v1", "ResourceClaim", "ResourceClaim x"},
      Row{"resource.k8s.io/v1beta2", "ResourceSlice", "ResourceSlice x"},
      Row{"resource.k8s.io/v1beta1", "DeviceClass", "DeviceClass x"},
      Row{"resource.k8s.io/v1alpha3", "DeviceTaintRule", "DeviceTaintRule x"},
      Row{"coordination.k8s.io/v1", "Lease", "Lease x"},
      Row{"v1", "Service", "unknown v1 Service x"},
      Row{"example.com/v1", "Pod", "unknown example.com/v1 Pod x"},
      Row{"resource.k8s.io/v1alpha3", "ResourceSlice",
          "ResourceSlice x: apiVersion resource.k8s.io/v1alpha3 is not one that dray reads"},
      Row{"resource.k8s.io/v1beta1", "DeviceTaintRule",
          "DeviceTaintRule x: apiVersion resource.k8s.io/v1beta1 is not one that dray reads"},
      Row{"v2", "Pod", "Pod x: apiVersion v2 is not one that dray reads"},
      Row{"", "Pod", "kind and apiVersion must be set"},
      Row{"v1", "", "kind and apiVersion must be set"});
  DYNAMIC_SECTION(row.api_version << " " << row.kind) {
    const auto json = R"({"metadata":{"name":"x"},"kind":")" + row.kind + R"(","apiVersion":")" +
                      row.api_version + "\"}";
    CHECK(outcome(decode_object(json)) == row.want);
  }
}

TEST_CASE("errors name object and field") {
  struct Row {
    std::string json;
    std::string want;
  };
  const auto row = GENERATE(
      Row{R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"a","name":"p"},"spec":{"priority":"1"}})",
          "Pod a/p: spec.priority: expected an integer, not a string"},
      Row{R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":1}})",
          "Pod: metadata.name: expected a string, not a number"},
      Row{R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":[]})",
          "Pod p: spec: expected an object, not a list"},
      Row{"[]", "expected an object, not a list"}, Row{"1", "expected a JSON object"});
  DYNAMIC_SECTION(row.json) {
    CHECK(outcome(decode_object(row.json)) == row.want);
  }
}

TEST_CASE("a typed list: items do not say their kind") {
  const auto list = decode_list(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"c"},)"
      R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  REQUIRE(list);
  CHECK(list->resource_version == ResourceVersion("9"));
  CHECK(list->continue_token == "c");
  REQUIRE(list->items.size() == 2);
  CHECK(describe(list->items[1]) == "Pod b");
}

TEST_CASE("the version of a typed list is that of its items") {
  const auto list = decode_list(
      R"({"kind":"ResourceSliceList","apiVersion":"resource.k8s.io/v1beta1","metadata":{},)"
      R"("items":[{"metadata":{"name":"a"},"spec":{"devices":[{"name":"d","basic":{"allNodes":true}}]}}]})");
  REQUIRE(list);
  CHECK(std::get<ResourceSlice>(list->items.at(0)).devices.at(0).scope.all_nodes);
}

TEST_CASE("a mixed list, with null for no items") {
  const auto list = decode_list(
      R"({"items":[{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}},)"
      R"({"kind":"X","apiVersion":"y/v1","metadata":{"name":"z"}}],"kind":"List","apiVersion":"v1"})");
  REQUIRE(list);
  CHECK(list->items.size() == 1);
  CHECK(list->unknown == std::vector{UnknownObject{"y/v1", "X", "z"}});
  CHECK(decode_list(R"({"kind":"PodList","apiVersion":"v1","items":null})")->items.empty());
}

TEST_CASE("an object that cannot be read does not spoil its list") {
  const auto list = decode_list(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)"
      R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"priority":"x"}},)"
      R"({"metadata":{"name":"c"}}]})");
  REQUIRE(list);
  CHECK(list->items.size() == 2);
  CHECK(list->resource_version == ResourceVersion("9"));
  REQUIRE(list->rejected.size() == 1);
  CHECK(list->rejected[0].error.message ==
        "Pod b: spec.priority: expected an integer, not a string");
}

TEST_CASE("what is no list is refused") {
  CHECK(decode_list(R"({"kind":"Pod","items":[]})").error().message ==
        "expected a list, not kind \"Pod\"");
  CHECK(decode_list(R"({"kind":"PodList","apiVersion":"v1","items":{}})").error().message ==
        "items: expected a list, not an object");
  CHECK_FALSE(
      decode_list(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}})"));
}

TEST_CASE("watch lines") {
  const std::string object = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}})";
  struct Row {
    std::string type;
    WatchedObject::Change change;
  };
  const auto row = GENERATE(Row{"ADDED", WatchedObject::Change::added},
                            Row{"MODIFIED", WatchedObject::Change::modified},
                            Row{"DELETED", WatchedObject::Change::deleted});
  DYNAMIC_SECTION(row.type) {
    const auto event =
        decode_watch_line(R"({"object":)" + object + R"(,"type":")" + row.type + "\"}\n");
    REQUIRE(event);
    const auto& watched = std::get<WatchedObject>(*event);
    CHECK(watched.change == row.change);
    CHECK(outcome(watched.object) == "Pod p");
  }
}

TEST_CASE("bookmarks, errors and nonsense in a watch") {
  const auto bookmark = decode_watch_line(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12"}}})");
  CHECK(std::get<Bookmark>(*bookmark).resource_version == ResourceVersion("12"));
  const auto error = decode_watch_line(
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"old"}})");
  CHECK(std::get<ApiStatus>(*error) == ApiStatus{410, "Expired", "old"});
  CHECK(decode_watch_line(R"({"type":"X","object":{}})").error().message ==
        "object: unknown watch event type \"X\"");
  CHECK(decode_watch_line(R"({"type":"ADDED"})").error().message ==
        "a watch event without an object");
  const auto rejected = decode_watch_line(
      R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":1}})");
  REQUIRE(rejected);
  CHECK(std::get<RejectedChange>(*rejected).object.error.message ==
        "Pod p: object.spec: expected an object, not a number");
}

TEST_CASE("a status") {
  CHECK(decode_status(R"({"kind":"Status","code":409,"reason":"Conflict","message":"m"})") ==
        ApiStatus{409, "Conflict", "m"});
}

TEST_CASE("objects are written with kind and version first") {
  Lease lease;
  lease.meta.name = "l";
  CHECK(encode_object(lease) == R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
                                R"("metadata":{"name":"l"},"spec":{}})");
}

}  // namespace
}  // namespace dray::wire::object_codec_test

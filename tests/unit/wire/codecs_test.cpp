#include "wire/object/codecs.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"
#include "wire/object/object_codec.h"

namespace dray::wire::codecs_test {
namespace {

/// A kind's head: `{"kind":…,"apiVersion":…,"metadata":{"name":"x"}`.
std::string head(std::string_view kind, std::string_view version) {
  return R"({"kind":")" + std::string(kind) + R"(","apiVersion":")" + std::string(version) +
         R"(","metadata":{"name":"x"})";
}

struct Row {
  Kind kind;
  std::string json;
};

/// An object of each kind whose fields stand with its struct, with all of them.
std::vector<Row> complete_objects() {
  return {
      {Kind::lease,
       head("Lease", "coordination.k8s.io/v1") +
           R"(,"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":3,)"
           R"("acquireTime":"2026-01-02T03:04:05.000001Z",)"
           R"("renewTime":"2026-01-02T03:04:05.123456Z"}})"},
      {Kind::config_map, head("ConfigMap", "v1") + R"(,"data":{"a":"1"}})"},
      {Kind::priority_class,
       head("PriorityClass", "scheduling.k8s.io/v1") + R"(,"value":1000,"globalDefault":true})"},
      {Kind::device_class, head("DeviceClass", "resource.k8s.io/v1") +
                               R"(,"spec":{"selectors":[{"cel":{"expression":"true"}},{}],)"
                               R"("config":[{"opaque":{"driver":"d","parameters":)"
                               R"({"a": 1.50, "b":[]}}},{}],)"
                               R"("extendedResourceName":"example.com/gpu"}})"},
      {Kind::device_taint_rule,
       head("DeviceTaintRule", "resource.k8s.io/v1") +
           R"(,"spec":{"deviceSelector":{"driver":"d","pool":"p","device":"x"},)"
           R"("taint":{"key":"k","value":"v","effect":"NoExecute",)"
           R"("timeAdded":"2026-01-02T03:04:05Z"}}})"},
      {Kind::coscheduling_group,
       head("PodGroup", "scheduling.x-k8s.io/v1alpha1") + R"(,"spec":{"minMember":3}})"},
      {Kind::volcano_group,
       head("PodGroup", "scheduling.volcano.sh/v1beta1") +
           R"(,"spec":{"minMember":3,"queue":"q","priorityClassName":"high",)"
           R"("networkTopology":{"mode":"hard","highestTierAllowed":2,"highestTierName":"rack"}}})"},
      {Kind::kai_topology,
       head("Topology", "kai.scheduler/v1alpha1") +
           R"(,"spec":{"levels":[{"nodeLabel":"zone","alias":"z"},{"nodeLabel":"rack"}]}})"},
      {Kind::batch_job,
       head("Job", "batch/v1") +
           R"(,"spec":{"parallelism":4,"completions":4,"completionMode":"Indexed",)"
           R"("scheduling":{"schedulingPolicy":{"gang":{"minCount":3}},)"
           R"("schedulingConstraints":{"topology":[{"key":"rack"}]}}},"status":{"succeeded":1,)"
           R"("failedIndexes":"1,3-5","conditions":[{"type":"Failed","status":"True"}]}})"},
      {Kind::leader_worker_set,
       head("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1") +
           R"(,"spec":{"leaderWorkerTemplate":{"size":4,"subGroupPolicy":{)"
           R"("subGroupPolicyType":"LeaderExcluded","subGroupSize":2}},"startupPolicy":"LeaderReady"}})"},
      {Kind::ray_cluster,
       head("RayCluster", "ray.io/v1") +
           R"(,"spec":{"enableInTreeAutoscaling":true,"workerGroupSpecs":[{"groupName":"gpu",)"
           R"("replicas":3,"minReplicas":2,"maxReplicas":5,"numOfHosts":4,"suspend":true}]}})"},
      {Kind::pytorch_job, head("PyTorchJob", "kubeflow.org/v1") +
                              R"(,"spec":{"runPolicy":{"schedulingPolicy":{"minAvailable":3}},)"
                              R"("elasticPolicy":{"minReplicas":2},)"
                              R"("pytorchReplicaSpecs":{"Master":{"replicas":1},"Worker":{}}}})"},
      {Kind::mpi_job, head("MPIJob", "kubeflow.org/v2beta1") +
                          R"(,"spec":{"runPolicy":{"schedulingPolicy":{}},"elasticPolicy":{},)"
                          R"("launcherCreationPolicy":"WaitForWorkersReady",)"
                          R"("mpiReplicaSpecs":{"Worker":{"replicas":8}}}})"},
      {Kind::provisioning_request,
       head("ProvisioningRequest", "autoscaling.x-k8s.io/v1") +
           R"(,"spec":{"podSets":[{"podTemplateRef":{"name":"t"},"count":3}],)"
           R"("provisioningClassName":"check-capacity.autoscaling.x-k8s.io",)"
           R"("parameters":{"a":"1"}},"status":{"conditions":[{"type":"Provisioned",)"
           R"("status":"True","reason":"Found","message":"there",)"
           R"("lastTransitionTime":"2026-01-02T03:04:05Z"}]}})"},
  };
}

/// Gives every field that a description names a value of its own.
class Filler {
 public:
  static constexpr bool reading = true;

  template <class T>
  void field(std::string_view /*name*/, T& value) {
    fill(value);
  }
  template <class T>
  void required(std::string_view /*name*/, T& value) {
    fill(value);
  }
  void micro_time(std::string_view /*name*/, std::optional<Time>& value) { fill(value); }
  template <class F>
  void object(std::string_view /*name*/, F&& describe) {
    describe(*this);
  }
  template <class F>
  void object(std::string_view /*name*/, bool& present, F&& describe) {
    present = true;
    describe(*this);
  }
  template <class T, class F>
  void optional(std::string_view /*name*/, std::optional<T>& value, F&& describe) {
    describe(*this, value.emplace());
  }
  template <class T, class F>
  void items(std::string_view /*name*/, std::vector<T>& values, F&& describe) {
    for (int i = 0; i < 2; ++i) describe(*this, values.emplace_back());
  }
  template <class T, class F>
  void entries(std::string_view /*name*/, std::map<std::string, T, std::less<>>& values,
               F&& describe) {
    describe(*this, values["key-" + std::to_string(++count_)]);
  }

 private:
  void fill(bool& value) { value = true; }
  void fill(std::int32_t& value) { value = ++count_; }
  void fill(std::int64_t& value) { value = ++count_; }
  void fill(std::string& value) { value = "text-" + std::to_string(++count_); }
  void fill(Time& value) { value = Time(std::chrono::seconds(++count_)); }
  template <class Tag>
  void fill(Strong<std::string, Tag>& value) {
    value = Strong<std::string, Tag>("name-" + std::to_string(++count_));
  }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& values) {
    fill(values.emplace_back());
  }
  template <class T>
  void fill(std::map<std::string, T, std::less<>>& values) {
    fill(values["key-" + std::to_string(++count_)]);
  }
  /// What has a codec of its own, with its tests.
  template <class T>
  void fill(T& /*value*/) {}

  int count_ = 0;
};

template <class T>
void check_described() {
  if constexpr (DescribesFields<T>) {
    T object;
    object.meta.name = "x";
    Filler filler;
    T::describe(filler, object);
    const auto json = encode_object(object);
    CAPTURE(json);
    const auto again = decode_object(json);
    REQUIRE(again);
    REQUIRE(std::holds_alternative<KubeObject>(*again));
    CHECK(std::get<KubeObject>(*again) == KubeObject(object));
  }
}

template <std::size_t... I>
void check_all(std::index_sequence<I...>) {
  (check_described<std::variant_alternative_t<I, KubeObject>>(), ...);
}

TEST_CASE("a kind that describes its fields is read as it was written") {
  check_all(std::make_index_sequence<std::variant_size_v<KubeObject>>());
}

TEST_CASE("the fields of an object are called as the API calls them") {
  for (const auto& row : complete_objects()) {
    CAPTURE(row.json);
    const auto object = decode_object(row.json);
    REQUIRE(object);
    REQUIRE(std::holds_alternative<KubeObject>(*object));
    const auto& known = std::get<KubeObject>(*object);
    CHECK(kind_of(known) == row.kind);
    CHECK(encode_object(known) == row.json);
  }
}

TEST_CASE("seconds of a lease are 32 bits") {
  CHECK(rewritten<Lease>(R"({"spec":{"leaseDurationSeconds":2147483648}})") ==
        "spec.leaseDurationSeconds: expected an integer within its range");
}

TEST_CASE("an empty selector of a taint rule is not the same as none") {
  const auto start = head("DeviceTaintRule", "resource.k8s.io/v1") + R"(,"spec":{)";
  const std::string tail = R"("taint":{"key":"k","effect":"None"}}})";
  const auto empty = start + R"("deviceSelector":{},)" + tail;
  CHECK(rewritten<DeviceTaintRule>(empty) == empty);
  CHECK(rewritten<DeviceTaintRule>(start + R"("deviceSelector":null,)" + tail) == start + tail);
}

}  // namespace
}  // namespace dray::wire::codecs_test

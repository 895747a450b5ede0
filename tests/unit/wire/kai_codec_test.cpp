#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::kai_codec_test {
namespace {

TEST_CASE("a Queue of KAI, all fields that dray reads") {
  const std::string json =
      R"({"kind":"Queue","apiVersion":"scheduling.run.ai/v2","metadata":{"name":"train"},"spec":{)"
      R"("parentQueue":"ai","priority":100,"preemptMinRuntime":"600s","reclaimMinRuntime":"1500ms",)"
      R"("resources":{"gpu":{"quota":"64","limit":"-1","overQuotaWeight":"2"},"cpu":{"quota":"-1"},)"
      R"("memory":{}}}})";
  CHECK(rewritten<KaiQueue>(json) == json);
}

TEST_CASE("amounts of a Queue may be numbers, and times as Go writes them") {
  const std::string head =
      R"({"kind":"Queue","apiVersion":"scheduling.run.ai/v2","metadata":{"name":"q"},"spec":{)";
  CHECK(
      rewritten<KaiQueue>(head +
                          R"("reclaimMinRuntime":"1h10m0s","resources":{"gpu":{"quota":0.5}}}})") ==
      head +
          R"("reclaimMinRuntime":"4200s","resources":{"gpu":{"quota":"500m"},"cpu":{},"memory":{}}}})");
  CHECK(rewritten<KaiQueue>(head + R"("preemptMinRuntime":"soon"}})") ==
        "spec.preemptMinRuntime: expected a time such as 10m or 1h30m");
}

TEST_CASE("a PodGroup of KAI with a tree of parts") {
  const std::string json =
      R"({"kind":"PodGroup","apiVersion":"scheduling.run.ai/v2alpha2","metadata":{"name":"g"},)"
      R"("spec":{"queue":"infer","minMember":12,"priorityClassName":"inference",)"
      R"("preemptibility":"preemptible","topologyConstraint":{"topology":"fabric",)"
      R"("requiredTopologyLevel":"rack","preferredTopologyLevel":"tray"},"subGroups":[)"
      R"({"name":"prefill","minMember":4},{"name":"all","minSubGroup":1},)"
      R"({"name":"decode","parent":"all","minMember":8,"topologyConstraint":{"topology":"nvlink",)"
      R"("requiredTopologyLevel":"clique"}}],"preemptionDelay":"30s","stalenessGracePeriod":"-1s"}})";
  CHECK(rewritten<KaiPodGroup>(json) == json);
}

}  // namespace
}  // namespace dray::wire::kai_codec_test

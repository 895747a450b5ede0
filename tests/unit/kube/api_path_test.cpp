#include "kube/api_path.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

namespace dray::kube::api_path_test {

TEST_CASE("paths name group, version, namespace and object") {
  CHECK(collection_path(Kind::node, "v1") == "/api/v1/nodes");
  CHECK(collection_path(Kind::resource_slice, "v1beta1") ==
        "/apis/resource.k8s.io/v1beta1/resourceslices");
  CHECK(object_path(Kind::pod, "v1", "default", "p0") == "/api/v1/namespaces/default/pods/p0");
  CHECK(object_path(Kind::resource_claim, "v1", "a", "b") ==
        "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/b");
  CHECK(object_path(Kind::lease, "v1", "dray-system", "dray") ==
        "/apis/coordination.k8s.io/v1/namespaces/dray-system/leases/dray");
  CHECK(object_path(Kind::pod, "v1", "a/../b", "c?d") ==
        "/api/v1/namespaces/a%2F..%2Fb/pods/c%3Fd");
}

TEST_CASE("all that dray keeps is watched, and nothing else") {
  const auto kinds = cluster_kinds();
  const auto watched = [&](Kind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
  CHECK(kinds.size() + 2 == kind_table.size());
  CHECK(watched(Kind::pod));
  CHECK(watched(Kind::pod_disruption_budget));
  CHECK_FALSE(watched(Kind::lease));
  CHECK_FALSE(watched(Kind::config_map));
}

TEST_CASE("dray's account may list and watch what it keeps") {
  std::ifstream in("deploy/chart/reader/role.yaml");
  REQUIRE(in);
  const std::string rules((std::istreambuf_iterator<char>(in)), {});
  for (const auto kind : cluster_kinds()) {
    const auto& info = kind_info(kind);
    CAPTURE(info.plural, info.group);
    CHECK(rules.find(info.plural) != std::string::npos);
    CHECK(rules.find(info.group.empty() ? "\"\"" : info.group) != std::string::npos);
  }
}

}  // namespace dray::kube::api_path_test

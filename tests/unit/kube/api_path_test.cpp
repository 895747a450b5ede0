#include "kube/api_path.h"

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

TEST_CASE("the newest version is asked for first") {
  CHECK(served_versions(Kind::node).size() == 1);
  CHECK(served_versions(Kind::resource_claim).front() == "v1");
  CHECK(served_versions(Kind::resource_claim).back() == "v1beta1");
  CHECK(served_versions(Kind::device_taint_rule).back() == "v1alpha3");
}

}  // namespace dray::kube::api_path_test

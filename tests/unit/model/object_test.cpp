#include "dray/model/object.h"

#include <optional>

#include <catch2/catch.hpp>

namespace dray {
namespace {

TEST_CASE("the kind table stands in the order of the variant") {
  CHECK(kind_info(kind_for<Node>).name == "Node");
  CHECK(kind_info(kind_for<Namespace>).name == "Namespace");
  CHECK(kind_info(kind_for<Pod>).name == "Pod");
  CHECK(kind_info(kind_for<ResourceSlice>).name == "ResourceSlice");
  CHECK(kind_info(kind_for<ResourceClaim>).name == "ResourceClaim");
  CHECK(kind_info(kind_for<ResourceClaimTemplate>).name == "ResourceClaimTemplate");
  CHECK(kind_info(kind_for<DeviceClass>).name == "DeviceClass");
  CHECK(kind_info(kind_for<DeviceTaintRule>).name == "DeviceTaintRule");
  CHECK(kind_info(kind_for<Lease>).name == "Lease");
}

TEST_CASE("kinds are found by group and name or plural") {
  CHECK(find_kind("resource.k8s.io", "ResourceSlice") == Kind::resource_slice);
  CHECK(find_kind("", "ResourceSlice") == std::nullopt);
  CHECK(find_plural("", "pods") == Kind::pod);
  CHECK(find_plural("apps", "pods") == std::nullopt);
  CHECK(api_version_of(kind_info(Kind::pod)) == "v1");
  CHECK(api_version_of(kind_info(Kind::lease)) == "coordination.k8s.io/v1");
}

TEST_CASE("objects are described by kind and key") {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = "p0";
  CHECK(describe(pod) == "Pod default/p0");
  Node node;
  node.meta.name = "n0";
  KubeObject object = node;
  CHECK(describe(object) == "Node n0");
  CHECK(kind_of(object) == Kind::node);
}

}  // namespace
}  // namespace dray

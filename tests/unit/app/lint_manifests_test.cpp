#include "app/lint/lint_manifests.h"

#include <catch2/catch.hpp>

namespace dray::app::lint_manifests_test {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& finding : lint_manifests(text, "f.yaml").findings) {
    found.push_back(finding.text());
  }
  return found;
}
using Lines = std::vector<std::string>;

std::string class_of(const std::string& expression) {
  return "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: gpu\nspec:\n"
         "  selectors:\n  - cel:\n      expression: " +
         expression + "\n";
}

}  // namespace

TEST_CASE("a wrong expression is found with its place and Kubernetes' words") {
  CHECK(
      lines(class_of(R"(device.drivr == "x")")) ==
      Lines{
          "f.yaml:8:25: DeviceClass gpu: spec.selectors[0].cel.expression: Invalid value: "
          "\"device.drivr == \\\"x\\\"\": compilation failed: ERROR: <input>:1:7: undefined field "
          "'drivr'\n | device.drivr == \"x\"\n | ......^"});
  CHECK(lines(class_of(R"(device.driver == "x")")).empty());
}

TEST_CASE("the place of an error is in the line of a block") {
  const auto found = lines(class_of("|\n        device.driver == \"x\" &&\n        nope"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("f.yaml:10:9: DeviceClass gpu: "));
}

TEST_CASE("expressions are found wherever they may stand") {
  const auto row = GENERATE(
      std::pair{
          "{kind: ResourceClaim, metadata: {namespace: a, name: c}, spec: {devices: {requests: "
          "[{name: r, exactly: {selectors: [{cel: {expression: '1'}}]}}]}}}",
          "ResourceClaim a/c: spec.devices.requests[0].exactly.selectors[0].cel.expression: "},
      std::pair{"{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: "
                "[{name: r, selectors: [{cel: {expression: '1'}}]}]}}}",
                "ResourceClaim c: spec.devices.requests[0].selectors[0].cel.expression: "},
      std::pair{
          "{kind: ResourceClaimTemplate, metadata: {name: c}, spec: {spec: {devices: {requests: "
          "[{firstAvailable: [{}, {selectors: [{cel: {expression: '1'}}]}]}]}}}}",
          "ResourceClaimTemplate c: spec.spec.devices.requests[0].firstAvailable[1]."
          "selectors[0].cel.expression: "},
      std::pair{"{kind: List, items: [{kind: DeviceClass, metadata: {name: c}, spec: {selectors: "
                "[{}, {cel: {expression: '1'}}]}}]}",
                "DeviceClass c: spec.selectors[1].cel.expression: "},
      std::pair{"{kind: DeviceClassList, items: [{metadata: {name: c}, spec: {selectors: "
                "[{cel: {expression: '1'}}]}}]}",
                "DeviceClass c: spec.selectors[0].cel.expression: "},
      std::pair{"{kind: Pod}\n---\n---\n{kind: DeviceClass, metadata: {name: c}, spec: {selectors: "
                "[{cel: {expression: '1'}}]}}",
                "DeviceClass c: spec.selectors[0].cel.expression: "},
      std::pair{
          "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{exactly: "
          "{derivedAttributes: [{name: d/a, expression: '{1: 2}'}]}}]}}}",
          "ResourceClaim c: spec.devices.requests[0].exactly.derivedAttributes[0].expression: "});
  CAPTURE(row.first);
  const auto found = lines(row.first);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains(row.second));
  CHECK_THAT(found[0], Catch::Contains("must evaluate to "));
}

TEST_CASE("an expression that costs too much or is too long is refused as the API server does") {
  const std::string costly = "[1,2,3,4,5,6,7,8,9,10]";
  const auto nested = "'" + costly + ".all(a, " + costly + ".all(b, " + costly + ".all(c, " +
                      costly + ".all(d, " + costly + ".all(e, device.driver.matches(\"a*\"))))))'";
  CHECK(lines(class_of(nested)) ==
        Lines{"f.yaml:8:20: DeviceClass gpu: spec.selectors[0].cel.expression: Forbidden: too "
              "complex, exceeds cost limit"});
  const auto found = lines(class_of("\"" + std::string(11'000, 'x') + "\""));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::EndsWith("Too long: may not be more than 10240 bytes"));
}

TEST_CASE("what the new environment lacks is found, although schedulers would take it") {
  const auto found = lines(class_of(R"('device.attributes["d"].list.exists(x, x == 1)')"));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("cannot be range of a comprehension"));
}

TEST_CASE("a file that is no YAML is a finding with its place") {
  const auto result = lint_manifests("a: [", "f.yaml");
  REQUIRE(result.findings.size() == 1);
  CHECK_THAT(result.findings[0].text(), Catch::StartsWith("f.yaml:1:"));
  CHECK(lint_manifests("", "f.yaml").findings.empty());
}

TEST_CASE("objects and expressions are counted") {
  const auto result = lint_manifests(
      class_of("'true'") + "---\n" + class_of("'1'") + "---\nkind: Namespace\n", "f");
  CHECK(result.expressions == 2);
  CHECK(result.objects == 2);
}

TEST_CASE("namespaces of other files say who may have admin access") {
  const std::string claim =
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: a}, "
      "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x, adminAccess: true}}]}}}";
  CHECK(lines(claim).empty());  // nothing is known of the namespace
  wire::ValidationOptions options;
  read_namespaces("{kind: Namespace, metadata: {name: a}}", options);
  const auto refused = lint_manifests(claim, "f.yaml", options).findings;
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].path == "spec.devices.requests[0].adminAccess");
  read_namespaces(
      "{kind: List, items: [{kind: Namespace, metadata: {name: a, labels: "
      "{resource.kubernetes.io/admin-access: 'true'}}}]}",
      options);
  CHECK(lint_manifests(claim, "f.yaml", options).findings.empty());
}

}  // namespace dray::app::lint_manifests_test

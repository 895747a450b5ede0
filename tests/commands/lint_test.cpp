#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::lint_test {
namespace {

/// An expression in each place that has one, all but the last wrong.
constexpr std::string_view manifests = R"(apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c}
spec:
  selectors:
  - cel: {expression: 'device.driver = "x"'}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a, namespace: team}
spec:
  devices:
    requests:
    - name: one
      exactly:
        deviceClassName: c
        selectors:
        - cel: {expression: device.driver}
    - name: two
      firstAvailable:
      - name: alt
        deviceClassName: c
        selectors:
        - cel: {expression: 'device.drver == "x"'}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: team}
spec:
  spec:
    devices:
      requests:
      - name: one
        exactly:
          deviceClassName: c
          selectors:
          - cel:
              expression: |
                device.driver == "x" &&
                device.allowMultiple
          - cel: {expression: 'true'}
)";

}  // namespace

TEST_CASE("lint finds wrong expressions wherever they stand, with line and column") {
  const TempFile file("manifests.yaml", manifests);
  const auto ended = dray({"lint", file.path()});
  CHECK(ended.status == 1);
  CHECK(ended.err.empty());
  for (const auto* want :
       {":6:38: DeviceClass c: spec.selectors[0].cel.expression: Invalid value: \"device.driver = "
        "\\\"x\\\"\": compilation failed: ERROR: <input>:1:15: Syntax error",
        ":18:29: ResourceClaim team/a: "
        "spec.devices.requests[0].exactly.selectors[0].cel.expression: "
        "Invalid value: \"device.driver\": must evaluate to bool",
        ":24:36: ResourceClaim team/a: "
        "spec.devices.requests[1].firstAvailable[0].selectors[0].cel.expression: ",
        ":40:23: ResourceClaimTemplate team/t: "
        "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: "}) {
    INFO(want);
    CHECK(ended.out.contains(file.path() + want));
  }
  CHECK(lines(ended.out).back() == "3 objects and 5 expressions in 1 file, 4 wrong");
}

TEST_CASE("lint reads folders and the standard input") {
  const auto folder = dray({"lint", "config/demo"});
  CHECK(folder.status == 0);
  CHECK_THAT(folder.out, Catch::EndsWith(" and 9 expressions in 2 files, 0 wrong\n"));
  CHECK(dray({"lint", "-f", "config/demo"}).out == folder.out);
  CHECK(dray({"lint", "-f", "config/demo/workload.yaml", "config/demo/policy.yaml"}).out ==
        folder.out);
  const auto nothing = dray({"lint"});
  CHECK(nothing.status == 2);
  CHECK(nothing.err.contains("what is to be checked?"));
  const auto input = dray({"lint", "-"}, manifests);
  CHECK(input.status == 1);
  CHECK(input.out.contains("-:6:38: DeviceClass c: "));
}

TEST_CASE("lint refuses what the API server refuses, as text and as data") {
  const TempFile file(
      "claim.yaml",
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n"
      "spec:\n  devices:\n    requests:\n    - name: gpu\n"
      "      exactly: {deviceClassName: gpu, allocationMode: All, count: 2}\n"
      "    constraints:\n    - {requests: [nic], matchAttribute: a.example/numa}\n");
  const auto text = dray({"lint", file.path()});
  CHECK(text.status == 1);
  CHECK(text.out ==
        file.path() +
            ":8:67: ResourceClaim c: spec.devices.requests[0].exactly.count: Invalid value: 2: "
            "must not be specified when allocationMode is 'All'\n" +
            file.path() +
            ":10:19: ResourceClaim c: spec.devices.constraints[0].requests[0]: Invalid value: "
            "\"nic\": must be the name of a request in the claim or the name of a request and a "
            "subrequest separated by '/'\n1 object and 0 expressions in 1 file, 2 wrong\n");
  const auto data = dray({"lint", "-o", "json", file.path()});
  CHECK(data.status == 1);
  CHECK(data.out.contains(R"("path":"spec.devices.requests[0].exactly.count")"));
  const TempFile gated("derived.yaml",
                       "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n"
                       "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, "
                       "derivedAttributes: [{name: a.b/c, expression: '1'}]}}]}}\n");
  CHECK(dray({"lint", gated.path()}).status == 0);  // the API server drops the field
  CHECK(dray({"lint", "--feature-gates", "DRADerivedAttributes=true", gated.path()}).status == 1);
}

TEST_CASE("what lint cannot read") {
  const TempFile broken("broken.yaml", "apiVersion: v1\nmetadata: {name: x\n");
  const auto wrong = dray({"lint", broken.path()});
  CHECK(wrong.status == 1);
  CHECK(wrong.out ==
        broken.path() +
            ":3:1: end of map flow not found\n0 objects and 0 expressions in 1 file, 1 wrong\n");
  const auto missing = dray({"lint", "/no/such.yaml"});
  CHECK(missing.status == 2);
  CHECK(missing.out.empty());
  CHECK(missing.err == "dray lint: /no/such.yaml: cannot be read: no such file or directory\n");
  const TempFile other("notes.txt", "");
  const auto folder = other.path().substr(0, other.path().rfind('/'));
  const auto empty = dray({"lint", folder});
  CHECK(empty.status == 2);
  CHECK(empty.err == "dray lint: " + folder + ": no *.yaml, *.yml or *.json in this folder\n");
}

}  // namespace dray::commands_test::lint_test

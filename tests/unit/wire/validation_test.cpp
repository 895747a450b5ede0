#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "wire/validation/validate.h"

// What the API server of Kubernetes 1.37 refuses, with its words. tests/oracle/validation compares
// the fields of many more objects with Kubernetes' own code.

namespace dray::wire::validation_test {
namespace {

using Lines = std::vector<std::string>;

Lines errors_of(const std::string& kind, const std::string& text,
                const ValidationOptions& options = {}) {
  const auto object = parse_yaml(text);
  REQUIRE(object);
  const auto version = kind == "Pod" || kind == "Job" ? "v1" : "resource.k8s.io/v1";
  const auto checked = validate({version, kind}, *object, text, options);
  REQUIRE(checked);
  Lines lines;
  for (const auto& error : checked->errors) {
    lines.push_back(fmt::format("{}: {}", error.path, error.message));
  }
  return lines;
}

/// A claim with these members of `devices`.
std::string claim(const std::string& devices) {
  return "{metadata: {name: c}, spec: {devices: {" + devices + "}}}";
}
/// A claim with one request of these members.
std::string exactly(const std::string& request) {
  return claim("requests: [{name: r, exactly: {" + request + "}}]");
}
/// A slice with one device of these members.
std::string device(const std::string& members) {
  return "{metadata: {name: s}, spec: {driver: d.example, nodeName: n0, pool: {name: n0, "
         "generation: "
         "1, resourceSliceCount: 1}, devices: [{name: d, " +
         members + "}]}}";
}
std::string capacity(const std::string& policy) {
  return device("allowMultipleAllocations: true, capacity: {m: {value: 10Gi, requestPolicy: {" +
                policy + "}}}");
}

struct Row {
  std::string kind;
  std::string text;
  Lines errors;
};

const std::string policy_path = "spec.devices[0].capacity[m].requestPolicy";
const std::string exact_path = "spec.devices.requests[0].exactly";

void check(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(errors_of(row.kind, row.text) == row.errors);
  }
}

}  // namespace

TEST_CASE("unknown and repeated fields, and values of a wrong type, are refused as when decoding") {
  const auto strict = [](const std::string& path, const std::string& hint = {}) {
    return fmt::format("{0}: strict decoding error: unknown field \"{0}\"{1}", path, hint);
  };
  check({
      {"ResourceClaim",
       claim("requests: [{name: r, deviceClassName: g}]"),
       {strict("spec.devices.requests[0].deviceClassName",
               "; did you mean exactly.deviceClassName?")}},
      {"ResourceClaim",
       exactly("deviceClassName: g, allocationmode: All"),
       {strict(exact_path + ".allocationmode", "; did you mean allocationMode?")}},
      {"ResourceClaim",
       exactly("deviceClassName: g, count: 1, count: 2"),
       {exact_path + ".count: strict decoding error: duplicate field \"" + exact_path +
        ".count\""}},
      {"ResourceClaim",
       exactly("deviceClassName: g, count: '2'"),
       {exact_path + ".count: expected an integer, not a string"}},
      {"ResourceClaim",
       exactly("deviceClassName: 5"),
       {exact_path + ".deviceClassName: expected a string, not a number"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, selectors: {cel: {}}"),
       {exact_path + ".selectors: expected a list, not a map"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, adminAccess: 'true'"),
       {exact_path + ".adminAccess: expected a boolean, not a string"}},
      // The status is not the creator's to set.
      {"ResourceClaim", "{metadata: {name: c}, spec: {devices: {}}, status: {what: ever}}", {}},
  });
}

TEST_CASE("requests of a claim") {
  check({
      {"ResourceClaim",
       claim("requests: [{name: r}]"),
       {"spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is "
        "required"}},
      {"ResourceClaim",
       claim("requests: [{name: r, exactly: {deviceClassName: g}, firstAvailable: [{name: a, "
             "deviceClassName: g}]}]"),
       {"spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or "
        "`firstAvailable` is required, but multiple fields are set"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, allocationMode: all"),
       {exact_path + ".allocationMode: Unsupported value: \"all\": supported values: \"All\", "
                     "\"ExactCount\""}},
      {"ResourceClaim",
       exactly("deviceClassName: g, allocationMode: All, count: 2"),
       {exact_path + ".count: Invalid value: 2: must not be specified when allocationMode is "
                     "'All'"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, count: -1"),
       {exact_path + ".count: Invalid value: -1: must be greater than zero"}},
      {"ResourceClaim", exactly("count: 0"), {exact_path + ".deviceClassName: Required value"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, selectors: [{}]"),
       {exact_path + ".selectors[0].cel: Required value"}},
      {"ResourceClaim",
       exactly("deviceClassName: g, tolerations: [{key: k, operator: Exists, value: v, effect: "
               "NoSchedul}]"),
       {exact_path + ".tolerations[0].value: Invalid value: \"v\": must be empty for operator "
                     "`Exists`",
        exact_path + ".tolerations[0].effect: Unsupported value: \"NoSchedul\": supported values: "
                     "\"NoExecute\", \"NoSchedule\", \"None\""}},
      {"ResourceClaim",
       claim("requests: [{name: r, exactly: {deviceClassName: g}}, {name: r, exactly: "
             "{deviceClassName: g}}]"),
       {"spec.devices.requests[1]: Duplicate value: \"r\""}},
  });
  std::string many;
  for (int i = 0; i < 33; ++i) many += fmt::format("{{name: r{}}}, ", i);
  check({{"ResourceClaim",
          claim("requests: [" + many + "]"),
          {"spec.devices.requests: Too many: 33: must have at most 32 items"}}});
}

TEST_CASE("constraints and configurations name requests of the claim") {
  const auto with = [](const std::string& rest) {
    return claim(
        "requests: [{name: r, exactly: {deviceClassName: g}}, {name: l, firstAvailable: [{name: a, "
        "deviceClassName: g}]}], " +
        rest);
  };
  const std::string rule =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  check({
      {"ResourceClaim", with("constraints: [{requests: [r, l, l/a], matchAttribute: x.y/z}]"), {}},
      {"ResourceClaim",
       with("constraints: [{requests: [nic, l/b, r/a], matchAttribute: x.y/z}]"),
       {"spec.devices.constraints[0].requests[0]: Invalid value: \"nic\": " + rule,
        "spec.devices.constraints[0].requests[1]: Invalid value: \"l/b\": " + rule,
        "spec.devices.constraints[0].requests[2]: Invalid value: \"r/a\": " + rule}},
      {"ResourceClaim",
       with("constraints: [{matchAttribute: numa}]"),
       {"spec.devices.constraints[0].matchAttribute: Invalid value: \"numa\": a fully qualified "
        "name must be a domain and a name separated by a slash"}},
      {"ResourceClaim",
       with("config: [{requests: [r, r], opaque: {driver: d}}, {}]"),
       {"spec.devices.config[0].requests[1]: Duplicate value: \"r\"",
        "spec.devices.config[0].opaque.parameters: Required value",
        "spec.devices.config[1].opaque: Required value"}},
  });
}

TEST_CASE("classes, taint rules and templates") {
  check({
      {"DeviceClass",
       "{metadata: {name: A_b}, spec: {extendedResourceName: cpu}}",
       {"metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of "
        "lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "spec.extendedResourceName: Invalid value: \"cpu\": must be a valid extended resource "
        "name"}},
      {"DeviceClass",
       "{metadata: {}, spec: {}}",
       {"metadata.name: Required value: name or generateName is required"}},
      {"DeviceTaintRule",
       "{metadata: {name: t}, spec: {taint: {key: k, effect: NoSchedul}}}",
       {"spec.taint.effect: Unsupported value: \"NoSchedul\": supported values: \"NoExecute\", "
        "\"NoSchedule\", \"None\""}},
      {"ResourceClaimTemplate",
       "{metadata: {name: t}, spec: {metadata: {name: x}, spec: {devices: {}}}}",
       {"spec.metadata.name: Forbidden: cannot be set"}},
  });
}

TEST_CASE("slices") {
  check({
      {"ResourceSlice",
       "{metadata: {name: s}, spec: {driver: d, pool: {name: p}}}",
       {"spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
        "`perDeviceNodeSelection` is required"}},
      {"ResourceSlice",
       device("attributes: {a: {string: x, int: 1}, b: {version: '1.2'}}"),
       {"spec.devices[0].attributes[a]: Invalid value: {\"int\":1,\"string\":\"x\"}: exactly one "
        "value must be specified",
        "spec.devices[0].attributes[b].version: Invalid value: \"1.2\": must be a string "
        "compatible with semver.org spec 2.0.0"}},
      {"ResourceSlice",
       device("capacity: {m: {value: 1, requestPolicy: {default: 1}}}"),
       {policy_path + ": Forbidden: allowMultipleAllocations must be true"}},
      {"ResourceSlice",
       capacity("validValues: [1Gi, 20Gi]"),
       {policy_path + ".default: Required value: required when validValues is defined"}},
      {"ResourceSlice",
       capacity("default: 2Gi, validValues: [4Gi, 1Gi]"),
       {policy_path + ".validValues[1]: Invalid value: \"1Gi\": values must be sorted in ascending "
                      "order",
        policy_path + ".validValues: Invalid value: \"2Gi\": default value is not valid according "
                      "to the requestPolicy"}},
      {"ResourceSlice",
       capacity("default: 3Gi, validRange: {min: 2Gi, max: 7Gi, step: 2Gi}"),
       {policy_path + ".validRange.step: Invalid value: \"3Gi\": value is not a multiple of a "
                      "given step (2Gi) from (2Gi)",
        policy_path + ".validRange.step: Invalid value: \"7Gi\": value is not a multiple of a "
                      "given step (2Gi) from (2Gi)"}},
      // Amounts are rounded up.
      {"ResourceSlice", capacity("default: 500m, validRange: {min: 0, step: 300m}"), {}},
      {"ResourceSlice",
       device("bindingConditions: [a.b/c]"),
       {"spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions "
        "are required to use bindingConditions"}},
      {"ResourceSlice",
       device("nodeName: n0"),
       {"spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only "
        "be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"}},
      // Its gate is off: the API server drops the list, and nothing is left.
      {"ResourceSlice",
       device("attributes: {a: {strings: [x]}}"),
       {"spec.devices[0].attributes[a]: Invalid value: \"\": exactly one value must be specified"}},
  });
  ValidationOptions fractional;
  fractional.features.fractional_capacity_range = true;
  CHECK(errors_of("ResourceSlice", capacity("default: 500m, validRange: {min: 0, step: 300m}"),
                  fractional) == Lines{policy_path + ".validRange.step: Invalid value: \"500m\": "
                                                     "value is not a multiple of a given step "
                                                     "(300m) from (0)"});
  ValidationOptions options;
  options.features.list_type_attributes = true;
  CHECK(errors_of("ResourceSlice", device("attributes: {a: {strings: [x]}}"), options).empty());
}

TEST_CASE("claims of pods and of their containers") {
  const auto pod = [](const std::string& claims, const std::string& used) {
    return "{spec: {resourceClaims: [" + claims +
           "], containers: [{name: c, resources: {claims: " + "[" + used + "]}}]}}";
  };
  const std::string used = "spec.containers[0].resources.claims";
  check({
      {"Pod",
       pod("{name: g, resourceClaimName: a}", "{name: g, request: r}, {name: g, request: s}"),
       {}},
      {"Pod",
       pod("{name: g, resourceClaimName: a, resourceClaimTemplateName: b}, {name: h}", ""),
       {"spec.resourceClaims[0]: Invalid value: "
        R"({"name":"g","resourceClaimName":"a","resourceClaimTemplateName":"b"})"
        ": at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        "spec.resourceClaims[1]: Invalid value: {\"name\":\"h\"}: must specify one of: "
        "`resourceClaimName`, `resourceClaimTemplateName`"}},
      {"Pod",
       pod("{name: g, resourceClaimName: a}", "{name: x}, {name: g, request: r}, {name: g}"),
       {used + "[0]: Not found: \"x\": must be one of the names in pod.spec.resourceClaims",
        used + "[2]: Duplicate value: \"g\""}},
      {"Pod",
       pod("{name: g, claimName: a}", ""),
       {"spec.resourceClaims[0].claimName: strict decoding error: unknown field "
        "\"spec.resourceClaims[0].claimName\"; there are name, resourceClaimName, "
        "resourceClaimTemplateName"}},
      {"Job",
       "{spec: {template: " + pod("{name: g}", "") + "}}",
       {"spec.template.spec.resourceClaims[0]: Invalid value: {\"name\":\"g\"}: must specify one "
        "of: `resourceClaimName`, `resourceClaimTemplateName`"}},
  });
}

TEST_CASE("errors have the place of the value, or of the field that is not known") {
  const std::string text =
      "metadata: {name: c}\nspec:\n  devices:\n    requests:\n    - name: A\n      exactly:\n"
      "        devicClass: g\n";
  const auto places = [](const std::string& of) {
    const auto object = parse_yaml(of);
    std::vector<TextPlace> found;
    const auto checked = validate({"resource.k8s.io/v1", "ResourceClaim"}, *object, of);
    for (const auto& error : checked->errors) found.push_back(error.place);
    return found;
  };
  CHECK(places(text) == std::vector<TextPlace>{{7, 9}});
  auto known = text;
  known.replace(known.find("devicClass"), 10, "deviceClassName");
  CHECK(places(known) == std::vector<TextPlace>{{5, 13}});
}

}  // namespace dray::wire::validation_test

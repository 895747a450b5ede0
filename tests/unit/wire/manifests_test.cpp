#include "wire/object/manifests.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::wire::manifests_test {
namespace {

std::string error_of(const std::string& text) {
  const auto manifests = load_manifests(text, "f.yaml");
  return manifests ? "" : manifests.error().message;
}

TEST_CASE("documents, lists and unknown kinds, with their lines and defaults") {
  const auto manifests = load_manifests(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n---\n"
      "kind: List\napiVersion: v1\nitems:\n"
      "- {apiVersion: v1, kind: Node, metadata: {name: n0}}\n"
      "- {apiVersion: v1, kind: Service, metadata: {name: s}}\n---\n"
      "kind: ResourceClaimList\napiVersion: resource.k8s.io/v1\nitems:\n"
      "- metadata: {name: c, namespace: a}\n"
      "  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\n",
      "f.yaml");
  REQUIRE(manifests);
  REQUIRE(manifests->objects.size() == 3);
  CHECK(describe(manifests->objects[0].value) == "Pod default/p");
  CHECK(manifests->objects[0].line == 1);
  CHECK(describe(manifests->objects[1].value) == "Node n0");
  CHECK(manifests->objects[1].line == 9);
  const auto& claim = std::get<ResourceClaim>(manifests->objects[2].value);
  CHECK(claim.key().to_string() == "a/c");
  CHECK(claim.spec.requests.at(0).exactly->count == 1);
  CHECK(manifests->objects[2].line == 15);
  REQUIRE(manifests->unknown.size() == 1);
  CHECK(manifests->unknown[0].value == UnknownObject{"v1", "Service", "s"});
  CHECK(manifests->unknown[0].line == 10);
}

TEST_CASE("JSON, one object after the other") {
  const auto manifests = load_manifests(
      "\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}\n"
      "{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"items\":[{\"metadata\":{\"name\":\"b\"}}]}",
      "f.json");
  REQUIRE(manifests);
  REQUIRE(manifests->objects.size() == 2);
  CHECK(manifests->objects[0].line == 2);
  CHECK(describe(manifests->objects[1].value) == "Node b");
  CHECK(manifests->objects[1].line == 3);
}

TEST_CASE("snapshots of other tools have lists of objects that say no kind") {
  struct Row {
    std::string name;
    std::string text;
    std::vector<std::string> want;
  };
  const auto row = GENERATE(
      Row{"KAI-Scheduler",
          R"({"config":{"kind":"x"},"rawObjects":{"bindRequests":null,"resourceClaims":null,)"
          R"("pods":[{"metadata":{"name":"p","namespace":"a"}}],"nodes":[{"metadata":{"name":"n"}}],)"
          R"("queues":[{"metadata":{"name":"q"},"spec":{}}],"storageClasses":[{"provisioner":1}],)"
          R"("podGroups":[{"metadata":{"name":"g","namespace":"a"},"spec":{"minMember":2}}],)"
          R"("topologies":[],"deviceClasses":[{"metadata":{"name":"c"},"spec":{}}]},"discovery":{}})",
          {"Pod a/p", "Node n", "Queue q", "PodGroup a/g", "DeviceClass c"}},
      Row{"kube-scheduler-simulator",
          R"({"pods":[{"metadata":{"name":"p","namespace":"a"}}],"nodes":[],"pvs":[{"spec":1}],)"
          R"("namespaces":[{"metadata":{"name":"a"}}],"schedulerConfig":{"profiles":[]}})",
          {"Pod a/p", "Namespace a"}});
  DYNAMIC_SECTION(row.name) {
    const auto manifests = load_manifests(row.text, "f.json");
    REQUIRE(manifests);
    std::vector<std::string> names;
    for (const auto& object : manifests->objects) names.push_back(describe(object.value));
    CHECK(names == row.want);
  }
}

TEST_CASE("what cannot be read in another tool's snapshot is told with its place there") {
  CHECK(error_of("{\"rawObjects\":{\"pods\":[\n{\"metadata\":{\"name\":\"p\"}},\n{\"metadata\":{"
                 "\"name\":\"q\"},\"spec\":{\"priority\":\"high\"}}]}}") ==
        "f.yaml:3: Pod q: spec.priority: expected an integer, not a string");
  CHECK(error_of(R"({"rawObjects":{"pods":{}}})").find("rawObjects.pods: expected a list") !=
        std::string::npos);
  CHECK(error_of(R"({"rawObjects":[]})").find("rawObjects: expected an object") !=
        std::string::npos);
  CHECK_FALSE(error_of(R"({"pods":[]})").empty());
}

TEST_CASE("an empty file has no objects") {
  CHECK(load_manifests("", "f.yaml")->objects.empty());
  CHECK(load_manifests("# only words\n", "f.yaml")->objects.empty());
}

TEST_CASE("JSON documents stand one after another, or between lines of three hyphens") {
  const std::string a = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";
  const std::string b = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}})";
  const std::string c = "apiVersion: v1\nkind: Node\nmetadata: {name: c}\n";
  struct Row {
    std::string name;
    std::string text;
    std::vector<std::pair<std::string, int>> want;  ///< names and lines
  };
  const auto row = GENERATE_COPY(values<Row>({
      {"one after another", a + "\n" + b, {{"a", 1}, {"b", 2}}},
      {"on one line", a + b, {{"a", 1}, {"b", 1}}},
      {"between lines", a + "\n---\n" + b + "\n---\n", {{"a", 1}, {"b", 3}}},
      {"both", a + "\n" + b + "\n---\n" + a, {{"a", 1}, {"b", 2}, {"a", 4}}},
      {"YAML behind the line", a + "\n---\n" + c + "---\n" + b, {{"a", 1}, {"c", 3}, {"b", 7}}},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto manifests = load_manifests(row.text, "f.json");
    REQUIRE(manifests);
    std::vector<std::pair<std::string, int>> found;
    for (const auto& [object, line] : manifests->objects) {
      found.emplace_back(meta_of(object).name, line);
    }
    CHECK(found == row.want);
  }
}

TEST_CASE("a bad document behind a JSON one is named with its line") {
  const std::string node = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";
  CHECK(error_of(node + "\n---\na: [\n").starts_with("f.yaml:"));
  CHECK(error_of(node + "\n---\n\na: 1\na: 2\n") == "f.yaml:5: key \"a\" is set twice");
}

TEST_CASE("errors say file, line, object and field") {
  struct Row {
    std::string text;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  priority: high\n",
                   "f.yaml:5: Pod p: spec.priority: expected an integer, not a string"},
               Row{"kind: NodeList\napiVersion: v1\nitems:\n- metadata: {name: a}\n- metadata:\n   "
                   " name: b\n"
                   "    labels: {x: 1}\n",
                   "f.yaml:7: Node b: metadata.labels.x: expected a string, not a number"},
               Row{"a: 1\n---\nkind: Pod\n", "f.yaml:1: kind and apiVersion must be set"},
               Row{"- a\n", "f.yaml:1: expected an object, not a list"},
               Row{"a: 1\na: 2\n", "f.yaml:2: key \"a\" is set twice"},
               Row{"{\n\"apiVersion\":\"v1\",\n\"kind\":\"Pod\",\n\"spec\":{\n\"priority\":true}}",
                   "f.yaml:5: Pod: spec.priority: expected an integer, not a boolean"});
  DYNAMIC_SECTION(row.want) {
    CHECK(error_of(row.text) == row.want);
  }
}

/// All YAML files below `folder`: what they hold must come out of its own encoding unchanged.
int round_trip_files(const std::filesystem::path& folder) {
  int objects = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (entry.path().extension() != ".yaml" || name == "expect.yaml" || name == "reject.yaml") {
      continue;
    }
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto manifests = load_manifests(text, name);
    if (!manifests) FAIL(manifests.error().message);
    for (const auto& [object, line] : manifests->objects) {
      const auto again = decode_object(encode_object(object));
      INFO(name << ":" << line << ": " << describe(object));
      REQUIRE(again);
      CHECK(std::get<KubeObject>(*again) == object);
      ++objects;
    }
  }
  return objects;
}

TEST_CASE("objects of our own manifests survive encoding") {
  CHECK(round_trip_files("tests/data/manifests") > 5);
}

TEST_CASE("objects of the shared fixtures survive encoding") {
  const char* shared = std::getenv("DRAY_SHARED");
  if (shared == nullptr) {
    WARN("skipped: DRAY_SHARED is not set");
    return;
  }
  CHECK(round_trip_files(std::filesystem::path(shared) / "fixtures") > 300);
}

}  // namespace
}  // namespace dray::wire::manifests_test

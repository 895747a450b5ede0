#include "app/demo/demo_expectation.h"

#include <catch2/catch.hpp>

#include "app/common/files.h"

namespace dray::app::demo_expectation_test {
namespace {

using Kind = Outcome::Kind;

Pod make_pod(const std::string& name, const std::string& expect) {
  Pod pod;
  pod.meta.namespace_name = "demo";
  pod.meta.name = name;
  if (!expect.empty()) pod.meta.annotations[expect_annotation] = expect;
  return pod;
}

DemoRow row(const std::string& pod, Kind kind, const std::string& node_or_reason, int devices = 0) {
  DemoRow made;
  made.pod = {"demo", pod};
  made.kind = kind;
  (kind == Kind::placed ? made.node : made.reason) = node_or_reason;
  made.devices.resize(static_cast<std::size_t>(devices));
  return made;
}

std::vector<std::string> unmet(const std::string& declared, const std::vector<DemoRow>& rows) {
  auto expectations = Expectations::of({make_pod("p", declared)}).value();
  for (const auto& each : rows) expectations.saw(each);
  return expectations.unmet();
}

}  // namespace

TEST_CASE("declarations are read") {
  struct Row {
    std::string text;
    std::vector<Expected> want;
  };
  const auto row =
      GENERATE(Row{"placed", {{Kind::placed, 0, "", ""}}},
               Row{"placed with 1 device", {{Kind::placed, 1, "", ""}}},
               Row{"placed on n0", {{Kind::placed, 0, "n0", ""}}},
               Row{"placed with 8 devices on n0", {{Kind::placed, 8, "n0", ""}}},
               Row{"waits", {{Kind::waits, 0, "", ""}}},
               Row{"waits: too few: 8; evicted: for b",
                   {{Kind::waits, 0, "", "too few: 8"}, {Kind::evicted, 0, "", "for b"}}},
               Row{" waits ;\n placed ", {{Kind::waits, 0, "", ""}, {Kind::placed, 0, "", ""}}});
  DYNAMIC_SECTION(row.text) {
    const auto read = parse_expectation(row.text);
    REQUIRE(read);
    CHECK(*read == row.want);
  }
}

TEST_CASE("what is no declaration is an error that says what would be one") {
  const auto* text = GENERATE("plced", "placed with", "placed with x devices", "placed with 8",
                              "placed on ", "placed on a b", "waits:", "waits for it", "placed;");
  DYNAMIC_SECTION(text) {
    const auto made = Expectations::of({make_pod("p", "placed"), make_pod("q", text)});
    REQUIRE(!made);
    CHECK(made.error().message.starts_with("Pod demo/q: demo.dray.dev/expect: \""));
    CHECK(made.error().message.contains("write \"placed with 8 devices on NODE\""));
  }
}

TEST_CASE("rows are held against what is declared") {
  const auto placed = row("p", Kind::placed, "n0", 2);
  CHECK(unmet("placed with 2 devices on n0", {placed}).empty());
  CHECK(unmet("placed with 2 devices", {placed}).empty());
  CHECK(unmet("waits: in use", {row("p", Kind::waits, "dray: 2 are in use (by a)")}).empty());
  CHECK(unmet("placed with 2 devices; evicted", {placed, row("p", Kind::evicted, "x")}).empty());

  CHECK(unmet("placed with 2 devices on n1", {placed}) ==
        std::vector<std::string>{"pod demo/p: declared \"placed with 2 devices on n1\", but was "
                                 "\"placed with 2 devices on n0\""});
  CHECK(unmet("placed with 1 device", {placed}).size() == 1);
  CHECK(unmet("waits", {placed}).size() == 1);
  CHECK(unmet("waits: in use", {row("p", Kind::waits, "dray: other words")}).size() == 1);
  CHECK(unmet("placed with 2 devices", {placed, row("p", Kind::evicted, "x")}).size() == 1);
  CHECK(unmet("placed", {}) ==
        std::vector<std::string>{"pod demo/p: declared \"placed\", but was \"nothing\""});
}

TEST_CASE("rows are to come until each pod has as many as it declares") {
  auto expectations = Expectations::of({make_pod("p", "waits; placed"), make_pod("q", "")}).value();
  CHECK(expectations.open());
  expectations.saw(row("q", Kind::waits, "undeclared"));
  expectations.saw(row("p", Kind::waits, ""));
  CHECK(expectations.open());
  expectations.saw(row("p", Kind::placed, "n0"));
  CHECK(!expectations.open());
  CHECK(expectations.unmet().empty());
}

TEST_CASE("every pod of the bundled workload says what is to become of it") {
  const auto workload = load_cluster({"config/demo/workload.yaml"});
  REQUIRE(workload);
  CHECK(Expectations::of(*workload));
  for (const auto& object : *workload) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    INFO(pod->key().to_string());
    CHECK(pod->meta.annotations.contains(expect_annotation));
  }
}

}  // namespace dray::app::demo_expectation_test

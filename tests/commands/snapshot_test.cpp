#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::snapshot_test {
namespace {

constexpr std::string_view cluster = R"(apiVersion: v1
kind: Node
metadata: {name: n0, labels: {rack: r1}}
---
apiVersion: v1
kind: Pod
metadata: {name: payroll-0, namespace: payroll, labels: {team: payroll}}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: registry.example.com/payroll, env: [{name: KEY, value: s3cret}]}]
)";

TEST_CASE("a snapshot of a snapshot is the same, byte for byte") {
  const auto first = dray({"snapshot", "-f", "-"}, cluster);
  REQUIRE(first.status == 0);
  CHECK(first.err.empty());
  CHECK(first.out.contains("payroll-0"));
  CHECK_FALSE(first.out.contains("s3cret"));
  const auto again = dray({"snapshot", "-f", "-"}, first.out);
  CHECK(again.status == 0);
  CHECK(again.out == first.out);
}

TEST_CASE("a redacted snapshot names nodes, but nobody's work, and can be read") {
  const auto redacted = dray({"snapshot", "--redact", "-f", "-"}, cluster);
  REQUIRE(redacted.status == 0);
  CHECK_FALSE(redacted.out.contains("payroll"));
  CHECK(redacted.out.contains("\"rack\":\"r1\""));
  const auto allocated =
      dray({"allocate", "--cluster", TempFile("c.json", redacted.out).path(), "-f", "-"},
           "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n");
  CHECK(allocated.err.empty());
}

TEST_CASE("a cluster that cannot be read is an error, and nothing is written") {
  const auto ended = dray({"snapshot", "-f", "/nowhere.yaml"});
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err == "dray snapshot: /nowhere.yaml: cannot be read: no such file or directory\n");
}

}  // namespace
}  // namespace dray::commands_test::snapshot_test

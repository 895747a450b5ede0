#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::repair_test {
namespace {

constexpr std::string_view idle = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: idle, namespace: team}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
status:
  allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n0, device: gpu-2}]}}
)";

TEST_CASE("repair --dry-run says what is wrong, and that something is") {
  const auto ended = dray({"repair", "--dry-run", "-f", "-"}, idle);
  CHECK(ended.status == 1);
  CHECK(ended.out ==
        "FOUND           CLAIM      WHAT\n"
        "nobody uses it  team/idle  its devices are kept for nobody: would be released\n");
  CHECK(ended.err.empty());
  const auto json = dray({"repair", "--dry-run", "-o", "json", "-f", "-"}, idle);
  CHECK(json.status == 1);
  CHECK(json.out.starts_with(R"({"findings":[{"found":"nobody uses it")"));
  const auto yaml = dray({"repair", "--dry-run", "-o", "yaml", "-f", "-"}, idle);
  CHECK(yaml.status == 1);
  CHECK(yaml.out.starts_with("findings:\n- found: \"nobody uses it\"\n"));
}

TEST_CASE("repair --dry-run of what is well says so, with 0") {
  const auto ended = dray({"repair", "--dry-run", "-f", "-"},
                          "apiVersion: v1\nkind: Node\nmetadata: {name: n0}\n");
  CHECK(ended.status == 0);
  CHECK(ended.out == "No claim has a device that another has, or is kept for nobody.\n");
}

TEST_CASE("files cannot be repaired") {
  const auto ended = dray({"repair", "-f", "-"}, idle);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err ==
        "dray repair: files cannot be repaired: give --dry-run, or --kubeconfig alone\n");
}

}  // namespace
}  // namespace dray::commands_test::repair_test

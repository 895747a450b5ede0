#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/commands/child.h"
#include "tests/commands/manifests.h"

namespace dray::commands_test::policy_files_test {
namespace {

constexpr std::string_view head = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources:
  gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]
)";

std::string policy(const std::string& body) {
  return std::string(head) + body;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("validate names each problem with file, line, column and what would be right") {
  const TempFile good("good.yaml", policy("queues:\n  - {name: a, quota: {gpu: 1}}\n"));
  const TempFile bad("bad.yaml", policy("qeues: []\nshares: heap\n"));
  const auto ended = dray({"policy", "validate", good.path(), bad.path()});
  CHECK(ended.status == 4);
  CHECK(ended.err.empty());
  CHECK(ended.out == good.path() + ": valid, 1 queue\n" + bad.path() +
                         ":5:1: error: qeues: no such field; did you mean queues?\n" + bad.path() +
                         ":6:9: error: shares: expected pack or spread, not `heap`\n");
}

TEST_CASE("a warning is shown, and the file is valid") {
  const TempFile file("p.yaml", policy("reclaim: {enabled: true}\n"));
  const auto ended = dray({"policy", "validate", file.path()});
  CHECK(ended.status == 0);
  CHECK(ended.out == file.path() +
                         ":5:20: warning: reclaim.enabled: there are no queues to reclaim from\n" +
                         file.path() + ": valid, 0 queues\n");
  const auto json = dray({"policy", "validate", "-", "-o", "json"}, policy("shares: heap\n"));
  CHECK(json.status == 4);
  CHECK(json.out == R"({"files":[{"file":"-","valid":false,"problems":[{"severity":"error",)"
                    R"("line":5,"column":9,"path":"shares","text":)"
                    R"("expected pack or spread, not `heap`"}]}]})"
                    "\n");
}

TEST_CASE("what policy commands say as JSON they say as YAML, too") {
  const TempFile good("good.yaml", policy("queues:\n  - {name: a, quota: {gpu: 1}}\n"));
  const TempFile other("other.yaml", policy("queues:\n  - {name: a, quota: {gpu: 2}}\n"));
  const auto valid = dray({"policy", "validate", good.path(), "-o", "yaml"});
  CHECK(valid.status == 0);
  CHECK(valid.out.starts_with("files:\n- file: "));
  const auto changes = dray({"policy", "diff", good.path(), other.path(), "-o", "yaml"});
  CHECK(changes.status == 1);
  CHECK(changes.out.starts_with("changes:\n- "));
}

TEST_CASE("of a folder the policies are validated, and not their tests") {
  const auto ended = dray({"policy", "validate", "config/policies"});
  CHECK(ended.status == 0);
  CHECK(ended.out.contains("config/policies/teams.yaml: valid, 3 queues\n"));
  CHECK_FALSE(ended.out.contains(".test.yaml"));
}

TEST_CASE("a policy's test that is named is checked as a test") {
  const auto valid = dray({"policy", "validate", "config/policies/teams.test.yaml"});
  CHECK(valid.status == 0);
  CHECK(valid.out == "config/policies/teams.test.yaml: valid, a test of 5 cases\n");
  const auto bad = dray({"policy", "validate", "-"},
                        "apiVersion: dray.dev/v1alpha1\nkind: PolicyTest\ncase: []\n");
  CHECK(bad.status == 4);
  CHECK(bad.out.contains("-:3:1: error: case: no such field; did you mean cases?\n"));
  CHECK_FALSE(bad.out.contains("did you mean Policy?"));
}

TEST_CASE("the policies that come with dray are valid") {
  const auto ended = dray({"policy", "validate", "config/policy.yaml", "config/demo/policy.yaml",
                           "config/simulate/today.yaml", "config/simulate/tomorrow.yaml"});
  CHECK(ended.status == 0);
  CHECK(!ended.out.contains("warning"));
}

TEST_CASE("schema prints the schema of config") {
  const auto ended = dray({"policy", "schema"});
  CHECK(ended.status == 0);
  CHECK(ended.out == text_of("config/policy.schema.json"));
}

TEST_CASE("fmt prints, checks and writes the canonical form") {
  const std::string loose = "# head\n" + policy("queues: [{quota: {gpu: 1}, name: a}]  # all\n");
  const std::string canonical =
      "# head\n" + policy("queues:  # all\n  - {name: a, quota: {gpu: 1}}\n");
  const TempFile file("p.yaml", loose);
  const auto printed = dray({"policy", "fmt", file.path()});
  CHECK(printed.status == 0);
  CHECK(printed.out == canonical);
  CHECK(text_of(file.path()) == loose);
  const auto checked = dray({"policy", "fmt", "--check", file.path()});
  CHECK(checked.status == 1);
  CHECK(checked.out == file.path() + "\n");
  CHECK(text_of(file.path()) == loose);
  const auto written = dray({"policy", "fmt", "-w", file.path()});
  CHECK(written.status == 0);
  CHECK(written.out == file.path() + "\n");
  CHECK(text_of(file.path()) == canonical);
  CHECK(dray({"policy", "fmt", "--check", file.path()}).status == 0);
  CHECK(dray({"policy", "fmt", "-w", file.path()}).out.empty());
}

TEST_CASE("fmt leaves alone what is no policy") {
  const TempFile file("p.yaml", policy("qeues: []\n"));
  const auto ended = dray({"policy", "fmt", "-w", file.path()});
  CHECK(ended.status == 4);
  CHECK(ended.err ==
        "dray policy: " + file.path() + ": 5:1: qeues: no such field; did you mean queues?\n");
  CHECK(text_of(file.path()) == policy("qeues: []\n"));
}

TEST_CASE("diff says in words and numbers what changes") {
  const TempFile was("was.yaml", policy(R"(queues:
  - {name: research, quota: {gpu: 16}, priority: 100}
  - {name: product, quota: {gpu: 16}, limit: {gpu: 32}}
  - {name: old}
podQueues: {namespaces: {r: research}}
)"));
  const TempFile would("would.yaml", policy(R"(queues:
  - {name: product, quota: {gpu: 16.0}}
  - {name: research, quota: {gpu: 24, cpu: 8}, reclaimMinRuntime: 1h}
  - {name: new, quota: {gpu: 4}}
podQueues: {namespaces: {r: product}}
topology: [topology.kubernetes.io/zone]
reclaim: {enabled: true, minRuntime: 0s}
)"));
  const auto ended = dray({"policy", "diff", was.path(), would.path()});
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(ended.out == R"(queue product: gpu limit 32 → unlimited
queue research: cpu quota 0 → 8
queue research: gpu quota 16 → 24
queue research: reclaimMinRuntime none → 1h
queue new: added, quota {gpu: 4}
queue old: removed, had no quota, no limit
podQueues: r namespace research → product
policy: topology none → [topology.kubernetes.io/zone]
reclaim: enabled false → true
)");
}

TEST_CASE("diff of a file with itself, spelled otherwise, is none") {
  const TempFile was("was.yaml", policy("shares: pack\n"));
  const TempFile would("would.yaml", policy("budgets: {victimCooldown: 600s}\n"));
  const auto ended = dray({"policy", "diff", was.path(), would.path()});
  CHECK(ended.status == 0);
  CHECK(ended.out == "Both say the same.\n");
}

TEST_CASE("with a cluster, diff shows what each queue may hold of it") {
  const TempFile was("was.yaml", policy("queues: [{name: a, quota: {gpu: 8}}, {name: b}]\n"));
  const TempFile would("would.yaml", policy("queues: [{name: a, quota: {gpu: 24}}, {name: b}]\n"));
  std::string devices;
  for (int i = 0; i < 10; ++i) {
    devices += (i > 0 ? ", {name: g" : "{name: g") + std::to_string(i) + "}";
  }
  const TempFile cluster("c.yaml", node_with("n0", "[" + devices + "]", "gpu.nvidia.com") +
                                       class_of("gpu.nvidia.com", "gpu.nvidia.com"));
  const auto ended =
      dray({"policy", "diff", was.path(), would.path(), "--cluster", cluster.path()});
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(ended.out == R"(queue a: gpu quota 8 → 24

Where every queue asks for all that there is:
QUEUE  RESOURCE  SHARE  WOULD BE  OF
a           gpu      9        10  10
b           gpu      1         0  10
)");
  const auto json =
      dray({"policy", "diff", was.path(), would.path(), "--cluster", cluster.path(), "-o", "json"});
  CHECK(json.out ==
        R"({"changes":[{"subject":"queue a","what":"gpu quota","was":"8","would":"24"}],"shares":)"
        R"([{"queue":"a","resource":"gpu","was":9,"would":10,"total":10},)"
        R"({"queue":"b","resource":"gpu","was":1,"would":0,"total":10}]})"
        "\n");
}

TEST_CASE("a file that is not there, a bad policy and a bad flag have statuses of their own") {
  CHECK(dray({"policy", "validate", "/no/such"}).status == 2);
  CHECK(dray({"policy", "diff", "/no/such", "/no/such"}).status == 2);
  CHECK(dray({"policy", "validate"}).status == 2);
  CHECK(dray({"policy", "validate", "--bogus"}).status == 2);
  CHECK(dray({"policy", "diff", "-", "config/policy.yaml"}, "kind: Pod\n").status == 4);
}

}  // namespace dray::commands_test::policy_files_test

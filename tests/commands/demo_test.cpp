#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/commands/child.h"
#include "tests/commands/http.h"

namespace dray::commands_test::demo_test {
namespace {

/// The rows of `demo -o json` but for what they were timed at.
std::string without_micros(const std::string& rows) {
  return std::regex_replace(rows, std::regex(",\"micros\":[0-9]+"), "");
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A row of the table but for what it was timed at.
std::string row_of(const std::string& line) {
  return std::regex_replace(line, std::regex(" +[0-9]+  "), " | ",
                            std::regex_constants::format_first_only);
}

constexpr std::string_view namespace_and_pod = R"(
apiVersion: v1
kind: Namespace
metadata: {name: demo}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: demo
  annotations: {demo.dray.dev/expect: "EXPECT"}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10"}]
)";

std::string workload(const std::string& expect) {
  std::string text(namespace_and_pod);
  return text.replace(text.find("EXPECT"), 6, expect);
}

}  // namespace

TEST_CASE("the demo shows the same rows each time, and they are those that it declares") {
  const auto first = dray({"demo", "--once", "-o", "json"});
  INFO(first.err);
  REQUIRE(first.status == 0);
  CHECK(first.err.empty());
  const auto rows = without_micros(first.out);
  CHECK(rows == read("tests/commands/demo.jsonl"));
  for (int run = 2; run <= 5; ++run) {
    const auto again = dray({"demo", "--once", "-o", "json"});
    CHECK(again.status == 0);
    CHECK(without_micros(again.out) == rows);
  }
}

TEST_CASE("the log has a line for each decision, and at this verbosity no step on the way there") {
  const auto ended = dray({"demo", "--once", "-v", "3"});
  REQUIRE(ended.status == 0);
  const auto said = [&](std::string_view words) { return ended.err.contains(words); };
  CHECK(said("dray] placed demo/train-0 of queue others: on dgxh100-00\n"));
  CHECK(said("dray] bound demo/train-0 to dgxh100-00\n"));
  CHECK(
      said("dray] demo/huge-0 waits: dray: no node of this cluster could take the pod, even if it "
           "were empty: wants 16 "));
  CHECK(said("dray] placed research/llm of queue research: 3 pods\n"));
  CHECK(said("dray] evicted product/serve-3\n"));
  CHECK_FALSE(said("BindPod "));
  CHECK_FALSE(said("plan: "));
}

TEST_CASE("the README shows rows of the table, in its order") {
  const auto readme = read("README.md");
  const auto begin = readme.find("POD    ");
  REQUIRE(begin != std::string::npos);
  const auto shown = lines(readme.substr(begin, readme.find("```", begin) - begin));
  const auto table = lines(dray({"demo", "--once"}).out);
  REQUIRE(!table.empty());
  CHECK(shown.front() == table.front());
  auto at = table.begin();
  for (const auto& line : shown) {
    INFO(line);
    // A long reason is cut.
    const auto row = row_of(line.substr(0, line.find("(…)")));
    at = std::find_if(at, table.end(),
                      [&](const std::string& each) { return row_of(each).starts_with(row); });
    REQUIRE(at != table.end());
  }
}

TEST_CASE("another outcome than the declared one fails the demo, and is named") {
  const TempFile file("workload.yaml", workload("placed with 1 device"));
  const auto ended = dray({"demo", "--once", "--workload", file.path()});
  CHECK(ended.status == 1);
  CHECK(ended.out.contains("no claims: kube-scheduler chose"));
  CHECK(
      ended.err.starts_with("dray demo: pod demo/web: declared \"placed with 1 device\", but was "
                            "\"placed with 0 devices on "));
  CHECK(lines(ended.err).size() == 1);
}

TEST_CASE("a declared outcome is met, and a workload may declare none") {
  auto text = workload("placed");
  SECTION("declared") {}
  SECTION("not declared") {
    text.erase(text.find("  annotations"), text.find("spec:") - text.find("  annotations"));
  }
  const TempFile file("workload.yaml", text);
  const auto ended = dray({"demo", "--once", "--workload", file.path()});
  INFO(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(lines(ended.out).size() == 2);
}

TEST_CASE("a declaration that cannot be read is an error before anything is shown") {
  const TempFile file("workload.yaml", workload("plced"));
  const auto ended = dray({"demo", "--once", "--workload", file.path()});
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err == "dray demo: " + file.path() +
                         ": Pod demo/web: demo.dray.dev/expect: \"plced\" is no outcome; write "
                         "\"placed with 8 devices on NODE\", \"waits: WORDS\" or \"evicted: "
                         "WORDS\"\n");
}

TEST_CASE("what the bundled workload declares is not asked of another cluster") {
  const auto ended = dray({"demo", "--once", "--cluster", "config/demo/cluster"});
  INFO(ended.err);
  CHECK(ended.status == 0);
  const auto other =
      dray({"demo", "--once", "--cluster", "config/demo/cluster/00-deviceclasses.yaml",
            "config/demo/cluster/10-dgx-h100.yaml"});
  CHECK(other.status == 0);
  CHECK(other.err.empty());
}

TEST_CASE("without --once the demo goes on serving until SIGTERM") {
  const TempFile file("workload.yaml", workload("placed"));
  Child child({"demo", "--workload", file.path()});
  const auto line = child.wait_for_output("serving: ");
  const auto admin = port_after(line, "/v1, http://127.0.0.1:");
  CHECK(ask(admin, "/readyz").body == "ok");
  const auto at = child.wait_for_output("dashboard: http://localhost:");
  const auto overview = ask(port_after(at, "http://localhost:"), "/v1/dashboard/overview");
  CHECK(overview.status == 200);
  CHECK(overview.body.contains(R"("leading":true)"));
  CHECK(ask(port_after(line, "extender http://127.0.0.1:"), "/v1/none", "{}").status == 404);
  child.send(SIGTERM);
  CHECK(child.wait().status == 0);
}

TEST_CASE("bad input of the demo is named with its file and line") {
  const TempFile broken("broken.yaml",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: 5}\n");
  const TempFile policy("policy.yaml", "apiVersion: dray.dev/v1alpha1\nkind: Policy\nquues: []\n");
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    std::string want;
    int status = 2;
  };
  const auto row =
      GENERATE(Row{"a workload that does not decode",
                   {"--workload", "BROKEN"},
                   "BROKEN:4: Pod x: spec.containers: expected a list, not a number\n"},
               Row{"a workload that is not there",
                   {"--workload", "/no/such.yaml"},
                   "/no/such.yaml: cannot be read: no such file or directory\n"},
               Row{"a cluster that is not there",
                   {"--cluster", "/no/such/folder"},
                   "/no/such/folder: cannot be read: no such file or directory\n"},
               Row{"a policy with a misspelt field",
                   {"--policy", "POLICY"},
                   "POLICY:3:1: quues: no such field; did you mean queues?\n",
                   4});
  DYNAMIC_SECTION(row.name) {
    const auto fill = [&](const std::string& text) {
      return replaced(replaced(text, "BROKEN", broken.path()), "POLICY", policy.path());
    };
    std::vector<std::string> arguments{"demo", "--once"};
    for (const auto& each : row.arguments) arguments.push_back(fill(each));
    const auto ended = dray(arguments);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err == "dray demo: " + fill(row.want));
  }
}

}  // namespace dray::commands_test::demo_test

#include "dashboard/simulation_question.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace dray::dashboard::simulation_question_test {
namespace {

using Catch::Contains;
using namespace std::chrono_literals;

/// A pod as somebody pastes it, its lines joined for JSON.
std::string pod(const std::string& name, const std::string& priority = "1") {
  return R"(apiVersion: v1\nkind: Pod\nmetadata: {name: )" + name +
         R"(}\nspec:\n  schedulerName: dray-scheduler\n  priority: )" + priority +
         R"(\n  containers: [{name: main, image: x}]\n)";
}

/// A Job of four pods, of which two run at a time.
std::string job(const std::string& meta = "") {
  return R"(apiVersion: batch/v1\nkind: Job\nmetadata: {name: j)" + meta +
         R"(}\nspec: {parallelism: 2, completions: 4, )"
         R"(template: {spec: {containers: [{name: main, image: x}]}}}\n)";
}

}  // namespace

TEST_CASE("a question may bring texts of manifests and policies, or objects") {
  const auto asked = read_question(
      R"({"workload": ")" + pod("a") + R"(---\n)" + pod("b") +
          R"(", "policies": [{}, {"policy": "none"}, {"name": "new", "policy": "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues: [{name: all}]\n"},)"
          R"( {"policy": {"apiVersion": "dray.dev/v1alpha1", "kind": "Policy", "queues": [{"name": "all"}]}}],)"
          R"( "until": "2h", "apart": "10s", "runTime": "1h", "planPause": "5s", "seed": 7, "backlog": true, "output": "csv"})",
      {});
  INFO((asked ? "" : asked.error().message));
  REQUIRE(asked);
  REQUIRE(asked->workload);
  REQUIRE(asked->workload->pods.size() == 2);
  CHECK(asked->workload->pods[1].at == 10s);
  CHECK(asked->until == 2h);
  CHECK(asked->run_time == 1h);
  CHECK(asked->plan_pause == 5s);
  CHECK(asked->seed == 7);
  CHECK(asked->backlog);
  CHECK(asked->form == SimulationQuestion::Form::csv);
  REQUIRE(asked->policies.size() == 4);
  using Which = TriedPolicy::Which;
  CHECK((asked->policies[0].name == "in force" && asked->policies[0].which == Which::in_force));
  CHECK((asked->policies[1].name == "none" && asked->policies[1].which == Which::none));
  CHECK((asked->policies[2].name == "new" && asked->policies[2].config));
  CHECK((asked->policies[3].name == "policy 4" && asked->policies[3].config));

  const auto object = read_question(
      R"({"workload": {"kind": "List", "apiVersion": "v1", "items": [{"apiVersion": "v1",)"
      R"( "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": []}}]}})",
      {});
  REQUIRE(object);
  CHECK(object->workload->pods.size() == 1);
  REQUIRE(object->policies.size() == 1);
  CHECK(object->policies[0].which == Which::in_force);
}

TEST_CASE("a question may bring Jobs, whose pods are made") {
  const auto asked = read_question(
      R"({"apart": "10s", "workload": ")" + job() + R"(---\n)" + pod("p") + R"("})", {});
  REQUIRE(asked);
  const auto& pods = asked->workload->pods;
  REQUIRE(pods.size() == 5);
  CHECK(asked->workload->objects.size() == 1);
  CHECK(std::ranges::count(pods, true, &simulate::PodWorkload::Arrival::later) == 2);
  CHECK(pods.back().pod.meta.name == "p");
  CHECK(pods.back().at == 20s);

  SimulationLimits limits;
  limits.objects = 4;
  const auto many = read_question(R"({"workload": ")" + job() + R"("})", limits);
  REQUIRE_FALSE(many);
  CHECK(many.error().message ==
        "workload:1: Job default/j: with its 4 pods there are more than 4 objects");
}

TEST_CASE("what is wrong with a question is said, and where") {
  struct Row {
    std::string name;
    std::string body;
    std::string says;
  };
  const auto row = GENERATE_COPY(
      Row{"no JSON", "pods", "JSON"}, Row{"nothing", "{}", "neither a workload nor policies in it"},
      Row{"a field that there is not", R"({"polices": []})",
          "polices: there is no such field; did you mean policies?"},
      Row{"a field of a policy", R"({"policies": [{"text": ""}]})",
          "policies[0].text: there is no such field"},
      Row{"another type", R"({"seed": "x"})", "seed: expected an integer"},
      Row{"no time", R"({"until": "soon", "policies": [{}]})",
          "until: expected a time, as 90s, 5m or 7d, not soon"},
      Row{"too long", R"({"until": "8d", "policies": [{}]})", "until: 8d is not between 1s and 1w"},
      Row{"a form", R"({"output": "html", "policies": [{}]})", "output: there is no form html; "},
      Row{"a line of YAML", R"({"workload": "a: [\n"})", "workload:"},
      Row{"a line of a pod", R"({"workload": ")" + pod("a", "high") + R"("})",
          "workload:6: Pod a: spec.priority: expected an integer"},
      Row{"no pod", R"({"workload": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"})",
          "workload: no pod in it (workload:1: Service web is not read)"},
      Row{"a Job that was read from a cluster", R"({"workload": ")" + job(", uid: u1") + R"("})",
          "workload: no pod in it (workload:1: Job default/j: it has a uid"},
      Row{"a kind whose pods are not known",
          R"({"workload": "apiVersion: x.io/v1\nkind: Flow\nmetadata: {name: f}\n)"
          R"(spec: {template: {spec: {containers: []}}}\n"})",
          "workload:1: Flow f: it is not known which pods its controller makes: expected Pod, Job"},
      Row{"a policy",
          R"({"policies": [{"policy": "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueue: []\n"}]})",
          "policies[0].policy: 3:1: "},
      Row{"two of a name", R"({"policies": [{"name": "a"}, {"name": "a"}]})",
          "policies[1].name: another has the name a"},
      Row{"a pod after the end",
          R"({"until": "1m", "apart": "2m", "workload": ")" + pod("a") + R"(---\n)" + pod("b") +
              R"("})",
          "workload: its last pod comes after 2m"});
  DYNAMIC_SECTION(row.name) {
    const auto asked = read_question(row.body, {});
    REQUIRE_FALSE(asked);
    CHECK(asked.error().code == ErrorCode::invalid);
    CHECK_THAT(asked.error().message, Contains(row.says));
  }
}

TEST_CASE("a question has no more objects and policies than the limits say") {
  SimulationLimits limits;
  limits.objects = 1;
  limits.policies = 1;
  const auto two =
      read_question(R"({"workload": ")" + pod("a") + R"(---\n)" + pod("b") + R"("})", limits);
  REQUIRE_FALSE(two);
  CHECK(two.error().message == "workload: 2 objects are more than 1");
  const auto policies = read_question(R"({"policies": [{}, {"policy": "none"}]})", limits);
  REQUIRE_FALSE(policies);
  CHECK(policies.error().message == "policies: 2 are more than 1");
  CHECK(read_question(R"({"workload": ")" + pod("a") + R"("})", limits));
}

}  // namespace dray::dashboard::simulation_question_test

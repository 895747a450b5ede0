#include <catch2/catch.hpp>

#include "dray/engine/at_once.h"
#include "dray/planner/explanation.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::question_test {
namespace {

using planner::Decider;

ResourceClaimTemplate two_gpus() {
  return make_template("two", make_claim("c", 2).spec.requests);
}

std::vector<KubeObject> cluster_with(std::vector<KubeObject> more) {
  std::vector<KubeObject> objects{make_class(), make_node("n0"), make_gpus("n0", 1), two_gpus()};
  objects.insert(objects.end(), more.begin(), more.end());
  return with_claims(std::move(objects));
}

std::optional<planner::Question> ask(const std::vector<KubeObject>& objects,
                                     const std::string& name) {
  const auto told = at_once(objects, nullptr, {}, start);
  REQUIRE(told);
  return told->engine->question({"default", name}, start);
}

Pod owned(Pod pod, const std::string& owner) {
  pod.meta.owners.push_back({.api_version = "batch/v1",
                             .kind = "Job",
                             .name = owner,
                             .uid = Uid("uid-" + owner),
                             .controller = true});
  return pod;
}

TEST_CASE("claims of templates are made once, and none for who has finished") {
  auto finished = with_template(make_pod("done"), "two");
  finished.phase = "Succeeded";
  const auto objects = cluster_with({with_template(make_pod("p"), "two"), finished});
  std::vector<std::string> claims;
  for (const auto& object : objects) {
    if (kind_of(object) == Kind::resource_claim) claims.push_back(meta_of(object).name);
  }
  CHECK(claims == std::vector<std::string>{"p-gpus"});
  CHECK(with_claims(objects).size() == objects.size());
}

TEST_CASE("an engine that knows a cluster asks for a plan at once; where nobody waits for none") {
  const auto waits =
      at_once(cluster_with({with_template(make_pod("p"), "two")}), nullptr, {}, start);
  REQUIRE(waits);
  REQUIRE(waits->input);
  CHECK(waits->input->jobs.size() == 1);
  const auto idle = at_once(cluster_with({}), nullptr, {}, start);
  REQUIRE(idle);
  CHECK(idle->input == nullptr);
}

TEST_CASE("a question has the pod, its job, and who decides") {
  const auto objects =
      cluster_with({with_template(make_pod("p"), "two"), make_pod("plain"),
                    of_scheduler("other", with_template(make_pod("foreign"), "two"))});
  const auto ours = ask(objects, "p");
  REQUIRE(ours);
  CHECK(ours->decider == Decider::dray);
  CHECK(ours->job == Uid("uid-p"));
  CHECK(ours->input.jobs.size() == 1);
  CHECK(ours->scheduler_name == "dray-scheduler");
  CHECK(ours->gate == "dray.dev/admission");
  CHECK(ask(objects, "plain")->decider == Decider::nobody_needed);
  CHECK(ask(objects, "foreign")->decider == Decider::other_scheduler);
  CHECK_FALSE(ask(objects, "nobody"));
}

TEST_CASE("a job stands for the first of its pods that waits") {
  auto runs = owned(with_template(make_pod("a"), "two"), "train");
  runs.node_name = NodeName("n0");
  const auto objects = cluster_with({runs, owned(with_template(make_pod("b"), "two"), "train")});
  REQUIRE(ask(objects, "train"));
  CHECK(ask(objects, "train")->pod->meta.name == "b");
  CHECK(ask(cluster_with({runs}), "train")->pod->meta.name == "a");
}

TEST_CASE("a pod whose group's object is missing says so") {
  auto pod = with_template(make_pod("p"), "two");
  pod.pod_group = "g";
  const auto question = ask(cluster_with({pod}), "p");
  REQUIRE(question);
  CHECK_FALSE(question->job);
  REQUIRE(question->lacks);
  CHECK(question->lacks->reason == Reason::gang_incomplete);
  auto other = pod;
  other.meta = testing::default_meta("q");
  const auto gang = cluster_with({testing::make_group("g", 2), pod, other});
  REQUIRE(ask(gang, "g"));
  CHECK(ask(gang, "g")->pod->pod_group == "g");
}

}  // namespace
}  // namespace dray::engine::question_test

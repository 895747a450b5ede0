#include "sim/pod_steps.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/sim/kubelet.h"
#include "sim/pod_makers.h"
#include "tests/objects/pods.h"

namespace dray::sim::pod_steps_test {
namespace {

using namespace dray::testing;
using Form = PodOwnerForm;

PodSet kind(std::string name, std::int32_t pods, std::vector<JobDependency> depends_on = {}) {
  PodSet set;
  set.name = std::move(name);
  set.pod = make_pod("");
  set.parallelism = set.completions = pods;
  set.completion_mode = "Indexed";
  set.depends_on = std::move(depends_on);
  return set;
}

PodOwner owner(Form form, std::string kind, std::vector<PodSet> templates, std::string order = "") {
  PodOwner made;
  made.form = form;
  made.kind = std::move(kind);
  made.api_version = "v1";
  made.meta.namespace_name = "a";
  made.meta.name = "x";
  made.templates = std::move(templates);
  made.order = std::move(order);
  return made;
}

PodSet replicas(std::int32_t count, std::string name = "") {
  PodSet set;
  set.name = std::move(name);
  set.pod = make_pod("");
  set.replicas = count;
  return set;
}

/// `x-a-0-0-bbbbb [STEPS] AFTER`: each pod, its steps, and what it waits for.
std::vector<std::string> steps_of(const PodOwner& owner, bool later = true) {
  std::vector<std::string> said;
  for (const auto& object : make_pods(owner, later)) {
    const auto& annotations = meta_of(object).annotations;
    const auto note = [&](const char* key) {
      const auto found = annotations.find(key);
      return found == annotations.end() ? std::string() : found->second;
    };
    said.push_back(meta_of(object).name + " [" + note(step_annotation) + "] " +
                   note(after_annotation));
  }
  return said;
}

using Steps = std::vector<std::string>;

struct Row {
  std::string name;
  PodOwner owner;
  Steps want;
};

std::vector<Row> rows() {
  auto exclusive = owner(Form::job_set, "JobSet", {kind("w", 2)});
  exclusive.meta.annotations = {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "rack"}};
  auto worker = replicas(1);
  worker.size = 2;
  auto exclusive_lws = owner(Form::leader_worker_set, "LeaderWorkerSet", {{}, worker});
  exclusive_lws.meta.annotations = {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "rack"}};
  auto launcher = replicas(1, "Launcher");
  return {
      Row{"all at once",
          owner(Form::job_set, "JobSet", {kind("a", 1), kind("b", 1)}),
          {"x-a-0-0-bbbbb [] ", "x-b-0-0-bbbbc [] "}},
      Row{"dependsOn Complete",
          owner(Form::job_set, "JobSet", {kind("a", 1), kind("b", 1, {{"a", "Complete"}})}),
          {"x-a-0-0-bbbbb [JobSet/a/x/a] ",
           "x-b-0-0-bbbbc [JobSet/a/x/b] JobSet/a/x/a complete 1"}},
      Row{"dependsOn several",
          owner(Form::job_set, "JobSet",
                {kind("a", 2), kind("b", 1), kind("c", 1, {{"a", "Ready"}, {"b", "Complete"}})}),
          {"x-a-0-0-bbbbb [JobSet/a/x/a] ", "x-a-0-1-bbbbc [JobSet/a/x/a] ",
           "x-b-0-0-bbbbd [JobSet/a/x/b] ",
           "x-c-0-0-bbbbf [JobSet/a/x/c] JobSet/a/x/a ready 2; JobSet/a/x/b complete 1"}},
      Row{"in order",
          owner(Form::job_set, "JobSet", {kind("a", 2), kind("b", 1)}, "InOrder"),
          {"x-a-0-0-bbbbb [JobSet/a/x/a] ", "x-a-0-1-bbbbc [JobSet/a/x/a] ",
           "x-b-0-0-bbbbd [JobSet/a/x/b] JobSet/a/x/a ready 2"}},
      Row{"exclusive topology",
          exclusive,
          {"x-w-0-0-bbbbb [JobSet/a/x/w/0/leader] ",
           "x-w-0-1-bbbbc [] JobSet/a/x/w/0/leader scheduled 1"}},
      Row{"a leader that has to be ready",
          owner(Form::leader_worker_set, "LeaderWorkerSet", {{}, worker}, "LeaderReady"),
          {"x-0 [LeaderWorkerSet/a/x/0/leader] ", "x-0-1 [] LeaderWorkerSet/a/x/0/leader ready 1"}},
      Row{"a leader that has to have a node",
          exclusive_lws,
          {"x-0 [LeaderWorkerSet/a/x/0/leader] ",
           "x-0-1 [] LeaderWorkerSet/a/x/0/leader scheduled 1"}},
      Row{"a StatefulSet, one after the other",
          owner(Form::replicas, "StatefulSet", {replicas(2)}),
          {"x-0 [StatefulSet/a/x/0] ", "x-1 [StatefulSet/a/x/1] StatefulSet/a/x/0 ready 1"}},
      Row{"a StatefulSet, all at once",
          owner(Form::replicas, "StatefulSet", {replicas(2)}, "Parallel"),
          {"x-0 [] ", "x-1 [] "}},
      Row{"a launcher after its workers",
          owner(Form::training, "MPIJob", {launcher, replicas(2, "Worker")}, "WaitForWorkersReady"),
          {"x-launcher [] MPIJob/a/x/workers ready 2", "x-worker-0 [MPIJob/a/x/workers] ",
           "x-worker-1 [MPIJob/a/x/workers] "}},
  };
}

}  // namespace

TEST_CASE("pods say for which others their controller waits") {
  const auto row = GENERATE(from_range(rows()));
  DYNAMIC_SECTION(row.name) {
    CHECK(steps_of(row.owner) == row.want);
    // Where no pod ends nobody waits: all are there.
    for (const auto& text : steps_of(row.owner, false)) CHECK(text.ends_with(" [] "));
  }
}

TEST_CASE("pods for whose end others wait end, and people are told where nothing says when") {
  auto set = owner(Form::job_set, "JobSet", {kind("a", 1), kind("b", 1, {{"a", "Complete"}})});
  const auto made = make_pods(set, true);
  CHECK(meta_of(made.at(0)).annotations.at(assumed_seconds_annotation) == "60");
  CHECK_FALSE(meta_of(made.at(1)).annotations.contains(assumed_seconds_annotation));
  CHECK(assumed_ends(set).starts_with("others start when a is complete:"));
  set.templates[0].pod->meta.annotations = {{run_seconds_annotation, "5"}};
  CHECK(assumed_ends(set).empty());
}

}  // namespace dray::sim::pod_steps_test

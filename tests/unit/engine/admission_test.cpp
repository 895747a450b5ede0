#include "engine/books/admission.h"

#include <catch2/catch.hpp>

#include <map>

#include "dray/model/pod_marks.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::admission_test {
namespace {

using Change = Admission::Change;
using State = planner::MemberState;

/// Reservations and victims as a test says.
struct World {
  cluster::ClusterState cluster;
  std::map<Uid, NodeName> reserved;
  std::set<Uid> evicting;
  int looked_at = 0;  ///< members whose state was asked for
  Admission admission{{.scheduler_name = "dray-scheduler", .gate = "dray.dev/admission"},
                      cluster,
                      {.reserved_node =
                           [this](const Uid& uid) {
                             const auto found = reserved.find(uid);
                             return found == reserved.end() ? std::nullopt
                                                            : std::optional(found->second);
                           },
                       .evicting =
                           [this](const Uid& uid) {
                             ++looked_at;
                             return evicting.contains(uid);
                           }}};

  World() { tell(make_class()); }
  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
  void put(const Pod& pod) {
    tell(pod);
    admission.put(pod, start);
  }
  std::shared_ptr<const planner::Job> job(const std::string& pod) {
    admission.jobs().refresh(start);
    return admission.jobs().job_of(Uid("uid-" + pod));
  }
  planner::Member member(const std::string& pod) {
    const auto found = job(pod);
    return found ? found->members.front() : planner::Member{nullptr, State::done, {}};
  }
};

std::shared_ptr<const policy::PolicyConfig> counting_cpu() {
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("q");
  queue.quota["cpu"] = Quantity(1);
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("q");
  return std::make_shared<const policy::PolicyConfig>(config);
}

PodGroup group(std::int32_t minimum = 1) {
  PodGroup made;
  made.meta.namespace_name = "default";
  made.meta.name = "g";
  made.meta.uid = Uid("uid-g");
  made.min_count = minimum;
  return made;
}

TEST_CASE("a pod bypasses dray that has no devices, no gang and no queue that counts it") {
  struct Row {
    std::string name;
    void (*change)(World&, Pod&);
    bool bypasses;
  };
  const auto row = GENERATE(
      Row{"nothing to decide", [](World&, Pod&) {}, true},
      Row{"a claim",
          [](World&, Pod& pod) {
            pod.resource_claims.push_back({.name = "x", .claim_name = "c", .template_name = {}});
          },
          false},
      Row{"a part of a device",
          [](World&, Pod& pod) { pod.meta.annotations["gpu-fraction"] = "0.5"; }, false},
      Row{"a gang", [](World&, Pod& pod) { pod.pod_group = "g"; }, false},
      Row{"a resource of a class",
          [](World& world, Pod& pod) {
            auto device_class = make_class();
            device_class.extended_resource_name = "example.com/gpu";
            world.tell(device_class);
            pod.containers[0].requests["example.com/gpu"] = Quantity(1);
          },
          false},
      Row{"a queue that counts its cpu",
          [](World& world, Pod&) {
            CHECK(world.admission.set_config(counting_cpu()) == Change::policy);
          },
          false},
      Row{"a queue that counts what it does not ask for",
          [](World& world, Pod& pod) {
            CHECK(world.admission.set_config(counting_cpu()) == Change::policy);
            pod.containers[0].requests = {{"memory", Quantity(1)}};
          },
          true},
      Row{"a queue that counts an init container",
          [](World& world, Pod& pod) {
            CHECK(world.admission.set_config(counting_cpu()) == Change::policy);
            pod.init_containers = pod.containers;
            pod.containers[0].requests = {};
          },
          false},
      Row{"a queue that counts what the pod asks as a whole",
          [](World& world, Pod& pod) {
            CHECK(world.admission.set_config(counting_cpu()) == Change::policy);
            pod.pod_requests = pod.containers[0].requests;
            pod.containers[0].requests = {};
          },
          false});
  DYNAMIC_SECTION(row.name) {
    World world;
    auto pod = make_pod("p", "");
    row.change(world, pod);
    CHECK(world.admission.bypasses(pod) == row.bypasses);
    world.put(pod);
    // A job, or one that waits for its group.
    const bool known = world.job("p") || !world.admission.jobs().unformed().empty();
    CHECK(known == !row.bypasses);
  }
}

TEST_CASE("only pods of dray's scheduler are jobs") {
  World world;
  auto pod = make_pod("p", "c");
  pod.scheduler_name = "default-scheduler";
  CHECK(!world.admission.ours(pod));
  world.put(pod);
  CHECK(world.job("p") == nullptr);
  pod.scheduler_name = "dray-scheduler";
  CHECK(world.admission.ours(pod));
  world.put(pod);
  CHECK(world.job("p") != nullptr);
}

TEST_CASE("a finished pod is no job, but stays a member of its group") {
  World world;
  auto alone = make_pod("p", "c");
  world.put(alone);
  REQUIRE(world.job("p"));
  alone.phase = "Succeeded";
  world.put(alone);
  CHECK(world.job("p") == nullptr);

  CHECK(world.admission.observe(group()) == Change::group);
  auto done = make_pod("a", "");
  done.pod_group = "g";
  done.phase = "Failed";
  world.put(done);
  auto other = make_pod("b", "");
  other.pod_group = "g";
  world.put(other);
  REQUIRE(world.job("b"));
  CHECK(world.job("b")->members.size() == 2);
}

TEST_CASE("a request about another pod of the name does not count") {
  World world;
  world.tell(make_pod("p", "c"));
  auto other = make_pod("p", "c");
  other.meta.uid = Uid("uid-other");
  world.admission.put(other, start);
  world.admission.jobs().refresh(start);
  CHECK(world.admission.jobs().job_of(Uid("uid-other")) == nullptr);
}

TEST_CASE("where a pod is") {
  struct Row {
    std::string name;
    void (*change)(World&, Pod&);
    State want;
    std::optional<NodeName> node;
  };
  const auto row = GENERATE(
      Row{"waits", [](World&, Pod&) {}, State::waiting, {}},
      Row{"is bound", [](World&, Pod& pod) { pod.node_name = NodeName("n1"); }, State::placed,
          NodeName("n1")},
      Row{"is reserved",
          [](World& world, Pod& pod) { world.reserved.emplace(pod.meta.uid, NodeName("n2")); },
          State::placed, NodeName("n2")},
      Row{"is bound elsewhere than reserved",
          [](World& world, Pod& pod) {
            pod.node_name = NodeName("n1");
            world.reserved.emplace(pod.meta.uid, NodeName("n2"));
          },
          State::placed, NodeName("n1")},
      Row{"is being deleted on its node",
          [](World&, Pod& pod) {
            pod.node_name = NodeName("n1");
            pod.meta.deleted = start;
          },
          State::leaving, NodeName("n1")},
      Row{"is being deleted without a node",
          [](World&, Pod& pod) { pod.meta.deleted = start; },
          State::done,
          {}},
      Row{"is being evicted",
          [](World& world, Pod& pod) {
            pod.node_name = NodeName("n1");
            world.evicting.insert(pod.meta.uid);
          },
          State::leaving, NodeName("n1")},
      Row{"has somebody else's gate",
          [](World&, Pod& pod) { pod.scheduling_gates.emplace_back("example.com/gate"); },
          State::blocked,
          {}});
  DYNAMIC_SECTION(row.name) {
    World world;
    auto pod = make_pod("p", "c");
    row.change(world, pod);
    world.put(pod);
    const auto member = world.member("p");
    CHECK(member.state == row.want);
    CHECK(member.node == row.node);
  }
}

TEST_CASE("a finished member is done") {
  World world;
  static_cast<void>(world.admission.observe(group()));
  auto done = make_pod("a", "");
  done.pod_group = "g";
  done.phase = "Succeeded";
  done.node_name = NodeName("n0");
  world.put(done);
  auto other = make_pod("b", "");
  other.pod_group = "g";
  world.put(other);
  const auto found = world.job("b");
  REQUIRE(found);
  CHECK(found->members[0].state == State::done);
  CHECK(found->members[1].state == State::waiting);
}

TEST_CASE("a pod that was lifted before a restart comes first") {
  World world;
  auto pod = make_pod("p", "c", false);
  world.put(pod);
  CHECK(!world.job("p")->promised);
  pod.meta.annotations[reservation_annotation] = "n0";
  world.put(pod);
  CHECK(world.job("p")->promised);
}

TEST_CASE("a gang's member waits for its claim, and is looked at again when told to") {
  World world;
  static_cast<void>(world.admission.observe(group()));
  auto pod = make_pod("p", "c");
  pod.pod_group = "g";
  world.put(pod);
  CHECK(world.member("p").state == State::blocked);
  world.tell(make_claim("c", 1));
  CHECK(world.member("p").state == State::blocked);
  world.admission.retry_blocked();
  CHECK(world.member("p").state == State::waiting);
}

TEST_CASE("a pod alone waits for its claim as one that can be planned") {
  World world;
  world.put(make_pod("p", "c"));
  CHECK(world.member("p").state == State::waiting);
}

TEST_CASE("a group object makes the jobs of its own pods anew, and of nobody else") {
  World world;
  const auto put = [&](const std::string& name, const std::string& of) {
    auto pod = make_pod(name, "");
    pod.pod_group = of;
    world.put(pod);
  };
  for (int i = 0; i < 50; ++i) put("other" + std::to_string(i), "h");
  put("a", "g");
  put("b", "g");
  auto others = group();
  others.meta.name = "h";
  others.meta.uid = Uid("uid-h");
  CHECK(world.admission.observe(others) == Change::group);
  static_cast<void>(world.job("a"));
  world.looked_at = 0;
  auto made = group(2);
  made.topology = {"example.com/rack"};
  CHECK(world.admission.observe(made) == Change::group);
  for (const auto& key : world.admission.members().of({"default", "g"})) {
    world.admission.readmit(*world.cluster.pod(key), start);
  }
  world.admission.refresh_topologies();
  REQUIRE(world.job("a"));
  CHECK(world.job("a")->members.size() == 2);
  CHECK(world.looked_at == 2);
}

TEST_CASE("what objects change") {
  World world;
  PodDisruptionBudget budget;
  budget.meta.namespace_name = "default";
  budget.meta.name = "b";
  budget.meta.uid = Uid("uid-b");
  KaiQueue queue;
  queue.meta.name = "q";
  auto with_topology = group();
  with_topology.topology = {"example.com/rack"};
  CHECK(world.admission.observe(budget) == Change::plans);
  CHECK(world.admission.observe(budget) == Change::none);
  CHECK(world.admission.observe(group()) == Change::group);
  CHECK(world.admission.observe(group()) == Change::none);
  CHECK(world.admission.observe(with_topology) == Change::group);
  world.admission.refresh_topologies();
  CHECK(world.admission.policy()->topologies.contains("example.com/rack"));
  CHECK(world.admission.observe(queue) == Change::policy);
  CHECK(world.admission.observe(make_node("n0")) == Change::none);

  CHECK(world.admission.forget({Kind::pod_disruption_budget, "default", "b", Uid()}) ==
        Change::plans);
  CHECK(world.admission.forget({Kind::pod_disruption_budget, "default", "b", Uid()}) ==
        Change::none);
  CHECK(world.admission.forget({Kind::pod_group, "default", "g", Uid()}) == Change::group);
  world.admission.refresh_topologies();
  CHECK(!world.admission.policy()->topologies.contains("example.com/rack"));
  PriorityClass rank;
  rank.meta.name = "high";
  CHECK(world.admission.observe(rank) == Change::pods);
  CHECK(world.admission.forget({Kind::kai_queue, "", "q", Uid()}) == Change::policy);
  CHECK(world.admission.forget({Kind::node, "", "n0", Uid()}) == Change::none);
}

TEST_CASE("the policy in force is the file's, and jobs follow it") {
  World world;
  world.put(make_pod("p", "c"));
  CHECK(world.admission.open());
  CHECK(world.job("p")->queue == policy::QueueName(std::string(policy::default_queue)));
  static_cast<void>(world.admission.set_config(counting_cpu()));
  CHECK(!world.admission.open());
  CHECK(world.admission.problem().empty());
  CHECK(world.admission.policy()->queues.find("q"));
  CHECK(world.job("p")->queue == policy::QueueName("q"));
}

TEST_CASE("after a change of policy every pod is looked at again") {
  World world;
  world.put(make_pod("p", ""));
  CHECK(world.job("p") == nullptr);
  static_cast<void>(world.admission.set_config(counting_cpu()));
  world.admission.readmit(start);
  CHECK(world.job("p") != nullptr);
  static_cast<void>(world.admission.set_config(nullptr));
  world.admission.readmit(start);
  CHECK(world.job("p") == nullptr);
}

TEST_CASE("a pod that is gone is in no job and no budget") {
  World world;
  PodDisruptionBudget budget;
  budget.meta.namespace_name = "default";
  budget.meta.name = "b";
  budget.meta.uid = Uid("uid-b");
  budget.selector = LabelSelector{.match_labels = {{"app", "x"}}, .match_expressions = {}};
  static_cast<void>(world.admission.observe(budget));
  auto pod = make_pod("p", "c");
  pod.meta.labels["app"] = "x";
  world.put(pod);
  CHECK(world.admission.budgets().budgets(start).size() == 1);
  world.admission.erase(Uid("uid-p"));
  CHECK(world.admission.budgets().budgets(start).empty());
  CHECK(world.job("p") == nullptr);
}

}  // namespace
}  // namespace dray::engine::admission_test

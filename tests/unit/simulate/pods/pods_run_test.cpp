#include "dray/simulate/pods_run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/sim/kubelet.h"
#include "dray/sim/owned_pods.h"
#include "tests/objects/gpus.h"

namespace dray::simulate::pods_run_test {
namespace {

using namespace dray::testing;

using namespace std::chrono_literals;

/// Nodes with GPUs each, and a template that asks for one.
std::vector<KubeObject> cluster_of(int nodes, int gpus) {
  std::vector<KubeObject> objects{make_class(),
                                  make_template("one", {request("gpu", exactly(1, "gpu"))})};
  for (int i = 0; i < nodes; ++i) {
    const auto name = "n" + std::to_string(i);
    objects.emplace_back(make_node(name));
    objects.emplace_back(make_gpus(name, gpus));
  }
  return objects;
}

Pod gpu_pod(const std::string& name, std::optional<Duration> at = {}, const char* seconds = "") {
  auto pod = with_template(make_pod(name), "one");
  pod.meta.created.reset();
  if (at) pod.meta.created = Time(std::chrono::hours(24 * 20'100)) + *at;
  if (*seconds != 0) pod.meta.annotations[sim::run_seconds_annotation] = seconds;
  return pod;
}

Result<PodsRun> play(std::vector<KubeObject> cluster, std::vector<KubeObject> pods,
                     const PodsOptions& options = {}) {
  const auto workload = pods_of(pods);
  return run_pods(cluster_without(cluster, workload), workload, nullptr, options);
}

/// It runs on n0 with the GPU that the first pod gets there, by its claim.
std::pair<Pod, ResourceClaim> running_pod(const std::string& name) {
  const auto first = play(cluster_of(1, 1), {gpu_pod(name)});
  auto pod = gpu_pod(name);
  pod.node_name = NodeName("n0");
  pod.phase = "Running";
  pod.meta.uid = Uid(name + "-uid");
  pod.resource_claim_statuses = {{"gpu", name + "-claim"}};
  pod.resource_claims[0].name = "gpu";
  auto claim = make_claim(name + "-claim", {request("gpu", exactly(1, "gpu"))});
  claim.meta.owners = {{"v1", "Pod", name, pod.meta.uid, true}};
  claim.allocation.emplace().devices = first.value().pods.at(0).devices;
  claim.reserved_for = {{"", "pods", name, pod.meta.uid}};
  return {std::move(pod), std::move(claim)};
}

Churn happens(Duration at, ChurnKind kind, std::string node) {
  return {.at = at, .kind = kind, .node = std::move(node), .objects = {}};
}

std::set<std::string> devices(const std::vector<PodRecord>& pods) {
  std::set<std::string> names;
  for (const auto& pod : pods) {
    for (const auto& each : pod.devices) {
      names.insert(each.device.pool.get() + "/" + each.device.device.get());
    }
  }
  return names;
}

}  // namespace

TEST_CASE("pods get devices of their own, and those without room say why") {
  const auto run = play(cluster_of(2, 2),
                        {gpu_pod("a"), gpu_pod("b"), gpu_pod("c"), gpu_pod("d"), gpu_pod("e")});
  REQUIRE(run);
  REQUIRE(run->pods.size() == 5);
  CHECK(devices(run->pods).size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(run->pods[static_cast<std::size_t>(i)].bound);
  const auto& last = run->pods.back();
  CHECK(last.pod.name == "e");
  CHECK_FALSE(last.bound);
  CHECK(last.reason == Reason::devices_in_use);
}

TEST_CASE("a pod that ends gives its device to one that waits, which came when it says") {
  const auto run = play(cluster_of(1, 1), {gpu_pod("first", 0s, "600"), gpu_pod("second", 60s)});
  REQUIRE(run);
  REQUIRE(run->pods.size() == 2);
  CHECK(run->pods[0].ended);
  CHECK_FALSE(run->pods[0].evicted);
  CHECK(run->pods[1].created == 60s);
  REQUIRE(run->pods[1].bound);
  CHECK(*run->pods[1].bound > 600s);
  CHECK(*run->pods[1].bound < 620s);
  CHECK(run->pods[0].devices == run->pods[1].devices);
}

TEST_CASE("what runs in the cluster stays, unless the workload brings it") {
  auto cluster = cluster_of(1, 1);
  const auto [there, claim] = running_pod("a");
  cluster.emplace_back(there);
  cluster.emplace_back(claim);

  const auto beside = play(cluster, {gpu_pod("b")});
  REQUIRE(beside);
  REQUIRE(beside->pods.size() == 1);
  CHECK_FALSE(beside->pods[0].bound);

  const auto anew = play(cluster, cluster);
  REQUIRE(anew);
  REQUIRE(anew->pods.size() == 1);
  CHECK(anew->pods[0].bound);
}

TEST_CASE("a run of pods is the same each time, and ends when it is told to") {
  std::vector<KubeObject> pods;
  for (int i = 0; i < 12; ++i) {
    pods.emplace_back(gpu_pod("p" + std::to_string(i), std::chrono::seconds(i % 3), "30"));
  }
  const auto once = play(cluster_of(2, 2), pods);
  REQUIRE(once);
  CHECK(play(cluster_of(2, 2), pods) == once);

  PodsOptions options;
  options.go_on = [](const PodsProgress& progress) { return progress.time < 10s; };
  CHECK_FALSE(play(cluster_of(2, 2), pods, options));
  options = {};
  options.until = 20s;
  const auto short_run = play(cluster_of(2, 2), pods, options);
  REQUIRE(short_run);
  CHECK(
      std::ranges::none_of(short_run->pods, [](const auto& pod) { return pod.ended.has_value(); }));
}

TEST_CASE(
    "pods of one second are planned in the order of their uids, which they keep, as in a backlog") {
  const bool backlog = GENERATE(false, true);
  auto first = gpu_pod("a", 0s);
  auto second = gpu_pod("b", 0s);
  auto third = gpu_pod("c", 2s);
  first.meta.uid = Uid("2");
  second.meta.uid = Uid("1");
  third.meta.uid = Uid("0");
  PodsOptions options;
  options.backlog = backlog;
  const auto run = play(cluster_of(1, 1), {first, second, third}, options);
  REQUIRE(run);
  REQUIRE(run->pods.size() == 3);
  CHECK(run->pods[1].pod.name == "b");
  REQUIRE(run->pods[1].bound);
  CHECK((*run->pods[1].bound > 2s) == backlog);
}

TEST_CASE("where a run time is assumed, what runs ends by it, or in as long again as it ran") {
  struct Row {
    std::string name;
    Duration ran;
    Duration ends;
  };
  const auto row = GENERATE(Row{"it runs for ten minutes", 600s, 3000s},
                            Row{"it runs for two hours", 7200s, 7200s});
  DYNAMIC_SECTION(row.name) {
    const auto now = Time(std::chrono::hours(24 * 20'100));
    auto cluster = cluster_of(1, 1);
    auto [there, claim] = running_pod("a");
    there.meta.created = now - row.ran - 60s;
    there.conditions = {{.type = "PodScheduled",
                         .status = "True",
                         .reason = "",
                         .message = "",
                         .last_transition = now - row.ran}};
    cluster.emplace_back(there);
    cluster.emplace_back(claim);
    PodsOptions options;
    options.start = now;
    options.run_time = 3600s;
    const auto run = play(cluster, {gpu_pod("b"), gpu_pod("c", {}, "5")}, options);
    REQUIRE(run);
    REQUIRE(run->pods.size() == 2);
    REQUIRE((run->pods[0].bound && run->pods[1].bound && run->pods[1].ended));
    const auto [first, second] = std::minmax(*run->pods[0].bound, *run->pods[1].bound);
    CHECK(first > row.ends - 30s);
    CHECK(first < row.ends + 30s);
    CHECK(*run->pods[1].ended - *run->pods[1].bound < 30s);
    CHECK(*run->pods[0].ended - *run->pods[0].bound > 3590s);
  }
}

TEST_CASE("a run goes no further than it may at most, and says so") {
  PodsOptions options;
  options.at_most = 300s;
  const auto cut = play(cluster_of(1, 1), {gpu_pod("a", 0s, "600")}, options);
  REQUIRE(cut);
  CHECK(cut->cut);
  CHECK_FALSE(cut->pods[0].ended);
  options.at_most = 3600s;
  const auto whole = play(cluster_of(1, 1), {gpu_pod("a", 0s, "600")}, options);
  REQUIRE(whole);
  CHECK_FALSE(whole->cut);
}

TEST_CASE("pods may come one after the other, whenever they were created") {
  const auto workload = pods_of({gpu_pod("late", 9s), gpu_pod("early", 3s)}, 20s);
  REQUIRE(workload.pods.size() == 2);
  CHECK(workload.pods[0].pod.meta.name == "early");
  CHECK(workload.pods[0].at == 0s);
  CHECK(workload.pods[1].at == 20s);
}

TEST_CASE(
    "pods of a node that fails go with it, and those that come later find it when it is back") {
  PodsOptions options;
  options.churn = {happens(60s, ChurnKind::fails, "n0"), happens(600s, ChurnKind::returns, "n0")};
  const auto run = play(cluster_of(1, 1), {gpu_pod("a", 0s), gpu_pod("b", 120s)}, options);
  REQUIRE(run);
  REQUIRE(run->pods.size() == 2);
  CHECK(run->pods[0].failed);
  CHECK_FALSE(run->pods[0].evicted);
  CHECK(run->pods[0].ended == 60s);
  REQUIRE(run->pods[1].bound);
  CHECK(*run->pods[1].bound >= 600s);
  CHECK(*run->pods[1].bound < 660s);
  CHECK(run->pods[1].devices == run->pods[0].devices);
  CHECK(play(cluster_of(1, 1), {gpu_pod("a", 0s), gpu_pod("b", 120s)}, options) == run);
}

TEST_CASE("what waits for a node that is away waits to the end where it does not return") {
  PodsOptions options;
  options.churn = {happens(0s, ChurnKind::fails, "n0")};
  SECTION("for ever") {}
  SECTION("and the run waits for what churn has yet to do") {
    options.churn.push_back(happens(7200s, ChurnKind::cordoned, "n0"));
    options.churn.push_back(happens(7300s, ChurnKind::returns, "n0"));
  }
  const auto run = play(cluster_of(1, 1), {gpu_pod("a")}, options);
  REQUIRE(run);
  CHECK_FALSE(run->pods[0].bound);
  CHECK_FALSE(run->pods[0].failed);
}

TEST_CASE("nothing starts on a node that is cordoned, and what runs there goes on") {
  PodsOptions options;
  options.churn = {happens(60s, ChurnKind::cordoned, "n0"),
                   happens(600s, ChurnKind::uncordoned, "n0")};
  const auto run = play(cluster_of(1, 2), {gpu_pod("a", 0s), gpu_pod("b", 120s)}, options);
  REQUIRE(run);
  CHECK_FALSE(run->pods[0].ended);
  REQUIRE(run->pods[1].bound);
  CHECK(*run->pods[1].bound >= 600s);
}

TEST_CASE("slices that change are those that pods get devices of from then on") {
  auto more = make_gpus("n0", 3);
  more.pool_generation = 2;
  PodsOptions options;
  options.churn = {happens(300s, ChurnKind::changes, "")};
  options.churn[0].objects = {more};
  const auto run = play(cluster_of(1, 1), {gpu_pod("a"), gpu_pod("b"), gpu_pod("c")}, options);
  REQUIRE(run);
  CHECK(devices(run->pods).size() == 3);
  CHECK(std::ranges::count_if(run->pods, [](const auto& pod) { return *pod.bound >= 300s; }) == 2);
}

TEST_CASE("a pod of a DaemonSet comes back with its node, and has its CPU again") {
  auto cluster = cluster_of(1, 2);
  auto daemon = make_pod("daemon");
  daemon.meta.owners = {{"apps/v1", "DaemonSet", "d", Uid("d"), true}};
  daemon.node_name = NodeName("n0");
  daemon.phase = "Running";
  daemon.containers = {container(std::get<Node>(cluster[2]).allocatable)};
  cluster.emplace_back(daemon);
  auto small = gpu_pod("small", 0s);
  small.containers = {container({{"cpu", Quantity(1)}})};
  PodsOptions options;
  options.churn = {happens(30s, ChurnKind::fails, "n0"), happens(60s, ChurnKind::returns, "n0")};
  const auto run = play(cluster, {small}, options);
  REQUIRE(run);
  CHECK_FALSE(run->pods[0].bound);
  cluster.pop_back();
  const auto without = play(cluster, {small}, options);
  REQUIRE(without);
  CHECK(without->pods[0].bound);
}

TEST_CASE(
    "of a Job no more pods are there than run at a time, and the run ends without the others") {
  const auto of_job = [](const std::string& name, const char* seconds) {
    auto pod = gpu_pod(name, {}, seconds);
    pod.meta.owners = {{"batch/v1", "Job", "j", Uid("j"), true}};
    pod.meta.annotations[sim::at_once_annotation] = "2";
    return pod;
  };
  const auto ending = play(cluster_of(1, 4), {of_job("a", "60"), of_job("b", "100"),
                                              of_job("c", "60"), of_job("d", "60")});
  REQUIRE(ending);
  REQUIRE(ending->pods.size() == 4);
  CHECK(ending->pods[1].created == 0s);
  CHECK(ending->pods[2].created == ending->pods[0].ended);
  CHECK(ending->pods[3].created == ending->pods[1].ended);
  CHECK(ending->pods[3].ended);

  const auto lasting = play(cluster_of(1, 4), {of_job("a", ""), of_job("b", ""), of_job("c", "")});
  REQUIRE(lasting);
  CHECK(lasting->pods.size() == 2);
}

TEST_CASE("the pods of a Job that comes anew are not those of the cluster's") {
  auto cluster = cluster_of(1, 1);
  auto [there, claim] = running_pod("a");
  there.meta.owners = {{"batch/v1", "Job", "j", Uid("old"), true}};
  cluster.emplace_back(there);
  cluster.emplace_back(claim);
  BatchJob job;
  job.meta = default_meta("j", "30");
  const auto anew = play(cluster, {job, gpu_pod("b")});
  REQUIRE(anew);
  REQUIRE(anew->pods.size() == 1);
  CHECK(anew->pods[0].bound);
}

}  // namespace dray::simulate::pods_run_test

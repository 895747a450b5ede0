#include <array>

#include "tests/dst/oddity.h"
#include "tests/objects/groups.h"
#include "tests/objects/pods.h"

// Queues, policies and nodes that change while something is under way, and who goes for whom.

namespace dray::dst {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

void come(Stage& stage, const char* what, Duration delay, const char* queue,
          std::int32_t priority = 0) {
  stage.after(delay, [&stage, name = stage.fresh(what), queue, priority] {
    stage.create(stage.pod(name, queue, priority));
  });
}

/// The limit goes down to nothing while a plan is made.
void lower_the_limit(Stage& stage) {
  come(stage, "late", {}, "a");
  stage.after(stage.dice().up_to(milliseconds(450)), [&stage] {
    auto policy = stage.usual_policy();
    policy->queues.front().limit["gpu"] = Quantity(0);
    stage.saw("a limit went down while a plan was made");
    stage.set_policy(std::move(policy));
  });
}

/// cpu counts for a while, of which nobody may have any: a pod without devices waits.
void count_cpu(Stage& stage) {
  auto policy = stage.usual_policy();
  for (auto& queue : policy->queues) queue.limit["cpu"] = Quantity(0);
  stage.set_policy(std::move(policy));
  stage.after(milliseconds(200), [&stage] { stage.create(make_pod(stage.fresh("plain"))); });
  // When it has been told why it waits, nothing else makes dray look at it.
  stage.after(seconds(5), [&stage] {
    stage.usual_policy_again();
    stage.saw("a gated pod bypasses dray since the policy changed");
  });
}

void enter_anothers_queue(Stage& stage) {
  come(stage, "stranger", {}, "a");
  come(stage, "stranger", stage.dice().up_to(seconds(2)), "a");
  come(stage, "own", stage.dice().up_to(seconds(2)), "b");
  stage.saw("a pod named a queue that is not for it");
}

/// A pod of a full queue is said to be of the other, and one more comes.
void relabel(Stage& stage) {
  const auto name = stage.fresh("moves");
  stage.create(stage.pod(name, "a"));
  come(stage, "stays", {}, "a");
  stage.after(seconds(2), [&stage, name] {
    if (!stage.is_bound(name)) return;
    (void)stage.server().patch(
        Kind::pod, "default", name, sim::Endpoint::main,
        [](KubeObject& object) -> Result<void> {
          meta_of(object).labels[queue_label] = "b";
          return {};
        },
        stage.loop().now());
    stage.saw("the labels of a running pod changed");
  });
  come(stage, "third", milliseconds(2200), "a");
}

/// While a gang is planned, a pod of its queue gets its place on the spot, on another node.
void come_between(Stage& stage) {
  stage.label_node(0, "gangs");
  stage.label_node(1, "others");
  const auto group = stage.fresh("gang");
  stage.create(make_group(group, 2));
  for (int i = 0; i < 2; ++i) {
    auto pod = stage.pod(group + "-" + std::to_string(i), "a");
    pod.pod_group = group;
    pod.node_selector["for"] = "gangs";
    stage.create(pod);
  }
  stage.after(stage.dice().up_to(milliseconds(800)), [&stage] {
    auto pod = stage.pod(stage.fresh("between"), "a");
    pod.node_selector["for"] = "others";
    stage.create(pod);
    stage.saw("a pod came while a gang of its queue was planned");
  });
}

void cordon_all(Stage& stage) {
  come(stage, "planned", {}, "b");
  stage.after(stage.dice().up_to(milliseconds(450)), [&stage] {
    stage.cordon(true);
    stage.saw("all nodes were cordoned while a plan was made");
  });
}

/// Somebody is to go for a pod that gets another's place before the plan is there.
void find_a_place(Stage& stage) {
  const auto other = stage.fresh("other");
  stage.create(stage.pod(other, "b", 50));
  come(stage, "low", milliseconds(100), "b");
  come(stage, "high", milliseconds(2500), "b", 50);
  stage.after(milliseconds(2600) + stage.dice().up_to(seconds(2)), [&stage, other] {
    stage.remove(Kind::pod, other);
    stage.saw("a place came while an eviction was planned");
  });
}

/// While a plan gives its place to a more important one, a pod is bound, and nobody sees it.
void be_bound_unseen(Stage& stage) {
  const auto high = stage.fresh("high");
  auto pod = stage.pod_of(high, {"c-" + high});
  pod.meta.labels[queue_label] = "b";
  pod.priority = 50;
  stage.create(pod);
  const auto low = stage.fresh("low");
  stage.create(stage.pod(low, "b"));
  stage.watch([&stage, low, high](const sim::WatchEvent& event) {
    const auto* seen = std::get_if<Pod>(&*event.object);
    if (seen == nullptr || seen->meta.name != low || !seen->scheduling_gates.empty()) return false;
    stage.after({}, [&stage, high] { stage.claim("c-" + high); });
    stage.saw("a more important pod came right after another");
    return true;
  });
  stage.watch([&stage, low](const sim::WatchEvent& event) {
    const auto* claim = std::get_if<ResourceClaim>(&*event.object);
    if (claim == nullptr || claim->meta.name != "c-" + low || !claim->allocation) return false;
    // Where the claim is seen, its devices look as if they could be had.
    for (const auto kind : {Kind::resource_claim, Kind::pod}) {
      if (kind == Kind::resource_claim && stage.dice().chance(50)) continue;
      stage.loop().break_watch(sim::Client::dray, kind, milliseconds(1500), false);
    }
    return true;
  });
}

/// One has finished, and its claim still has its device, when another comes.
void finish(Stage& stage) {
  const auto done = stage.fresh("done");
  auto pod = stage.pod(done, "b", 50);
  pod.meta.annotations[sim::run_seconds_annotation] = "1";
  stage.create(pod);
  come(stage, "low", milliseconds(100), "b");
  stage.watch([&stage, done](const sim::WatchEvent& event) {
    const auto* seen = std::get_if<Pod>(&*event.object);
    if (seen == nullptr || seen->meta.name != done || !seen->finished()) return false;
    come(stage, "high", milliseconds(100) + stage.dice().up_to(seconds(1)), "b", 50);
    stage.saw("a pod has finished, and its claim lingers");
    return true;
  });
}

/// Two share a claim in a queue that is full. One comes that may have the room of one alone; or one
/// that would need all of the queue, of which the claim stays as long as one of the two does. It
/// counts for one of them.
void share_in_a_full_queue(Stage& stage) {
  const bool is_large = stage.dice().chance(50);
  const auto both = stage.fresh("pair");
  stage.claim(both);
  const int first = stage.dice().chance(50) ? 0 : 50;
  Duration delay{};
  for (const auto priority : {first, 50 - first}) {
    auto pod = stage.pod_of(stage.fresh("sharer"), {both});
    pod.meta.labels[queue_label] = "a";
    pod.priority = priority;
    stage.after(delay, [&stage, pod] { stage.create(pod); });
    delay = milliseconds(200);
  }
  come(stage, "own", milliseconds(500), "a", is_large ? 0 : 50);
  stage.after(seconds(3), [&stage, is_large, high = stage.fresh("high")] {
    stage.claim("c-" + high, is_large ? 2 : 1);
    auto pod = stage.pod_of(high, {"c-" + high});
    pod.meta.labels[queue_label] = "a";
    pod.priority = 50;
    stage.create(pod);
  });
  stage.saw("two share a claim in a full queue");
}

void come_for_another(Stage& stage) {
  come(stage, "low", {}, "b");
  come(stage, "high", seconds(2), "b", 50);
}

void preempting(Story& story) {
  story.world.nodes = 1;
  story.world.queues = true;
  story.world.priorities = true;
}

constexpr std::array queue_oddities{
    Oddity{"limits that go down while a plan is made",
           [](Story& story) {
             story.world.devices = 4;
             story.world.queues = true;
             story.world.gated = true;
             story.world.nominate = false;  // whose gate is to go has its place before
             story.bias.plans = milliseconds(500);
             story.strict.lifts = true;
           },
           lower_the_limit, seconds(6)},
    Oddity{"pods that come to bypass dray",
           [](Story& story) {
             story.world.queues = true;
             story.world.gated = true;
             story.strict.patience = seconds(5);
           },
           count_cpu, seconds(14)},
    Oddity{"queues that are for others",
           [](Story& story) {
             story.world.devices = 4;
             story.world.queues = true;
             story.others_queue = true;
           },
           enter_anothers_queue, seconds(6)},
    Oddity{"running pods that change their labels",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 4;
             story.world.queues = true;
           },
           relabel, seconds(6)},
    Oddity{"pods that come while their queue is planned",
           [](Story& story) {
             story.world.nodes = 2;
             story.world.devices = 2;
             story.world.queues = true;
             story.world.gated = false;
             story.bias.plans = milliseconds(500);
           },
           come_between, seconds(6)},
    Oddity{"nodes cordoned while a plan is made",
           [](Story& story) {
             story.world.devices = 2;
             story.world.gated = true;
             story.world.nominate = false;  // whose gate is to go has its place before
             story.bias.plans = milliseconds(500);
             story.strict.lifts = true;
           },
           cordon_all, seconds(6)},
    Oddity{"places that come while an eviction is planned",
           [](Story& story) {
             preempting(story);
             story.world.devices = 2;
             story.world.gated = false;
             story.bias.plans = seconds(3);
             story.strict.evictions = true;
           },
           find_a_place, seconds(10)},
    Oddity{"victims that are bound unseen",
           [](Story& story) {
             preempting(story);
             story.world.devices = 1;
             story.world.gated = true;
             story.bias.plans = milliseconds(200);
           },
           be_bound_unseen, seconds(8)},
    Oddity{"finished pods whose claims linger",
           [](Story& story) {
             preempting(story);
             story.world.devices = 2;
             story.bias.pods_managed = seconds(5);
             story.strict.evictions = true;
           },
           finish, seconds(10)},
    Oddity{"claims that are shared in a full queue",
           [](Story& story) {
             preempting(story);
             story.world.devices = 4;
             story.strict.evictions = true;
           },
           share_in_a_full_queue, seconds(12)},
    Oddity{"evictions that take long",
           [](Story& story) {
             preempting(story);
             story.world.devices = 1;
             story.bias.evictions = seconds(9);
           },
           come_for_another, seconds(28)},
};

}  // namespace

std::span<const Oddity> odd_queues() {
  return queue_oddities;
}

}  // namespace dray::dst

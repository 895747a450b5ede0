#include <algorithm>
#include <array>
#include <chrono>

#include "dray/engine/engine.h"
#include "dray/model/pod_marks.h"
#include "dray/sim/kube_scheduler.h"
#include "tests/dst/oddity.h"
#include "tests/dst/storm.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/pods.h"

// Pods that get their place by what only dray hears of, so that kube-scheduler has to be woken;
// plans that are overtaken by what kube-scheduler asks for; and a gang that a plan might move, and
// cannot.

namespace dray::dst {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Each has one device.
constexpr int nodes_of_the_rejected = 6;

/// Nobody may have a GPU.
void close_queues(Stage& stage) {
  auto policy = stage.usual_policy();
  for (auto& queue : policy->queues) queue.limit["gpu"] = Quantity(0);
  stage.set_policy(std::move(policy));
}

/// Longer than a request and its answer take here.
constexpr Duration until_refused = seconds(3);

/// Its queue has no room, and then it has: nobody but dray is told. Its wake-up is lost, or
/// refused, until its place has ended.
void wake_in_vain(Stage& stage) {
  close_queues(stage);
  const auto name = stage.fresh("asleep");
  stage.create(stage.pod(name, "a"));
  stage.after(until_refused, [&stage] {
    const auto how = stage.dice().chance(50) ? sim::Fate::lost : sim::Fate::refused;
    stage.storm().cut_wake_ups(how);
    stage.usual_policy_again();
    stage.after(milliseconds(stage.dice().between(2'200, 2'900)), [&stage] {
      stage.storm().cut_wake_ups(std::nullopt);
      stage.saw("a place ended while its pod was not woken");
    });
  });
}

/// kube-scheduler is told of a member's place by the wake-up alone.
bool is_woken(const sim::WatchEvent& event, const std::string& member) {
  const auto* pod = std::get_if<Pod>(&*event.object);
  return pod != nullptr && pod->meta.name == member &&
         std::ranges::any_of(pod->conditions, [](const Condition& condition) {
           return condition.type == admitted_condition && condition.status == "True";
         });
}

/// Of two members one is gated. When the other is woken, the gated one goes, and is made anew when
/// kube-scheduler has asked in vain: all within one second, in which a second wake-up says what the
/// first one did.
void wake_twice_in_a_second(Stage& stage) {
  const auto group = stage.fresh("gang");
  stage.create(make_group(group, 2));
  auto member = stage.pod(group + "-0");
  auto gated = stage.pod(group + "-1");
  member.pod_group = gated.pod_group = group;
  gated.scheduling_gates = {engine::Options().gate};
  stage.create(member);
  const auto begin = std::chrono::ceil<seconds>(stage.loop().now() + until_refused);
  stage.after(begin - stage.loop().now(), [&stage, gated] { stage.create(gated); });
  stage.watch([&stage, gated, name = member.meta.name, begin](const sim::WatchEvent& event) {
    if (!is_woken(event, name)) return false;
    stage.after({}, [&stage, gated] { stage.remove(Kind::pod, gated.meta.name); });
    const auto uid = meta_of(*event.object).uid;
    stage.look(milliseconds(900), [&stage, gated, uid, begin] {
      const auto asked = stage.facts().odd.asked_about.find(uid);
      if (asked == stage.facts().odd.asked_about.end() || asked->second < begin) return false;
      stage.create(gated);
      stage.saw("a pod was to be woken twice within a second");
      return true;
    });
    return true;
  });
}

/// A gang is planned, anywhere; meanwhile a pod that shares a claim with it gets its place on the
/// spot, on the only node that it may have.
void share_with_who_is_planned(Stage& stage) {
  const auto node = static_cast<int>(stage.dice().below(2));
  stage.label_node(node, "partners");
  stage.label_node(1 - node, "others");
  const auto both = stage.fresh("shared");
  stage.claim(both);
  const auto group = stage.fresh("gang");
  stage.create(make_group(group, 2));
  auto first = stage.pod_of(group + "-0", {both});
  auto second = stage.pod(group + "-1");
  first.pod_group = second.pod_group = group;
  stage.create(first);
  auto partner = stage.pod_of(stage.fresh("partner"), {both});
  partner.node_selector["for"] = "partners";
  // The gang is planned when it is complete.
  stage.after(seconds(1), [&stage, second, partner] {
    stage.create(second);
    stage.after(stage.dice().up_to(milliseconds(150)), [&stage, partner] {
      stage.create(partner);
      stage.saw("a partner came while a gang was planned");
    });
  });
}

/// A pod of some nodes alone, whose claim is made for it.
Pod of_nodes(const std::string& name, const char* nodes, const std::string& claim) {
  auto pod = with_template(make_pod(name), claim);
  pod.meta.labels[queue_label] = "b";
  pod.node_selector["for"] = nodes;
  return pod;
}

/// A queue has one GPU more than its quota. Another queue's pod would need what a gang and a single
/// pod of it have together: more than may be taken, so that the gang would have to be moved, for
/// which there is no room. Then a member of it is made anew.
void wait_for_who_cannot_move(Stage& stage) {
  constexpr std::uint64_t size = 3;
  const auto one = std::string("one-") + gpu_driver;
  stage.label_node(0, "gangs");
  stage.label_node(1, "others");
  const auto group = stage.fresh("gang");
  stage.create(make_group(group, size));
  const auto member = [group, one](std::uint64_t index) {
    auto pod = of_nodes(group + "-" + std::to_string(index), "gangs", one);
    pod.pod_group = group;
    if (index == 0) pod.containers = {container({{"cpu", Quantity(2)}})};  // it leads the others
    return pod;
  };
  for (std::uint64_t i = 0; i < size; ++i) stage.create(member(i));
  stage.create(of_nodes(stage.fresh("other"), "others", "two-gpus"));
  stage.create(of_nodes(stage.fresh("single"), "gangs", "two-gpus"));
  stage.after(seconds(2), [&stage] {
    const auto name = stage.fresh("waits");
    stage.claim("c-" + name, 5);
    auto pod = stage.pod_of(name, {"c-" + name});
    pod.meta.labels[queue_label] = "a";
    pod.node_selector["for"] = "gangs";
    stage.create(pod);
  });
  stage.after(seconds(3), [&stage, anew = member(0)] {
    stage.remove(Kind::pod, anew.meta.name);
    stage.create(anew);
    stage.saw("a member of a running gang was made anew while another queue waited");
  });
}

/// A pod of a queue below its quota waits for a volume that no node has: kube-scheduler rejects
/// each node that others leave for it, and these come back.
void be_rejected(Stage& stage) {
  const auto come = [&stage] { stage.create(stage.pod(stage.fresh("runs"), "b")); };
  for (int i = 0; i < nodes_of_the_rejected; ++i) come();
  stage.watch([&stage, come](const sim::WatchEvent& event) {
    if (event.type == sim::WatchEvent::Type::deleted && event.kind == Kind::pod &&
        meta_of(*event.object).name.starts_with("runs")) {
      stage.after(milliseconds(1), come);
    }
    return false;
  });
  stage.after(seconds(3), [&stage] {
    auto pod = stage.pod(stage.fresh(doomed_prefix), "a");
    pod.meta.annotations[sim::volume_node_annotation] = "nowhere";
    stage.create(pod);
    stage.saw("kube-scheduler rejected who had others evicted");
  });
}

/// Plans look at next to nothing, and those in front cannot start: no node has their label, or they
/// want what somebody has who stays. Who comes behind them in another queue starts all the same.
void stand_behind(Stage& stage) {
  auto policy = stage.usual_policy();
  auto& dice = stage.dice();
  policy->budgets.jobs = static_cast<std::int32_t>(dice.between(1, 3));
  policy->budgets.nodes_tried = static_cast<std::int32_t>(dice.between(1, 4));
  stage.set_policy(std::move(policy));
  const auto front = dice.between(4, 9);
  for (int i = 0; i < front; ++i) {
    const auto name = stage.fresh("front");
    auto pod = stage.pod(name, "a", 50);
    if (dice.chance(50)) pod.node_selector["for"] = "nobody";
    if (dice.chance(50)) pod.containers.front().requests["cpu"] = Quantity(1'000'000);
    pod.node_selector.try_emplace("kubernetes.io/hostname", "nowhere");
    stage.create(pod);
  }
  const auto behind = stage.fresh("behind");
  stage.after(milliseconds(500), [&stage, behind] { stage.create(stage.pod(behind, "b")); });
  stage.watch([&stage, behind](const sim::WatchEvent& event) {
    const auto* pod = std::get_if<Pod>(&*event.object);
    if (pod == nullptr || pod->meta.name != behind || !pod->node_name) return false;
    stage.saw("a pod started behind others that could not, with small budgets");
    return true;
  });
}

/// kube-scheduler hears of a place by a wake-up alone.
void told_by_wake_ups(Story& story) {
  story.world.nodes = 1;
  story.world.devices = 2;
  story.world.gated = false;
  story.world.nominate = false;  // whose node is nominated anew hears of that
}

constexpr std::array waiting_oddities{
    Oddity{"places that end while their wake-ups are lost",
           [](Story& story) {
             told_by_wake_ups(story);
             story.world.queues = true;
             story.world.reservation_life = seconds(3);
             story.strict.patience = seconds(9);
           },
           wake_in_vain, seconds(15)},
    Oddity{"wake-ups that say what the last one did",
           [](Story& story) {
             told_by_wake_ups(story);
             story.bias.calls = milliseconds(500);
             story.strict.patience = seconds(8);
           },
           wake_twice_in_a_second, seconds(14)},
    Oddity{"claims that are shared with a gang that is planned",
           [](Story& story) {
             story.world.nodes = 2;
             story.world.devices = 6;  // whose writes got no answer are nobody's for a while
             story.world.gated = false;
             story.world.protect_claims = true;  // the claim is as it was until it has devices
             story.bias.plans = milliseconds(500);
             story.bias.allocations_late = 75;
           },
           share_with_who_is_planned, seconds(9)},
    Oddity{"gangs that cannot move as a whole",
           [](Story& story) {
             story.world.nodes = 2;
             story.world.devices = 6;
             story.world.queues = true;
             story.world.moves = true;
             story.strict.moves = true;
           },
           wait_for_who_cannot_move, seconds(14)},
    Oddity{"pods that kube-scheduler rejects",
           [](Story& story) {
             story.world.nodes = nodes_of_the_rejected;
             story.world.devices = 1;
             story.world.replicas = 1;
             story.world.queues = true;
             story.strict.evictions_in_vain = 3;
           },
           be_rejected, seconds(58)},
    Oddity{"budgets of next to nothing",
           [](Story& story) {
             story.world.nodes = 2;
             story.world.queues = true;
           },
           stand_behind, seconds(20)},
};

}  // namespace

std::span<const Oddity> odd_waits() {
  return waiting_oddities;
}

}  // namespace dray::dst

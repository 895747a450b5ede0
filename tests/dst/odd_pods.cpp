#include <array>

#include "tests/dst/oddity.h"
#include "tests/objects/groups.h"
#include "tests/objects/pods.h"

// Pods and gangs that are not seen, not woken, or made anew at the wrong moment.

namespace dray::dst {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A gang whose members all have to be there; its name.
std::string make_gang(Stage& stage, int size) {
  const auto group = stage.fresh("gang");
  stage.create(make_group(group, size));
  for (int i = 0; i < size; ++i) {
    auto pod = stage.pod(group + "-" + std::to_string(i));
    pod.pod_group = group;
    stage.create(pod);
  }
  return group;
}

void gather(Stage& stage) {
  (void)make_gang(stage, 2);
}

/// The same, and it is there when the weather gets fair.
void gather_to_the_end(Stage& stage) {
  (void)make_gang(stage, 2);
  if (stage.is_last()) stage.keep();
}

void bind_late(Stage& stage) {
  for (int i = 0; i < 2; ++i) {
    stage.after(stage.dice().up_to(seconds(2)),
                [&stage] { stage.create(stage.pod(stage.fresh("late"))); });
  }
}

/// The group is made anew while a member waits for the others, of which it is asked again.
void make_the_group_anew(Stage& stage) {
  const auto group = make_gang(stage, 2);
  const auto ask_again = [&stage](const std::string& name) {
    const auto* pod = stage.find(name);
    auto* leader = stage.loop().leader();
    if (pod == nullptr || pod->node_name || leader == nullptr) return;
    leader->bind({pod->key(), pod->meta.uid, NodeName(node_name(0))},
                 [](const auto& /*response*/) {});
  };
  stage.look(seconds(20), [&stage, group, ask_again] {
    if (stage.facts().odd.open_binds.empty()) return false;
    stage.remove(Kind::pod_group, group);
    const auto away = stage.dice().up_to(milliseconds(stage.dice().chance(50) ? 0 : 600));
    stage.after(away, [&stage, group] { stage.create(make_group(group, 2)); });
    stage.saw("a group was made anew while its members gathered");
    for (int i = 0; i < 2; ++i) {
      stage.after(stage.dice().up_to(milliseconds(600)),
                  [ask_again, name = group + "-" + std::to_string(i)] { ask_again(name); });
    }
    return true;
  });
}

/// Somebody deletes the claim of one when kube-scheduler has a node for both.
void delete_a_members_claim(Stage& stage) {
  const auto group = make_gang(stage, 2);
  const auto claim = "c-" + group + "-" + std::to_string(stage.dice().below(2));
  stage.look(seconds(20), [&stage, group, claim] {
    const auto is_asked_about = [&](const std::string& name) {
      const auto* pod = stage.find(name);
      return pod != nullptr && stage.facts().odd.asked_about.contains(pod->meta.uid);
    };
    if (!is_asked_about(group + "-0") || !is_asked_about(group + "-1")) return false;
    stage.after(stage.dice().up_to(milliseconds(400)), [&stage, claim] {
      stage.remove(Kind::resource_claim, claim);
      stage.saw("a member's claim went while its gang gathered");
      stage.after(seconds(4), [&stage, claim] { stage.claim(claim); });
    });
    return true;
  });
}

void come_unseen(Stage& stage) {
  stage.create(stage.pod(stage.fresh("unseen")));
  stage.saw("a pod is asked for before it is seen");
}

/// Members of a gang that waits get others under their names while nobody looks.
void replace_unseen(Stage& stage) {
  const auto blocker = stage.fresh("blocker");
  stage.create(stage.pod(blocker));
  stage.after(seconds(1), [&stage, blocker] {
    const auto group = make_gang(stage, 2);
    stage.after(seconds(1), [&stage, group] {
      stage.loop().break_watch(sim::Client::dray, Kind::pod, milliseconds(1500), true);
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && stage.dice().chance(50)) continue;
        const auto name = group + "-" + std::to_string(i);
        stage.remove(Kind::pod, name);
        auto pod = stage.pod_of(name, {"c-" + name});
        pod.pod_group = group;
        stage.after(milliseconds(500), [&stage, pod] { stage.create(pod); });
      }
      stage.saw("members were replaced unseen");
    });
    stage.after(seconds(4), [&stage, blocker] { stage.remove(Kind::pod, blocker); });
  });
  if (stage.is_last()) stage.after(seconds(5), [&stage] { stage.keep(); });
}

void two_gpus(Story& story) {
  story.world.nodes = 1;
  story.world.devices = 2;
}

/// kube-scheduler's calls for a gang come one after another, and each has to be answered.
void gathers_slowly(Story& story) {
  two_gpus(story);
  story.world.replicas = 1;
  story.bias.calls = milliseconds(600);
  story.strict.answers = true;
}

constexpr std::array pod_oddities{
    Oddity{"bindings that land late",
           [](Story& story) {
             story.world.devices = 2;
             story.bias.bindings_late = 60;
             story.bias.calls_unanswered = 30;
           },
           bind_late, seconds(27)},
    Oddity{"wake-ups that are lost",
           [](Story& story) {
             two_gpus(story);
             story.world.gated = false;
             story.world.reservation_life = seconds(90);
             story.bias.wake_ups_lost = 50;
             story.strict.wake_ups = true;
           },
           gather, seconds(27)},
    Oddity{"no wake-ups, and short reservations",
           [](Story& story) {
             two_gpus(story);
             story.world.gated = false;
             story.world.reservation_life = seconds(3);
             story.bias.wake_ups_lost = 100;
             // A node may be given up for a minute, where the last wake-up comes as the place ends.
             story.strict.order = seconds(75);
           },
           gather_to_the_end, seconds(27)},
    Oddity{"groups made anew while members gather", gathers_slowly, make_the_group_anew,
           seconds(27)},
    Oddity{"claims deleted while members gather", gathers_slowly, delete_a_members_claim,
           seconds(27)},
    Oddity{"pods that are seen late",
           [](Story& story) {
             story.world.devices = 1;
             story.world.gated = false;
             story.bias.pods_seen = seconds(2);
             story.strict.patience = seconds(12);
           },
           come_unseen, seconds(18)},
    Oddity{"members replaced unseen",
           [](Story& story) {
             two_gpus(story);
             story.strict.patience = seconds(12);
           },
           replace_unseen, seconds(18)},
};

}  // namespace

std::span<const Oddity> odd_pods() {
  return pod_oddities;
}

}  // namespace dray::dst

#include <catch2/catch.hpp>

#include "dray/model/pod_marks.h"
#include "tests/unit/engine/lifecycle_world.h"

namespace dray::engine::pod_offer_test {
namespace {

using namespace std::chrono_literals;

const WriteOutcome done = WrittenObject{};
const WriteOutcome failed = fail(ErrorCode::unavailable, "no answer");

TEST_CASE("a gated pod with a place loses its gate, with the node as a hint") {
  LifecycleWorld world;
  world.show();
  world.reserve();
  const auto commands = world.pods.offer(world.uid, start);
  CHECK(words(commands) == "LiftGate default/p for lift");
  CHECK(only_write<LiftGate>(commands).annotations == Labels{{reservation_annotation, "n0"}});
  CHECK(world.state() == PodState::lifting);
  CHECK(world.pods.lift_written(world.uid, done, start + 1s).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(world.pods.next_tick() == start + 1s + life);
}

TEST_CASE("the watch may show the gate gone before the answer comes") {
  LifecycleWorld world;
  world.show();
  world.reserve();
  static_cast<void>(world.pods.offer(world.uid, start));
  CHECK(world.show().empty());
  CHECK(world.state() == PodState::lifting);
  world.pod.scheduling_gates.clear();
  CHECK(world.show(true, start + 2s).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(world.pods.next_tick() == start + 2s + life);
  CHECK(world.pods.lift_written(world.uid, done, start + 3s).empty());
  CHECK(world.pods.next_tick() == start + 2s + life);
}

TEST_CASE("in a large cluster the node is nominated before the gate goes") {
  LifecycleWorld world(2);
  world.show();
  world.reserve();
  const auto commands = world.pods.offer(world.uid, start);
  CHECK(words(commands) == "NominateNode default/p for lift");
  CHECK(only_write<NominateNode>(commands).node == NodeName("n0"));
  CHECK(world.state() == PodState::nominating);
  CHECK(words(world.pods.lift_written(world.uid, done, start)) == "LiftGate default/p for lift");
  CHECK(world.state() == PodState::lifting);
}

TEST_CASE("what is nominated already is not nominated again") {
  LifecycleWorld world(2);
  world.pod.nominated_node = NodeName("n0");
  world.show();
  world.reserve();
  CHECK(words(world.pods.offer(world.uid, start)) == "LiftGate default/p for lift");
}

TEST_CASE("just below the size nothing is nominated") {
  LifecycleWorld world(3);
  world.show();
  world.reserve();
  CHECK(words(world.pods.offer(world.uid, start)) == "LiftGate default/p for lift");
}

TEST_CASE("a lift that fails is tried again, later each time") {
  LifecycleWorld world;
  world.show();
  world.reserve();
  static_cast<void>(world.pods.offer(world.uid, start));
  auto now = start;
  for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 6400ms}) {
    CHECK(world.pods.lift_written(world.uid, failed, now).empty());
    CHECK(world.p().wait.detail == "lifting the gate: no answer");
    CHECK(world.pods.next_tick() == now + pause);
    now += pause;
    CHECK(words(world.pods.tick(now)) == "LiftGate default/p for lift");
  }
  CHECK(world.pods.lift_written(world.uid, done, now).empty());
  CHECK(world.p().attempts == 0);
}

TEST_CASE("an outcome for a pod that waits again, or is gone, changes nothing") {
  LifecycleWorld world;
  world.show();
  CHECK(world.pods.lift_written(world.uid, done, start).empty());
  CHECK(world.state() == PodState::waiting);
  CHECK(world.pods.lift_written(world.uid, failed, start).empty());
  CHECK(!world.pods.next_tick());
  CHECK(world.pods.lift_written(Uid("another"), done, start).empty());
}

TEST_CASE("a pod without a gate that kube-scheduler gave up is woken, once") {
  LifecycleWorld world;
  world.pod.scheduling_gates.clear();
  const bool before_the_watch = GENERATE(false, true);
  if (before_the_watch) world.pods.refused_unseen(world.uid, start);
  world.show();
  if (!before_the_watch) world.pods.filter_refused(world.uid);
  SECTION("by a condition") {
    world.reserve();
    const auto commands = world.pods.offer(world.uid, start + 1s);
    CHECK(words(commands) == "SetPodCondition default/p for wake");
    const auto& condition = only_write<SetPodCondition>(commands).condition;
    CHECK(condition.type == admitted_condition);
    CHECK(condition.status == "True");
    CHECK(condition.reason == "Reserved");
    CHECK(condition.last_transition == start + 1s);
  }
  SECTION("by its hint, where that changes") {
    world.pod.meta.annotations[reservation_annotation] = "n1";
    world.show();
    world.reserve();
    const auto commands = world.pods.offer(world.uid, start);
    CHECK(words(commands) == "AnnotatePod default/p for wake");
    CHECK(only_write<AnnotatePod>(commands).annotations == Labels{{reservation_annotation, "n0"}});
  }
  SECTION("not by a hint that is there") {
    world.pod.meta.annotations[reservation_annotation] = "n0";
    world.show();
    world.reserve();
    CHECK(words(world.pods.offer(world.uid, start)) == "SetPodCondition default/p for wake");
  }
  CHECK(!world.p().filter_refused);
  CHECK(world.pods.offer(world.uid, start).empty());
}

TEST_CASE("a pod that was not refused comes by itself") {
  LifecycleWorld world;
  world.pod.scheduling_gates.clear();
  world.show();
  world.reserve();
  CHECK(world.pods.offer(world.uid, start).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(world.pods.next_tick() == start + life);
}

TEST_CASE("a pod that bypasses dray is offered without a place, by the leader") {
  LifecycleWorld world;
  world.show(false);
  world.pods.set_bypasses(world.uid, true);
  CHECK(world.show(false).empty());
  SECTION("its gate goes") {
    CHECK(world.show(true) == "LiftGate default/p for lift");
    CHECK(only_write<LiftGate>(world.pods.offer(world.uid, start)).annotations.empty());
  }
  SECTION("unless it has another's, too") {
    world.pod.scheduling_gates.emplace_back("example.com/gate");
    CHECK(world.show(true).empty());
    CHECK(world.state() == PodState::waiting);
  }
  SECTION("without a gate nothing is written, and nothing runs out") {
    world.pod.scheduling_gates.clear();
    CHECK(world.show(true).empty());
    CHECK(world.state() == PodState::offered);
    CHECK(!world.pods.next_tick());
    world.pods.filter_refused(world.uid);
    CHECK(world.pods.offer(world.uid, start).empty());
  }
}

TEST_CASE("a node that kube-scheduler cleared is nominated again, once for each time") {
  LifecycleWorld world(2);
  world.pod.nominated_node = NodeName("n0");
  world.make_offered();
  world.pod.nominated_node.reset();
  CHECK(world.show() == "NominateNode default/p");
  CHECK(world.show().empty());
  world.pod.nominated_node = NodeName("n0");
  CHECK(world.show().empty());
  world.pod.nominated_node = NodeName("n1");
  CHECK(world.show() == "NominateNode default/p");
}

TEST_CASE("in a small cluster, and without a place, nothing is nominated again") {
  LifecycleWorld small(3);
  small.make_offered();
  CHECK(small.show().empty());
  LifecycleWorld world(2);
  world.pod.scheduling_gates.clear();
  world.show();
  world.pods.set_bypasses(world.uid, true);
  world.show();
  CHECK(world.state() == PodState::offered);
  CHECK(world.show().empty());
}

TEST_CASE("an exposed pod loses its gate without a hint; if that fails it may be exposed again") {
  LifecycleWorld world;
  world.show();
  const auto commands = world.pods.expose(world.uid);
  CHECK(words(commands) == "LiftGate default/p for lift");
  CHECK(only_write<LiftGate>(commands).annotations.empty());
  CHECK(world.p().exposed);
  CHECK(world.state() == PodState::waiting);
  CHECK(world.pods.lift_written(world.uid, done, start).empty());
  CHECK(world.p().exposed);
  CHECK(world.pods.lift_written(world.uid, failed, start).empty());
  CHECK(!world.p().exposed);
}

TEST_CASE("the owner of a gated pod is told why it still waits, when the reason changes") {
  LifecycleWorld world;
  world.show();
  constexpr Duration patience = 3s;
  const auto waits = [&](Reason reason, const std::string& detail, bool again, Time now) {
    CHECK(world.pods.waits(world.uid, reason, detail, again, now).empty());
  };
  waits(Reason::devices_in_use, "2 nodes", false, start);
  CHECK(world.pods.next_tick() == start + patience);
  // Only the latest is told, and what comes meanwhile does not put it off.
  waits(Reason::no_node_fits, "", false, start + 1s);
  waits(Reason::devices_in_use, "3 nodes", false, start + 2s);
  const auto told = world.pods.tick(start + patience);
  CHECK(words(told) == "SetPodCondition default/p");
  const auto& condition = only_write<SetPodCondition>(told).condition;
  CHECK(condition.type == admitted_condition);
  CHECK(condition.status == "False");
  CHECK(condition.reason == "DevicesInUse");
  CHECK(condition.message == std::string(text(Reason::devices_in_use)) + ": 3 nodes");
  CHECK(condition.last_transition == start + patience);
  CHECK_FALSE(only_write<SetPodCondition>(told).wakes);
  waits(Reason::devices_in_use, "4 nodes", false, start + 20s);
  CHECK(world.p().wait.detail == "4 nodes");
  CHECK_FALSE(world.pods.next_tick());
  waits(Reason::no_node_fits, "", false, start + 21s);
  const auto other = world.pods.tick(start + 21s + patience);
  CHECK(only_write<SetPodCondition>(other).condition.message == text(Reason::no_node_fits));
  // When its gate goes, the condition is mended first.
  world.reserve();
  CHECK(words(world.pods.offer(world.uid, start)) ==
        "SetPodCondition default/p; LiftGate default/p for lift");
}

TEST_CASE("what no plan changes, and what is to be seen as a change of the pod, is told at once") {
  LifecycleWorld world;
  world.show();
  const auto tell = [&](Reason reason, bool again) {
    return words(world.pods.waits(world.uid, reason, "", again, start));
  };
  CHECK(tell(Reason::unsupported, false) == "SetPodCondition default/p");
  CHECK(tell(Reason::unsupported, false).empty());
  CHECK(tell(Reason::unsupported, true) == "SetPodCondition default/p");
  CHECK_FALSE(world.pods.next_tick());
}

TEST_CASE("a pod whose gate goes needs nothing else to wake it, also after leadership changed") {
  LifecycleWorld world;
  world.show();
  static_cast<void>(world.pods.reset());
  world.reserve();
  CHECK(words(world.pods.offer(world.uid, start)) == "LiftGate default/p for lift");
  CHECK(words(world.pods.lift_written(world.uid, WrittenObject(), start)).empty());
  CHECK(world.state() == PodState::offered);
}

TEST_CASE("a pod that has its place by then is not told that it waited") {
  LifecycleWorld world;
  world.show();
  CHECK(world.pods.waits(world.uid, Reason::devices_in_use, "", false, start).empty());
  world.reserve();
  CHECK_FALSE(world.pods.next_tick());
  CHECK(words(world.pods.offer(world.uid, start + 1s)) == "LiftGate default/p for lift");
}

TEST_CASE("that it is not planned yet is told only after a longer while") {
  LifecycleWorld world;
  world.show();
  CHECK(world.pods.waits(world.uid, Reason::planning, "", false, start).empty());
  CHECK(world.pods.next_tick() == start + PodLifecycle::claim_patience);
}

TEST_CASE("a pod without a gate hears the reason from kube-scheduler alone") {
  LifecycleWorld world;
  world.pod.scheduling_gates.clear();
  world.show();
  CHECK(world.pods.waits(world.uid, Reason::devices_in_use, "", false, start).empty());
  CHECK(world.p().wait.reason == Reason::devices_in_use);
  CHECK(world.pods.waits(Uid("another"), Reason::planning, "", false, start).empty());
}

TEST_CASE("what is usually on its way is told only if it stays away") {
  LifecycleWorld world;
  world.show();
  world.pods.waits_quietly(world.uid, Reason::claim_missing, "c", start);
  CHECK(world.pods.next_tick() == start + PodLifecycle::claim_patience);
  // Said again, the patience does not begin anew.
  world.pods.waits_quietly(world.uid, Reason::claim_missing, "c", start + 5s);
  CHECK(world.pods.next_tick() == start + PodLifecycle::claim_patience);
  CHECK(words(world.pods.tick(start + PodLifecycle::claim_patience)) ==
        "SetPodCondition default/p");
}

TEST_CASE("a refused node is planned with again when its time is over") {
  LifecycleWorld world;
  world.make_offered();
  static_cast<void>(world.pods.refuse_node(world.uid, start));
  world.reserve("n1");
  static_cast<void>(world.pods.offer(world.uid, start));
  static_cast<void>(world.pods.refuse_node(world.uid, start + 10s));
  const auto first = start + PodLifecycle::refusal_life;
  CHECK(world.pods.waits_for_room(world.uid, Reason::no_node_fits, "", start + 10s).empty());
  CHECK(world.pods.next_tick() == first);
  CHECK(words(world.pods.tick(first)) == "plan");
  CHECK(world.pods.waits_for_room(world.uid, Reason::no_node_fits, "", first).empty());
  CHECK(world.p().refused.size() == 1);
  CHECK(world.pods.next_tick() == first + 10s);
  // The answer of a plan that was made before: it did not know yet that the time is over.
  static_cast<void>(world.pods.waits_for_room(world.uid, Reason::no_node_fits, "", first + 10s));
  CHECK(world.pods.next_tick() == first + 10s);
  CHECK(words(world.pods.tick(first + 10s)) == "plan");
  CHECK(world.p().refused.empty());
  CHECK(world.pods.refused_somewhere().empty());
  CHECK(!world.pods.next_tick());
}

TEST_CASE("the reason that filter answers is told to nobody else") {
  LifecycleWorld world;
  world.show();
  world.pods.set_reason(world.uid, Reason::no_devices);
  world.pods.set_detail(world.uid, "detail");
  CHECK(world.p().wait.reason == Reason::no_devices);
  CHECK(world.p().wait.detail == "detail");
  CHECK(world.p().wait.reported == Reason::none);
}

TEST_CASE("a place for a pod that the watch does not show is kept for a while") {
  LifecycleWorld world;
  static_cast<void>(world.pods.requested(world.pod, start));
  static_cast<void>(world.pods.release(world.uid));
  CHECK(world.pods.offer(world.uid, start + 1s).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(world.pods.next_tick() == start + 1s + life);
  CHECK(world.pods.offer(Uid("another"), start).empty());
}

/// p was refused once, and has a place now: its wake-up is written.
struct Woken : LifecycleWorld {
  Woken() {
    pod.scheduling_gates.clear();
    pod.meta.resource_version = ResourceVersion("20");
    show();
    pods.filter_refused(uid);
    reserve();
    CHECK(words(pods.offer(uid, start)) == "SetPodCondition default/p for wake");
  }
  WriteOutcome written(const std::string& version) const {
    auto after = pod;
    after.meta.resource_version = ResourceVersion(version);
    return WrittenObject{after};
  }
};

TEST_CASE("a wake-up that was lost or changed nothing is written again, soon") {
  Woken world;
  const bool lost = GENERATE(true, false);
  const auto outcome =
      lost ? WriteOutcome(fail(ErrorCode::unavailable, "cut")) : world.written("20");
  CHECK(world.pods.wake_written(world.uid, outcome, start).empty());
  CHECK(world.pods.next_tick() == start + 1s);
  CHECK(words(world.pods.tick(start + 1s)) == "SetPodCondition default/p for wake");
  CHECK(world.pods.wake_written(world.uid, world.written("21"), start + 1s).empty());
  CHECK(world.pods.next_tick() == start + life);
}

TEST_CASE("a wake-up that arrived is not written again") {
  Woken world;
  SECTION("it changed the pod") {
    CHECK(world.pods.wake_written(world.uid, world.written("21"), start).empty());
  }
  SECTION("kube-scheduler asked meanwhile") {
    world.pods.filter_answered(world.uid, start);
    CHECK(world.pods.wake_written(world.uid, fail(ErrorCode::unavailable, "cut"), start).empty());
  }
  CHECK(world.pods.next_tick() == start + life);
}

TEST_CASE("a node is not refused for a pod whose wake-up never arrived") {
  Woken world;
  auto now = start;
  while (now < start + life) {
    static_cast<void>(world.pods.wake_written(world.uid, fail(ErrorCode::unavailable, "cut"), now));
    now = *world.pods.next_tick();
    static_cast<void>(world.pods.tick(now));
  }
  CHECK(world.state() == PodState::waiting);
  CHECK(world.p().refused.empty());
}

TEST_CASE("nor for one whose wake-up is still being written") {
  Woken world;
  static_cast<void>(world.pods.tick(start + life));
  CHECK((world.state() == PodState::waiting && world.p().refused.empty()));
}

}  // namespace
}  // namespace dray::engine::pod_offer_test

#include "engine/pod_lifecycle.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/lifecycle_world.h"

namespace dray::engine::pod_lifecycle_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a pod is followed by its name and uid until it is dropped") {
  LifecycleWorld world;
  CHECK(world.show().empty());
  CHECK(world.state() == PodState::waiting);
  CHECK(world.pods.waits(world.uid));
  CHECK(!world.pods.waits(Uid("another")));
  CHECK(world.pods.find(PodKey{"default", "p"}) == &world.p());
  CHECK(world.pods.find({"default", "p"}, world.uid) == &world.p());
  CHECK(world.pods.find({"default", "p"}, Uid("another")) == nullptr);
  CHECK(world.pods.object(world.p())->meta.uid == world.uid);
  CHECK(words(world.pods.drop(world.uid)) == "dropped uid-p");
  CHECK(world.pods.find(world.uid) == nullptr);
  CHECK(world.pods.find(PodKey{"default", "p"}) == nullptr);
  CHECK(world.pods.drop(world.uid).empty());
}

TEST_CASE("another pod of the name takes the first one's place") {
  LifecycleWorld world;
  world.show();
  auto next = world.pod;
  next.meta.uid = Uid("uid-next");
  world.tell(next);
  CHECK(words(world.pods.appeared(next)) == "dropped uid-p");
  CHECK(world.pods.find(PodKey{"default", "p"})->uid == Uid("uid-next"));
}

TEST_CASE("a reservation takes devices until it is released") {
  LifecycleWorld world;
  world.show();
  CHECK(!world.pods.reserved_node(world.uid));
  CHECK(world.reserve() == "changed uid-p");
  CHECK(world.assumed());
  CHECK(world.pods.reserved_node(world.uid) == NodeName("n0"));
  CHECK(world.p().wait.reason == Reason::none);
  CHECK(world.p().wait.detail == "why");
  CHECK(world.p().warnings == std::vector<std::string>{"warning"});
  CHECK(words(world.pods.release(world.uid)) == "changed uid-p; plan");
  CHECK(!world.assumed());
  CHECK(!world.pods.reserved_node(world.uid));
  CHECK(world.p().wait.reason == Reason::planning);
  CHECK(!world.p().filter_refused);
  CHECK(world.pods.release(world.uid).empty());
}

TEST_CASE("who gives up its place is woken when it has another") {
  LifecycleWorld world;
  world.make_offered();
  CHECK(words(world.pods.give_up(world.uid)) == "changed uid-p; plan");
  CHECK(world.state() == PodState::waiting);
  CHECK(!world.pods.next_tick());
  CHECK(world.p().filter_refused);
  world.reserve("n1");
  CHECK(words(world.pods.offer(world.uid, start)) == "SetPodCondition default/p for wake");
}

TEST_CASE("a reservation that nobody comes for runs out, and its node is not tried again soon") {
  LifecycleWorld world;
  world.make_offered();
  CHECK(world.pods.next_tick() == start + life);
  CHECK(world.pods.tick(start + life - 1us).empty());
  CHECK(words(world.pods.tick(start + life)) == "changed uid-p; plan; reservation ended uid-p");
  CHECK(world.pods.expired() == 1);
  CHECK(world.state() == PodState::waiting);
  CHECK(!world.assumed());
  CHECK(world.p().wait.reason == Reason::node_refused);
  CHECK(world.p().filter_refused);
  REQUIRE(world.p().refused.contains(NodeName("n0")));
  const auto& refusal = world.p().refused.at(NodeName("n0"));
  CHECK(refusal.until == start + life + PodLifecycle::refusal_life);
  CHECK(refusal.node_version == ResourceVersion("1"));
}

TEST_CASE("a pod that filter was asked for and that did not come may try the node again") {
  LifecycleWorld world;
  world.make_offered();
  world.pods.filter_answered(world.uid, start + 10s);
  CHECK(world.pods.next_tick() == start + 10s + life);
  CHECK(words(world.pods.tick(start + 10s + life)) ==
        "changed uid-p; plan; reservation ended uid-p");
  CHECK(world.pods.expired() == 1);
  CHECK(world.p().refused.empty());
  CHECK(world.p().filter_refused);
  CHECK(world.p().wait.reason == Reason::planning);
}

TEST_CASE("a reservation stays while its node is nominated and filter was asked") {
  LifecycleWorld world;
  world.make_offered();
  const bool asked = GENERATE(true, false);
  const std::string nominated = GENERATE("n0", "n1");
  if (asked) world.pods.filter_answered(world.uid, start);
  world.pod.nominated_node = NodeName(nominated);
  world.tell(world.pod);
  const bool stays = asked && nominated == "n0";
  CHECK(world.pods.tick(start + life).empty() == stays);
  CHECK(world.pods.expired() == (stays ? 0 : 1));
  if (stays) CHECK(world.pods.next_tick() == start + 2 * life);
}

TEST_CASE("the reservations of a PodGroup outlive kube-scheduler's back-off") {
  LifecycleWorld world;
  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  group.min_count = 4;
  CHECK(world.jobs.observe(group));
  world.pod.pod_group = "g";
  for (const auto* name : {"p", "q", "r", "s"}) {
    auto pod = make_pod(name, "");
    pod.pod_group = "g";
    world.jobs.put(std::make_shared<const Pod>(pod), start);
  }
  world.jobs.refresh(start);
  world.make_offered();
  CHECK(world.pods.next_tick() == start + life + 20s);  // 10 s times the root of 4
}

TEST_CASE("a refused node is given up, and so is the gang's room") {
  LifecycleWorld world;
  world.make_offered();
  CHECK(words(world.pods.refuse_node(world.uid, start + 5s)) ==
        "changed uid-p; plan; reservation ended uid-p");
  CHECK(world.p().refused.at(NodeName("n0")).until == start + 5s + PodLifecycle::refusal_life);
  CHECK(world.p().wait.reason == Reason::node_refused);
  CHECK(!world.assumed());
  CHECK(!world.pods.next_tick());
}

TEST_CASE("kube-scheduler's verdict without a filter call refuses the node") {
  LifecycleWorld world;
  world.call_unschedulable("before");
  world.make_offered();
  SECTION("not its last word from before the offer") {
    CHECK(world.show().empty());
  }
  SECTION("another verdict does") {
    world.call_unschedulable("after");
    CHECK(world.show() == "changed uid-p; plan; reservation ended uid-p");
  }
  SECTION("not if filter was asked") {
    world.pods.filter_answered(world.uid, start);
    world.call_unschedulable("after");
    CHECK(world.show().empty());
  }
  SECTION("not any other change") {
    world.pod.conditions.clear();
    world.pod.meta.annotations["x"] = "y";
    CHECK(world.show().empty());
  }
}

TEST_CASE("a bind that succeeds is kept until the watch shows it") {
  LifecycleWorld world;
  world.make_offered();
  world.pods.bind_begun(world.uid);
  CHECK(world.state() == PodState::binding);
  CHECK(world.p().fixed());
  CHECK(!world.pods.next_tick());
  CHECK(world.pods.bind_ended(world.ended(Binding::Result::bound), start).empty());
  CHECK(world.state() == PodState::bound);
  CHECK(world.p().fixed());
  CHECK(world.pods.is_bound(world.uid));
  CHECK(!world.pods.next_tick());
  CHECK(words(world.pods.drop(world.uid)) == "dropped uid-p bound");
  // Its claim is at version 10 in the watch, and was written at 12.
  CHECK(world.assumed());
  auto claim = make_claim("c", 1);
  claim.meta.resource_version = ResourceVersion("12");
  world.tell(claim);
  world.pods.claims_moved();
  CHECK(!world.assumed());
}

TEST_CASE("a bind that ends without the pod being bound") {
  struct Row {
    std::string name;
    Binding::Result result;
    PodState state;
    bool keeps_its_place;
  };
  const auto row =
      GENERATE(Row{"failed: it comes back", Binding::Result::failed, PodState::offered, true},
               Row{"devices are not ready: it comes back", Binding::Result::waiting,
                   PodState::offered, true},
               Row{"refused: planned again", Binding::Result::refused, PodState::waiting, false});
  DYNAMIC_SECTION(row.name) {
    LifecycleWorld world;
    world.make_offered();
    world.pods.bind_begun(world.uid);
    const auto commands = world.pods.bind_ended(world.ended(row.result, "error"), start + 1s);
    CHECK(commands.empty() == row.keeps_its_place);
    CHECK(world.state() == row.state);
    CHECK(world.assumed() == row.keeps_its_place);
    CHECK(world.p().wait.detail == "error");
    CHECK(world.p().filter_refused == !row.keeps_its_place);
    if (row.keeps_its_place) {
      CHECK(world.p().offer.asked);
      CHECK(world.pods.next_tick() == start + 1s + life);
    } else {
      CHECK(!world.pods.next_tick());
    }
  }
}

TEST_CASE("a pod that bypasses dray and was not bound has nothing to keep") {
  LifecycleWorld world;
  world.pod.scheduling_gates.clear();
  world.show();
  world.pods.set_bypasses(world.uid, true);
  world.cluster.assume(LifecycleWorld::place());
  world.pods.bind_begun(world.uid);
  CHECK(world.pods.bind_ended(world.ended(Binding::Result::refused), start).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(!world.assumed());
  CHECK(!world.pods.next_tick());
}

TEST_CASE("a bind that ends after its pod has gone frees its room for a plan") {
  LifecycleWorld world;
  world.cluster.assume(LifecycleWorld::place());
  const bool bound = GENERATE(true, false);
  const auto result = bound ? Binding::Result::bound : Binding::Result::failed;
  CHECK(words(world.pods.bind_ended(world.ended(result), start)) == "plan");
  CHECK(world.assumed() == bound);  // bound: until the watch shows the claim as written
}

TEST_CASE("a gang that is not bound costs its members nothing") {
  LifecycleWorld world;
  world.make_offered();
  world.pods.bind_refused(world.uid, "no", start);
  CHECK(world.p().wait.detail == "why");  // it is not being bound
  world.pods.bind_begun(world.uid);
  world.pods.bind_refused(world.uid, "too few", start + 1s);
  CHECK(world.state() == PodState::offered);
  CHECK(world.p().wait.detail == "too few");
  CHECK(world.p().offer.asked);
  CHECK(world.assumed());
  CHECK(world.pods.next_tick() == start + 1s + life);
  world.pods.bind_refused(Uid("another"), "no", start);
}

TEST_CASE("filter's answer offers a reserved pod, but not one that is being bound") {
  LifecycleWorld world;
  world.show();
  world.reserve();
  world.pods.filter_refused(world.uid);
  CHECK(world.p().filter_refused);
  world.pods.filter_answered(world.uid, start);
  CHECK(world.state() == PodState::offered);
  CHECK(world.p().offer.asked);
  CHECK(!world.p().filter_refused);
  CHECK(world.pods.next_tick() == start + life);
  world.pods.bind_begun(world.uid);
  world.pods.filter_answered(world.uid, start);
  CHECK(world.state() == PodState::binding);
  CHECK(!world.pods.next_tick());
}

TEST_CASE("a pod that only a request has shown is dropped if the watch never shows it") {
  LifecycleWorld world;
  CHECK(world.pods.requested(world.pod, start).empty());
  CHECK(world.state() == PodState::offered);
  CHECK(world.p().bypasses);
  CHECK(!world.p().seen);
  CHECK(world.pods.next_tick() == start + life);
  SECTION("never") {
    CHECK(words(world.pods.tick(start + life)) == "dropped uid-p");
    CHECK(world.pods.expired() == 0);
  }
  SECTION("after it was bound") {
    world.pods.bind_begun(world.uid);
    static_cast<void>(world.pods.bind_ended(world.ended(Binding::Result::bound), start + 1s));
    CHECK(world.pods.next_tick() == start + 1s + life);
    CHECK(words(world.pods.tick(start + 1s + life)) == "dropped uid-p bound");
  }
  SECTION("after leadership was lost") {
    static_cast<void>(world.pods.reset());
    CHECK(!world.pods.next_tick());
  }
  SECTION("it does") {
    world.pod.scheduling_gates.clear();
    world.show();
    CHECK(world.p().seen);
    CHECK(world.pods.tick(start + life).empty());
    CHECK(world.pods.find(world.uid) != nullptr);
  }
}

TEST_CASE("a pod that is being deleted needs no place") {
  LifecycleWorld world;
  world.make_offered();
  CHECK(words(world.pods.deleted(world.uid)) == "changed uid-p; plan");
  CHECK(world.state() == PodState::waiting);
  CHECK(!world.assumed());
  CHECK(!world.pods.next_tick());
}

TEST_CASE("a claim that could not be given back keeps its devices until the watch shows it") {
  LifecycleWorld world;
  world.make_offered();
  world.pods.bind_begun(world.uid);
  auto ended = world.ended(Binding::Result::refused, "the pod's binding was refused");
  ended.keeps_claims = true;
  const auto show_claim = [&world](const std::string& version) {
    auto claim = make_claim("c", 1);
    claim.meta.resource_version = ResourceVersion(version);
    world.tell(claim);
    world.pods.claims_moved();
  };
  SECTION("while the pod is there, it keeps its place") {
    static_cast<void>(world.pods.bind_ended(ended, start));
    CHECK(world.state() == PodState::offered);
    CHECK(world.assumed());
  }
  SECTION("the pod is gone") {
    static_cast<void>(world.pods.drop(world.uid));
    static_cast<void>(world.pods.bind_ended(ended, start));
    show_claim("11");
    CHECK(world.assumed());
    show_claim("12");
    CHECK(!world.assumed());
  }
}

TEST_CASE("bound for good is what the API server has on a node") {
  LifecycleWorld world;
  world.show();
  CHECK(!world.pods.is_bound(world.uid));
  CHECK(!world.pods.is_bound(Uid("another")));
  world.pod.node_name = NodeName("n0");
  world.tell(world.pod);
  CHECK(world.pods.is_bound(world.uid));
  world.pod.meta.deleted = start;
  world.tell(world.pod);
  CHECK(!world.pods.is_bound(world.uid));
}

TEST_CASE("after a change of leadership every pod waits, and nothing is held") {
  LifecycleWorld world;
  world.make_offered();
  SECTION("offered") {
    CHECK(words(world.pods.reset()) == "changed uid-p; plan; changed uid-p");
  }
  SECTION("being bound") {
    world.pods.bind_begun(world.uid);
    CHECK(words(world.pods.reset()) == "changed uid-p; plan; changed uid-p");
  }
  CHECK(world.state() == PodState::waiting);
  CHECK(!world.assumed());
  CHECK(world.p().filter_refused);
  CHECK(!world.pods.next_tick());
}

TEST_CASE("the version of the pod is the newest that anybody told") {
  LifecycleWorld world;
  const auto version = [&] { return world.pods.version(*world.pods.find(world.uid)).get(); };
  world.pod.meta.resource_version = ResourceVersion("9");
  world.show();
  CHECK(version() == "9");
  world.reserve();
  static_cast<void>(world.pods.offer(world.uid, start));
  auto lifted = world.pod;
  lifted.meta.resource_version = ResourceVersion("10");
  static_cast<void>(world.pods.lift_written(world.uid, WrittenObject{lifted}, start));
  CHECK(version() == "10");
  world.pod.meta.resource_version = ResourceVersion("11");
  world.pod.scheduling_gates.clear();
  world.show();
  CHECK(version() == "11");
  // Of a pod that names another claim, the version would bind it without its devices.
  auto renamed = testing::with_template(lifted, "one", "gpus");
  renamed.meta.resource_version = ResourceVersion("12");
  renamed.resource_claim_statuses = {{.name = "gpus", .claim_name = "another"}};
  static_cast<void>(world.pods.lift_written(world.uid, WrittenObject{renamed}, start));
  CHECK(version() == "11");
}

}  // namespace
}  // namespace dray::engine::pod_lifecycle_test

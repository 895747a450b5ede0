#include <algorithm>
#include <array>

#include "tests/dst/oddity.h"
#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

// Claims that are not as other claims.

namespace dray::dst {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A pod looks at devices that others have, two of them at once.
void look_as_admin(Stage& stage) {
  for (int i = 0; i < 2; ++i) {
    const auto name = stage.fresh("admin");
    auto spec = exactly(2, gpu_driver);
    spec.admin_access = true;
    auto one = spec;
    one.count = 1;
    stage.create(make_claim("c-" + name, {request("devices", spec), request("more", one)}));
    stage.after(stage.dice().up_to(seconds(1)), [&stage, name] {
      stage.create(stage.pod_of(name, {"c-" + name}));
      stage.saw("a claim with admin access was made");
    });
  }
  stage.after(stage.dice().up_to(seconds(1)),
              [&stage] { stage.create(stage.pod(stage.fresh("user"))); });
}

/// A claim that nobody can read any more has the first device that is free.
void allocate_unreadable(Stage& stage) {
  const auto name = stage.fresh("odd");
  const auto id = device_id(node_name(0), "gpu-0");
  const auto& holders = stage.facts().holders;
  const auto found = holders.find(id);
  if (found == holders.end() || found->second.empty()) {
    stage.create(of_scheduler("others", stage.pod_of(name, {name})));
    const auto uid = stage.find(name)->meta.uid;
    auto claim = make_claim(name, {request("devices", exactly(1, gpu_driver))});
    claim.meta.uid = {};
    claim.allocation = allocation({id}, "devices");
    claim.reserved_for = {consumer(name, uid)};
    claim.spec.unreadable = "request devices: a quantity that nobody can read";
    stage.server().restore(std::move(claim), stage.loop().now());
    (void)stage.server().write(engine::BindPod{{"default", name}, uid, NodeName(node_name(0))},
                               stage.loop().now());
    stage.made(Kind::resource_claim, name);
    stage.saw("an unreadable claim has a device");
  }
  for (int i = 0; i < 2; ++i) {
    stage.after(milliseconds(500), [&stage] { stage.create(stage.pod(stage.fresh("user"))); });
  }
}

/// Two pods; their bindings are refused, and what is given back then is heard of late.
void bind_again(Stage& stage) {
  for (int i = 0; i < 2; ++i) {
    stage.after(stage.dice().up_to(seconds(1)),
                [&stage] { stage.create(stage.pod(stage.fresh("again"))); });
  }
}

/// While the first claim of a pod is allocated, the leader dies and somebody deletes the other.
void lose_a_claim(Stage& stage) {
  const auto name = stage.fresh("half");
  const std::array claims{name + "-a", name + "-b"};
  for (const auto& claim : claims) stage.claim(claim);
  stage.create(stage.pod_of(name, {claims[0], claims[1]}));
  stage.watch([&stage, claims](const sim::WatchEvent& event) {
    const auto* claim = std::get_if<ResourceClaim>(&*event.object);
    if (claim == nullptr || !claim->allocation) return false;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (claim->meta.name != claims.at(i)) continue;
      const auto leader = stage.leading();
      if (!leader) return true;
      stage.after({}, [&stage, leader, other = claims.at(1 - i)] {
        stage.loop().kill_replica(*leader);
        stage.remove(Kind::resource_claim, other);
        stage.restart(*leader, seconds(1));
        stage.saw("a claim went while its pod got the other");
      });
      return true;
    }
    return false;
  });
  stage.keep();
}

/// A pod gets part of a claim that another runs with; the leader dies, and its own claim goes.
void lose_the_own_claim(Stage& stage) {
  const auto name = stage.fresh("joins");
  const auto both = stage.fresh("shared");
  stage.claim(both);
  stage.claim(name + "-own");
  stage.create(stage.pod_of(name + "-first", {both}));
  stage.after(seconds(2),
              [&stage, name, both] { stage.create(stage.pod_of(name, {both, name + "-own"})); });
  stage.watch([&stage, name, both](const sim::WatchEvent& event) {
    const auto* claim = std::get_if<ResourceClaim>(&*event.object);
    if (claim == nullptr || claim->meta.name != both || claim->reserved_for.size() < 2) {
      return false;
    }
    const auto leader = stage.leading();
    if (!leader) return true;
    stage.after({}, [&stage, leader, name] {
      stage.loop().kill_replica(*leader);
      stage.remove(Kind::resource_claim, name + "-own");
      stage.restart(*leader, seconds(1));
      stage.saw("the other claim of a pod that shares one went");
    });
    return true;
  });
  stage.after(seconds(3), [&stage] { stage.keep(); });
}

/// Somebody takes away the claim that two pods run with; then a third wants what is left of their
/// queue's limit.
void tear_out_of_two(Stage& stage) {
  const auto both = stage.fresh("shared");
  stage.claim(both);
  for (int i = 0; i < 2; ++i) {
    auto pod = stage.pod_of(stage.fresh("robbed"), {both});
    pod.meta.labels[queue_label] = "a";
    stage.create(pod);
  }
  stage.after(seconds(3), [&stage, both] {
    stage.tear_out(both);
    stage.saw("a claim was taken from pods that run");
    stage.after(milliseconds(100), [&stage, both] { stage.claim(both); });
    stage.after(seconds(1), [&stage] { stage.create(stage.pod(stage.fresh("third"), "a")); });
  });
}

/// Another allocator leaves a device to a claim that nobody uses.
void leave_unused(Stage& stage) {
  auto claim = make_claim(stage.fresh(rival_prefix), {request("devices", exactly(1, gpu_driver))});
  claim.meta.uid = {};
  claim.allocation = allocation({device_id(node_name(0), "gpu-0")}, "devices");
  if (const auto held = stage.facts().holders.find(claim.allocation->devices.front().device);
      held != stage.facts().holders.end() && !held->second.empty()) {
    return;
  }
  stage.server().restore(std::move(claim), stage.loop().now());
  stage.saw("a claim has a device and no user");
}

constexpr std::array claim_oddities{
    Oddity{"admin access", [](Story& story) { story.world.devices = 3; }, look_as_admin,
           seconds(6)},
    Oddity{"unreadable claims with devices",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 2;
           },
           allocate_unreadable, seconds(6)},
    Oddity{"bindings refused, claims seen late",
           [](Story& story) {
             story.world.devices = 2;
             story.bias.claims_seen = seconds(4);
             story.bias.bindings_refused = 50;
           },
           bind_again, seconds(12)},
    Oddity{"claims deleted under a binding",
           [](Story& story) {
             story.world.devices = 3;
             story.bias.claim_writes = seconds(1);
           },
           lose_a_claim, seconds(18)},
    Oddity{"claims deleted under a binding that shares one",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 4;
             story.bias.claim_writes = seconds(1);
           },
           lose_the_own_claim, seconds(25)},
    Oddity{"claims taken from pods that run",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 4;
             story.world.queues = true;
             story.strict.patience = seconds(8);
           },
           tear_out_of_two, seconds(18)},
    Oddity{"claims that nobody uses",
           [](Story& story) {
             story.world.devices = 2;
             story.strict.unused = true;
             story.more_calm = seconds(100);
           },
           leave_unused, seconds(40)},
};

}  // namespace

std::span<const Oddity> odd_claims() {
  return claim_oddities;
}

}  // namespace dray::dst

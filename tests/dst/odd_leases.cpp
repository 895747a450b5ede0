#include <array>
#include <utility>

#include "tests/dst/oddity.h"

// Leaders that lose their Lease, come back, or stop at the wrong moment.

namespace dray::dst {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A term ends while the claims of a pod that was bound in it are not seen yet.
void lose_the_term(Stage& stage) {
  const auto name = stage.fresh("unseen");
  stage.create(stage.pod(name));
  stage.watch([&stage, name](const sim::WatchEvent& event) {
    const auto* claim = std::get_if<ResourceClaim>(&*event.object);
    if (claim == nullptr || claim->meta.name != "c-" + name || !claim->allocation) return false;
    stage.loop().break_watch(sim::Client::dray, Kind::resource_claim, seconds(24), false);
    stage.after(stage.dice().up_to(seconds(2)), [&stage] {
      stage.storm().cut_lease(true);
      stage.saw("a term ended while claims were not seen");
    });
    stage.after(seconds(14), [&stage] { stage.storm().cut_lease(false); });
    return true;
  });
}

/// Pods come all the time, and renewals are not answered.
void go_on(Stage& stage) {
  for (int i = 0; i < 2; ++i) {
    stage.after(stage.dice().up_to(seconds(8)),
                [&stage] { stage.create(stage.pod(stage.fresh("some"))); });
  }
}

/// The other takes over while it has not seen that a pod was bound, and no node takes it any more.
void hand_over_unseen(Stage& stage) {
  const auto name = stage.fresh("bound");
  stage.create(stage.pod(name));
  stage.watch([&stage, name](const sim::WatchEvent& event) {
    const auto* pod = std::get_if<Pod>(&*event.object);
    if (pod == nullptr || pod->meta.name != name || !pod->node_name) return false;
    stage.after(stage.dice().up_to(milliseconds(500)), [&stage] {
      const auto leader = stage.leading();
      if (!leader) return;
      stage.cordon(true);
      stage.loop().replica(*leader)->drain();
      stage.restart(*leader, seconds(5));
      stage.saw("a leader went right after a binding");
    });
    return true;
  });
}

/// The leader dies over an allocation, and is back at once under its name.
void come_back_at_once(Stage& stage) {
  stage.create(stage.pod(stage.fresh("under-way")));
  stage.look(seconds(5), [&stage] {
    const auto leader = stage.leading();
    const auto& requests = stage.loop().network().under_way();
    const bool allocates = std::ranges::any_of(requests, [](const sim::ApiRequest& request) {
      return std::holds_alternative<engine::AllocateClaim>(request.write);
    });
    if (!leader || !allocates) return false;
    stage.loop().kill_replica(*leader);
    stage.restart(*leader, milliseconds(200));
    stage.saw("a leader was back while its writes were under way");
    return true;
  });
}

/// The leader stops when it has sent a renewal, and goes on when its term has run out.
void stop_over_a_renewal(Stage& stage) {
  for (const auto delay : {seconds(0), seconds(9), seconds(12)}) {
    stage.after(delay + stage.dice().up_to(seconds(2)),
                [&stage] { stage.create(stage.pod(stage.fresh("some"))); });
  }
  stage.storm().when_renewed([&stage](std::size_t index) {
    stage.storm().when_renewed(nullptr);
    auto* replica = stage.loop().replica(index);
    if (!replica->leads()) return;
    stage.after(microseconds(stage.dice().between(1, 2100)), [&stage, replica] {
      if (replica->process().ended() || replica->process().stopped()) return;
      replica->process().stop();
      stage.saw("a leader stopped over a renewal");
    });
    sim::Process::Order order{sim::Process::Thread::lease, sim::Process::Thread::engine,
                              sim::Process::Thread::writer};
    if (stage.dice().chance(50)) std::swap(order[0], order[1]);
    stage.after(milliseconds(stage.dice().between(8'000, 13'000)),
                [replica, order] { replica->process().go_on(order); });
  });
}

/// Pods come while somebody deletes the Lease under its holder, perhaps twice.
void delete_the_lease(Stage& stage) {
  for (const auto delay : {seconds(0), seconds(3), seconds(8)}) {
    stage.after(delay + stage.dice().up_to(seconds(3)),
                [&stage] { stage.create(stage.pod(stage.fresh("some"))); });
  }
  for (auto i = stage.dice().between(1, 2); i > 0; --i) {
    stage.after(stage.dice().up_to(seconds(10)), [&stage] {
      if (!stage.leading()) return;
      const auto removed =
          stage.server().remove(Kind::lease, "dray-system", "dray", {}, stage.loop().now());
      if (removed) stage.saw("a Lease was deleted under its holder");
    });
  }
}

/// The machine of the leader sleeps, for less or for longer than its term.
void suspend_the_leader(Stage& stage) {
  for (const auto delay : {seconds(0), seconds(6), seconds(12)}) {
    stage.after(delay + stage.dice().up_to(seconds(3)),
                [&stage] { stage.create(stage.pod(stage.fresh("some"))); });
  }
  stage.after(stage.dice().up_to(seconds(4)), [&stage] {
    const auto leader = stage.leading();
    if (!leader) return;
    auto* replica = stage.loop().replica(*leader);
    if (replica->process().ended() || replica->process().stopped()) return;
    replica->process().suspend();
    stage.saw("the machine of a leader was suspended");
    sim::Process::Order order{sim::Process::Thread::lease, sim::Process::Thread::engine,
                              sim::Process::Thread::writer};
    for (std::size_t j = 2; j > 0; --j) std::swap(order.at(j), order.at(stage.dice().below(j + 1)));
    stage.after(milliseconds(stage.dice().between(4'000, 14'000)),
                [replica, order] { replica->process().go_on(order); });
  });
}

constexpr std::array lease_oddities{
    Oddity{"terms that end while claims are not seen",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 1;
             story.world.replicas = 1;
           },
           lose_the_term, seconds(27)},
    Oddity{"renewals without an answer",
           [](Story& story) {
             story.world.devices = 2;
             story.bias.renewals_unanswered = 30;
             story.strict.terms = true;
           },
           go_on, seconds(10)},
    Oddity{"hand-overs while bindings are not seen",
           [](Story& story) {
             story.world.nodes = 1;
             story.world.devices = 2;
             story.world.replicas = 2;
             story.bias.pods_seen = seconds(4);
           },
           hand_over_unseen, seconds(14)},
    Oddity{"leaders that are back at once",
           [](Story& story) {
             story.world.devices = 2;
             story.world.replicas = 1;
             story.bias.claim_writes = seconds(4);
           },
           come_back_at_once, seconds(14)},
    Oddity{"leaders that stop over a renewal", [](Story& story) { story.world.devices = 3; },
           stop_over_a_renewal, seconds(18)},
};

constexpr std::array later_oddities{
    Oddity{"Leases that are deleted under their holder",
           [](Story& story) {
             story.world.devices = 3;
             story.world.replicas = 2;
             story.bias.claim_writes = seconds(2);
           },
           delete_the_lease, seconds(30)},
    Oddity{"machines that are suspended",
           [](Story& story) {
             story.world.devices = 3;
             story.world.replicas = 2;
             story.bias.claim_writes = seconds(2);
           },
           suspend_the_leader, seconds(30)},
};

}  // namespace

std::span<const Oddity> odd_leases() {
  return lease_oddities;
}

std::span<const Oddity> odd_terms() {
  return later_oddities;
}

}  // namespace dray::dst

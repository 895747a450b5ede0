#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "dray/sim/calm_cluster.h"
#include "tests/bench/farm.h"
#include "tests/dst/environment.h"
#include "tests/objects/groups.h"

// Nothing that dray holds grows with what has come and gone: its engine, planner, books and caches,
// and those of a replica that stands by, in virtual time. What a process is given by the system
// beyond that is tests/cluster/soak_test.go.
//   DRAY_HEAP_TURNS=N  so many turns (400 where absent), each with other names
//   DRAY_HEAP_PRINT=1  what is in use, turn by turn

namespace dray::dst::heap_test {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr int nodes = 20;
constexpr int singles = 40;
constexpr int members = 4;

/// Bytes that malloc() has given out and nobody gave back; 0 where another allocator is in its
/// place.
std::size_t bytes_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

sim::CalmOptions options() {
  sim::CalmOptions made;
  made.server.gate_pods = true;
  made.server.protect_claims = true;
  // What the models themselves keep is to be full soon.
  made.server.watch_window = 100;
  made.server.events_kept = 100;
  made.engine.plan_pause = 50ms;
  return made;
}

std::size_t median(std::vector<std::size_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A small cluster in which everything comes and goes under ever new names.
class Churn {
 public:
  Churn() : cluster_(options()), standby_(options().engine) {
    cluster_.set_observer([this](const sim::WatchEvent& event) { show(event); });
    cluster_.server().create(gpu_class(), cluster_.now()).value();
    create(make_template("one", {request("gpus", exactly(1, "gpu.nvidia.com"))}));
    create(make_template("many", {request("gpus", exactly(9, "gpu.nvidia.com"))}));
    for (int i = 0; i < nodes; ++i) add_node(i);
    cluster_.start_dray();
    pass(5s);
  }

  /// Pods and a gang are bound, one waits; all of them go, and a node comes and goes meanwhile.
  void turn() {
    ++turn_;
    const int passing = nodes + turn_;
    add_node(passing);
    std::vector<std::string> names;
    for (int i = 0; i < singles; ++i) names.push_back(fmt::format("p{}-{}", turn_, i));
    for (const auto& name : names) create(with_template(make_pod(name), "one"));
    const auto group = fmt::format("g{}", turn_);
    create(make_group(group, members));
    for (int i = 0; i < members; ++i) {
      auto member = with_template(make_pod(fmt::format("{}-{}", group, i)), "one");
      member.pod_group = group;
      names.push_back(member.meta.name);
      create(std::move(member));
    }
    names.push_back(fmt::format("w{}", turn_));
    create(with_template(make_pod(names.back()), "many"));
    pass(20s);
    bound_ += bound(names);
    remove(Kind::resource_slice, "", gpus(host(passing).meta.name, passing).meta.name);
    remove(Kind::node, "", host(passing).meta.name);
    for (const auto& name : names) remove(Kind::pod, "default", name);
    remove(Kind::pod_group, "default", group);
    pass(10s);
  }

  [[nodiscard]] int bound() const { return bound_; }
  [[nodiscard]] bool is_empty() {
    return cluster_.server().list(Kind::pod).items.empty() &&
           cluster_.server().list(Kind::resource_claim).items.empty();
  }

 private:
  void add_node(int number) {
    create(host(number));
    create(gpus(host(number).meta.name, number));
  }
  void create(KubeObject object) {
    const auto created = cluster_.server().create(std::move(object), cluster_.now());
    REQUIRE(created);
  }
  void remove(Kind kind, const std::string& space, const std::string& name) {
    sim::DeleteOptions at_once;
    at_once.grace_seconds = 0;
    REQUIRE(cluster_.server().remove(kind, space, name, at_once, cluster_.now()));
  }
  void pass(Duration time) { cluster_.run_until(cluster_.now() + time); }
  int bound(const std::vector<std::string>& names) {
    return static_cast<int>(std::ranges::count_if(names, [&](const std::string& name) {
      const auto* pod = cluster_.server().find<Pod>("default", name);
      return pod != nullptr && pod->node_name.has_value();
    }));
  }

  /// What a replica that stands by is told.
  void show(const sim::WatchEvent& event) {
    const auto& object = *event.object;
    const auto& meta = meta_of(object);
    if (event.type == sim::WatchEvent::Type::deleted) {
      static_cast<void>(standby_.apply(
          cluster::ObjectGone{kind_of(object), meta.namespace_name, meta.name, meta.uid},
          cluster_.now()));
    } else {
      static_cast<void>(standby_.apply(cluster::ObjectChanged{object}, cluster_.now()));
    }
  }

  sim::CalmCluster cluster_;
  engine::Engine standby_;
  int turn_ = 0;
  int bound_ = 0;
};

}  // namespace

TEST_CASE("what is in use does not grow with what has come and gone") {
  if (bytes_in_use() == 0) {
    WARN("skipped: this malloc does not say what is in use");
    return;
  }
  const auto turns = static_cast<int>(number_from_environment("DRAY_HEAP_TURNS", 400));
  const bool prints = std::getenv("DRAY_HEAP_PRINT") != nullptr;
  Churn churn;
  std::vector<std::size_t> used;
  for (int i = 0; i < turns; ++i) {
    churn.turn();
    used.push_back(bytes_in_use());
    if (prints) std::cout << i << " " << used.back() / 1024 << " KiB\n";
  }
  CHECK(churn.bound() == turns * (singles + members));
  CHECK(churn.is_empty());
  // What is kept for an hour of virtual time is full by then (120 turns).
  const auto quarter = used.begin() + turns / 2 + turns / 4;
  const auto before = median({used.begin() + turns / 2, quarter});
  const auto after = median({quarter, used.end()});
  INFO(before / 1024 << " KiB half of the time, then " << after / 1024);
  // A hundredth is 50 bytes of each job that went.
  CHECK(after <= before + before / 100);
}

}  // namespace dray::dst::heap_test

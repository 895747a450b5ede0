#pragma once

#include <functional>
#include <set>
#include <string>

#include "sim/cluster_loop.h"
#include "tests/dst/invariants.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// How long bad weather lasts, and the fair weather after it. The latter is shorter than
/// kube-scheduler's flush of unschedulable pods: a lost wake-up shows.
inline constexpr Duration storm_time = std::chrono::seconds(60);
inline constexpr Duration calm_time = std::chrono::seconds(235);
/// How long fair weather may take to put all in order (L1): what the storm left behind runs out,
/// reservations that nobody asks for and nodes that were refused.
inline constexpr Duration order_patience = std::chrono::seconds(140);

/// What people and controllers do in a run: nodes, pods and gangs that come, and pods that are made
/// anew when they were evicted.
class Workload {
 public:
  Workload(const Story& story, sim::ClusterLoop& loop);

  /// The cluster, as it is before the first pod.
  void build();
  /// Pods and gangs, over the first half of the storm.
  void plan();
  void add_node(int index);
  /// Somebody deletes it, and may make it anew under its name.
  void delete_pod(const std::string& name);
  /// A pod that was evicted is made anew; a device that was given is attached.
  void committed(const sim::WatchEvent& event);
  /// From now on every device can be attached. When order has come, some pods go.
  void heal();
  [[nodiscard]] const std::set<std::string>& seen() const { return seen_; }

 private:
  void after(Duration delay, std::function<void()> action) {
    loop_.at(loop_.now() + delay, std::move(action));
  }
  sim::ApiServer& server() { return loop_.server(); }
  void create(KubeObject object) { (void)server().create(std::move(object), loop_.now()); }
  void add_devices(const std::string& node);
  void add_pod(int index);
  Pod pod_of_kind(const std::string& name, std::size_t kind);
  void add_gang(int index);
  void add_partner(const Pod& pod);
  void label(Pod& pod);
  void attach(const ResourceClaim& claim);
  void make_anew(const Pod& pod);
  void end_some_pod();

  const Story& story_;
  sim::ClusterLoop& loop_;
  Dice dice_;
  Dice more_dice_;
  bool healed_ = false;
  std::set<Uid> made_anew_;
  std::set<std::string> seen_;
};

}  // namespace dray::dst

#pragma once

#include <functional>
#include <set>
#include <string>

#include "tests/dst/workload.h"

namespace dray::dst {

/// Who makes trouble while the storm lasts, besides the weather: replicas die, stop and go on,
/// others write to what dray works on, nodes and rules change.
class Trouble {
 public:
  Trouble(const Story& story, sim::ClusterLoop& loop, Workload& workload, Checker& checker);

  /// Starts the replicas, and plans the storm's events.
  void plan();
  /// All is as it should be again: replicas run, nodes are there, nothing is tainted.
  void heal();
  /// A commit gives occasion to some of it.
  void committed(const sim::WatchEvent& event);
  void bind_answered(const extender::BindRequest& request);
  [[nodiscard]] std::set<std::string>& seen() { return seen_; }

 private:
  void after(Duration delay, std::function<void()> action) {
    loop_.at(loop_.now() + delay, std::move(action));
  }
  sim::ApiServer& server() { return loop_.server(); }
  void start(std::size_t index);
  std::size_t some_replica();
  void crash();
  void pause();
  void drain();
  void touch_something();
  void replace_claim();
  void take_as_rival();
  void change_node();
  void cordon(const std::string& node, bool on);
  void collect_pods_of(const std::string& node);
  void taint();
  void change_device();
  void reload_policy();
  void set_policy(int reload);

  const Story& story_;
  sim::ClusterLoop& loop_;
  Workload& workload_;
  Checker& checker_;
  Dice dice_;
  bool healed_ = false;
  int made_ = 0;  ///< touches, taints, rivals, reloads: their numbers
  std::set<std::string> seen_;
};

}  // namespace dray::dst

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/dst/invariants.h"
#include "tests/dst/odd_storm.h"
#include "tests/dst/workload.h"

namespace dray::dst {

/// Where odd things are played, scene after scene: what is made in a scene is taken away at its
/// end.
class Stage {
 public:
  Stage(const Story& story, sim::ClusterLoop& loop, Checker& checker, OddStorm& storm)
      : story_(story), loop_(loop), checker_(checker), storm_(storm), dice_(story.seed, 8) {}

  [[nodiscard]] Dice& dice() { return dice_; }
  [[nodiscard]] const World& world() const { return story_.world; }
  [[nodiscard]] sim::ClusterLoop& loop() { return loop_; }
  [[nodiscard]] sim::ApiServer& server() { return loop_.server(); }
  [[nodiscard]] Facts& facts() { return checker_.facts(); }
  [[nodiscard]] OddStorm& storm() { return storm_; }
  void saw(const std::string& state) { seen_.insert(state); }
  [[nodiscard]] const std::set<std::string>& seen() const { return seen_; }

  void after(Duration delay, std::function<void()> action);
  /// Looks every millisecond for so long, until `look` says that it has seen enough.
  void look(Duration most, std::function<bool()> look);
  /// Is told every commit until it says that it has seen enough, or the scene ends.
  void watch(std::function<bool(const sim::WatchEvent&)> sign);
  void committed(const sim::WatchEvent& event);

  /// A name that no other has, with `what` at its beginning.
  std::string fresh(const std::string& what);
  void create(KubeObject object);
  /// A pod with a GPU of its own claim, which is there already.
  Pod pod(const std::string& name, const std::string& queue = {}, std::int32_t priority = 0);
  /// One that is to have the GPUs of such claims.
  Pod pod_of(const std::string& name, const std::vector<std::string>& claims);
  void claim(const std::string& name, std::int64_t gpus = 1);
  [[nodiscard]] const Pod* find(const std::string& pod);
  [[nodiscard]] bool is_bound(const std::string& pod);
  void remove(Kind kind, const std::string& name);
  /// It goes whoever uses it, as by somebody who takes its finalizers away.
  void tear_out(const std::string& claim);

  /// For pods whose selector names its label `for`.
  void label_node(int node, const std::string& what);
  void cordon(bool on);
  void set_policy(std::shared_ptr<const policy::PolicyConfig> policy);
  void usual_policy_again();
  /// That of the seed, and of its end.
  [[nodiscard]] std::shared_ptr<policy::PolicyConfig> usual_policy() const;
  /// The leader; replicas that are not there lead nothing.
  [[nodiscard]] std::optional<std::size_t> leading();
  void restart(std::size_t replica, Duration delay);

  /// A scene begins; after the last the weather gets fair.
  void begin(bool last) { last_ = last; }
  [[nodiscard]] bool is_last() const { return last_; }
  /// This goes with the scene, too.
  void made(Kind kind, const std::string& name) { made_.emplace_back(kind, name); }
  /// What the scene made stays when it ends.
  void keep() { made_.clear(); }
  /// The end of a scene: all is as usual again.
  void clear();
  /// Nodes and policy are the usual ones, and have been since then.
  [[nodiscard]] bool is_usual_since(Time time) const {
    return !cordoned_ && !other_policy_ && upset_ <= time;
  }

 private:
  const Story& story_;
  sim::ClusterLoop& loop_;
  Checker& checker_;
  OddStorm& storm_;
  Dice dice_;
  int names_ = 0;
  bool cordoned_ = false;
  bool other_policy_ = false;
  bool last_ = false;
  Time upset_{};  ///< when the cluster last differed from the usual one
  std::vector<std::pair<Kind, std::string>> made_;
  std::vector<std::function<bool(const sim::WatchEvent&)>> signs_;
  std::set<std::string> seen_;
};

}  // namespace dray::dst

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/policy/config.h"
#include "dray/sim/api_server.h"
#include "dray/sim/calm_cluster.h"
#include "dray/sim/claim_controller.h"
#include "dray/sim/kube_scheduler.h"
#include "dray/sim/kubelet.h"
#include "sim/network.h"
#include "sim/replica.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"
#include "sim/weather.h"

namespace dray::sim {

struct LoopOptions {
  ApiServerOptions server;
  KubeSchedulerOptions scheduler;
  KubeletOptions kubelet;
  engine::Options engine;
  /// Identities are made.
  engine::LeaseKeeper::Options lease{.lease = {"dray-system", "dray"}, .identity = {}};
  ReplicaWriter::Options writer;
  Duration filter_timeout = std::chrono::seconds(5);
  Duration bind_timeout = std::chrono::seconds(30);
  Time start = Time(std::chrono::hours(24 * 20'000));
  /// Keeps the trace as text, besides its hash.
  bool keep_trace = false;
};

/// A whole cluster in virtual time: API server, claim controller, kubelets, kube-scheduler and
/// replicas of dray, one event after the other by (time, sequence). The same options, weather and
/// calls give the same run: `trace_hash` says so.
class ClusterLoop {
 public:
  ClusterLoop(LoopOptions options, Weather& weather);
  ~ClusterLoop();
  ClusterLoop(const ClusterLoop&) = delete;
  ClusterLoop& operator=(const ClusterLoop&) = delete;

  [[nodiscard]] ApiServer& server() { return server_; }
  [[nodiscard]] const ApiServer& server() const { return server_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const ClaimController& claim_controller() const { return controller_; }
  [[nodiscard]] const KubeScheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] Time now() const { return time_.now(); }

  /// Does something at a time, between the events of the cluster.
  void at(Time time, std::function<void()> action) { time_.at(time, std::move(action)); }
  /// Lets time pass until `end`; false if more than `max_events` happen before.
  bool run_until(Time end, std::uint64_t max_events = UINT64_MAX) {
    return time_.run_until(end, max_events);
  }

  /// How a machine's clock goes.
  struct Clock {
    double rate = 1;
    Duration offset{};
  };
  /// Starts a replica that knows nothing under its old name, after killing the one that runs.
  void start_replica(std::size_t index, Clock clock);
  /// The replica of that index, running or not; null before its first start.
  [[nodiscard]] Replica* replica(std::size_t index);
  [[nodiscard]] std::size_t replicas() const { return replicas_.size(); }
  /// The one that kube-scheduler would call now; null: none listens.
  [[nodiscard]] Replica* leader();
  /// Ends it in the middle of whatever it does; its requests under way still arrive.
  void kill_replica(std::size_t index);

  /// All replicas read another policy file, and those that start from now on.
  void set_policy(std::shared_ptr<const policy::PolicyConfig> policy);
  /// The client is away; with `relist` it must list again: what it watched was compacted.
  void break_watch(Client client, Kind kind, Duration away, bool relist);

  /// Is told every commit of the API server right after it.
  void set_observer(std::function<void(const WatchEvent&)> observer) {
    observers_.commit = std::move(observer);
  }
  /// Is told every answer of dray to a bind call, also those that get lost on the way.
  using BindObserver = std::function<void(const extender::BindRequest&, const std::string& error)>;
  void set_bind_observer(BindObserver observer) { observers_.bind = std::move(observer); }

  /// Is told every step of every replica's engine that decides something; before they start.
  void set_step_observer(std::function<void(const EngineStep&)> observer) {
    observers_.step = std::move(observer);
  }

  /// Adds a line to the trace.
  void note(std::string_view what, const std::string& details);
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_.hash(); }
  [[nodiscard]] const std::vector<std::string>& trace() const { return trace_.lines(); }
  [[nodiscard]] std::uint64_t events() const { return time_.events(); }
  struct Counts {
    std::uint64_t filters = 0;
    std::uint64_t binds = 0;
    std::uint64_t binds_failed = 0;
    std::uint64_t relists = 0;
    std::uint64_t replicas_started = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  /// One client's cache of one kind.
  struct Informer {
    Client client;
    std::size_t replica;  ///< of Client::dray
    Kind kind;
    Watch watch;
    std::map<std::string, std::shared_ptr<const KubeObject>> known;
    Time last_delivery;
    std::uint64_t life = 0;  ///< moves with each (re)list: older messages are void
    bool listed = false;
    bool away = false;
    std::vector<std::function<void()>> when_listed;
  };

  struct Observers {
    std::function<void(const WatchEvent&)> commit;
    BindObserver bind;
    std::function<void(const EngineStep&)> step;
  };

  /// When each part of the cluster wants to be woken.
  struct Alarms {
    Alarm scheduler;
    Alarm controller;
    Alarm kubelet;
  };

  /// dray's replicas, one after the other under each name. Those that ended stay: what is under
  /// way knows them.
  struct Slot {
    std::vector<std::unique_ptr<Replica>> lives;
    bool synced = false;
  };

  // cluster_loop.cpp
  void committed(const WatchEvent& event);
  void step_scheduler(const SchedulerInput& input);
  void carry(const SchedulerCommands& commands);
  void wake_scheduler();
  void wake_controller();
  void wake_kubelet();

  // loop_watches.cpp
  void add_informers(Client client, std::size_t replica, const std::vector<Kind>& kinds);
  void list(Informer& informer);
  void listed(Informer& informer, const ObjectList& list);
  void expect_change(Informer& informer);
  void catch_up(Informer& informer);
  void break_off(Informer& informer, Duration away, bool relist);
  void pump(Informer& informer);
  void tell(Informer& informer, WatchEvent event);

  // loop_replicas.cpp
  void refresh_claims(std::size_t index, std::function<void()> done);
  void sync_when_listed(std::size_t index);
  void call_filter(const CallFilter& call);
  void call_prioritize(const CallPrioritize& call);
  void call_preempt(const CallPreempt& call);
  void call_bind(const CallBind& call);
  template <class Answered, class Call, class Ask>
  void call_replica(const Call& call, Ask ask);

  LoopOptions options_;
  Weather& weather_;
  VirtualTime time_;
  Trace trace_;

  ApiServer server_;
  Network network_;
  ClaimController controller_;
  Kubelet kubelet_;
  KubeScheduler scheduler_;
  std::vector<Slot> replicas_;
  std::shared_ptr<const policy::PolicyConfig> policy_;
  std::vector<std::unique_ptr<Informer>> informers_;
  Alarms alarms_;

  Observers observers_;
  Counts counts_;
};

}  // namespace dray::sim

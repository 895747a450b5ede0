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

#include "dray/alloc/allocator.h"
#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/sim/api_server.h"
#include "dray/sim/claim_controller.h"
#include "dray/sim/kube_scheduler.h"
#include "dray/sim/kubelet.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"

namespace dray::sim {

/// Who watches the API server.
enum class Client : std::uint8_t { engine, scheduler, controller, kubelet };

/// What happens to messages under way. This one is fair: everything arrives, after a millisecond,
/// in order. A fault simulation derives its own.
class Weather {
 public:
  Weather() = default;
  virtual ~Weather() = default;
  Weather(const Weather&) = delete;
  Weather& operator=(const Weather&) = delete;

  enum class Fate : std::uint8_t {
    delivered,
    lost,        ///< never arrives; the sender gets no answer
    unanswered,  ///< takes effect, but the sender gets no answer
  };

  /// Of one change on its way to a watch; changes of one kind stay in order.
  virtual Duration watch_delay(Client /*client*/, Kind /*kind*/) {
    return std::chrono::milliseconds(1);
  }
  /// Of a list: the objects are those of its begin.
  virtual Duration list_delay(Client /*client*/, Kind /*kind*/) {
    return std::chrono::milliseconds(5);
  }
  /// Whether a watch breaks off now instead of telling something; then how long it is away.
  virtual std::optional<Duration> watch_breaks(Client /*client*/, Kind /*kind*/) {
    return std::nullopt;
  }
  /// Of an engine's write on its way, and of its outcome on the way back.
  virtual Duration write_delay() { return std::chrono::milliseconds(1); }
  virtual Fate write_fate(const engine::Write& /*write*/) { return Fate::delivered; }
  /// Of an extender call, and of its answer.
  virtual Duration call_delay() { return std::chrono::microseconds(300); }
  virtual Fate call_fate() { return Fate::delivered; }
  virtual Duration plan_delay() { return std::chrono::milliseconds(2); }
};

struct LoopOptions {
  ApiServerOptions server;
  KubeSchedulerOptions scheduler;
  KubeletOptions kubelet;
  engine::Options engine;
  Duration filter_timeout = std::chrono::seconds(5);
  Duration bind_timeout = std::chrono::seconds(30);
  /// How long an unanswered write is waited for.
  Duration write_timeout = std::chrono::seconds(2);
  Time start = Time(std::chrono::hours(24 * 20'000));
  /// Keeps the trace as text, besides its hash.
  bool keep_trace = false;
};

/// A whole cluster in virtual time: API server, claim controller, kubelets, kube-scheduler and an
/// engine, one event after the other by (time, sequence). The same options, weather and calls give
/// the same run: `trace_hash` says so.
class ClusterLoop {
 public:
  ClusterLoop(LoopOptions options, Weather& weather);
  ~ClusterLoop();
  ClusterLoop(const ClusterLoop&) = delete;
  ClusterLoop& operator=(const ClusterLoop&) = delete;

  [[nodiscard]] ApiServer& server() { return server_; }
  [[nodiscard]] const ApiServer& server() const { return server_; }
  [[nodiscard]] const ClaimController& claim_controller() const { return controller_; }
  [[nodiscard]] const KubeScheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] Time now() const { return time_.now(); }

  /// Does something at a time, between the events of the cluster.
  void at(Time time, std::function<void()> action) { time_.at(time, std::move(action)); }
  /// Lets time pass until `end`; false if more than `max_events` happen before.
  bool run_until(Time end, std::uint64_t max_events = UINT64_MAX) {
    return time_.run_until(end, max_events);
  }

  /// Starts a new engine, which knows nothing: it lists, is synced, then leads the next epoch.
  void start_engine();
  /// Ends the engine in the middle of whatever it does; its requests under way still arrive.
  void crash_engine();
  /// Null while none runs.
  [[nodiscard]] engine::Engine* engine() { return process_.engine.get(); }
  /// The client must list again: what it watched was compacted.
  void break_watch(Client client, Kind kind, Duration away, bool relist);

  /// Is told every commit of the API server right after it.
  void set_observer(std::function<void(const WatchEvent&)> observer) {
    observer_ = std::move(observer);
  }

  /// Is told every answer of the engine to a bind call, also those that get lost on the way.
  using BindObserver = std::function<void(const extender::BindRequest&, const std::string& error)>;
  void set_bind_observer(BindObserver observer) { bind_observer_ = std::move(observer); }

  [[nodiscard]] std::uint64_t trace_hash() const { return trace_.hash(); }
  [[nodiscard]] const std::vector<std::string>& trace() const { return trace_.lines(); }
  [[nodiscard]] std::uint64_t events() const { return time_.events(); }
  struct Counts {
    std::uint64_t filters = 0;
    std::uint64_t binds = 0;
    std::uint64_t binds_failed = 0;
    std::uint64_t binds_timed_out = 0;
    std::uint64_t writes = 0;
    std::uint64_t relists = 0;
    std::uint64_t engines_started = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  /// One client's cache of one kind.
  struct Informer {
    Client client;
    Kind kind;
    Watch watch;
    std::map<std::string, std::shared_ptr<const KubeObject>> known;
    Time last_delivery;
    std::uint64_t life = 0;  ///< moves with each (re)list: older messages are void
    bool listed = false;
    bool away = false;
  };

  /// Dray's own process: one engine after the other, and what is open with the one that runs.
  struct Process {
    struct OpenBind {
      extender::BindRequest request;
      std::optional<CallId> call;  ///< nothing: the answer will get lost
    };
    std::unique_ptr<engine::Engine> engine;  ///< null while none runs
    std::uint64_t life = 0;                  ///< moves with each start and end
    std::int32_t epoch = 0;
    std::uint64_t requests_made = 0;
    std::map<engine::RequestId, OpenBind> open_binds;
    planner::Planner planner;  ///< the worker's
  };

  /// When each part of the cluster wants to be woken.
  struct Alarms {
    Alarm scheduler;
    Alarm controller;
    Alarm kubelet;
    Alarm engine;
  };

  // cluster_loop.cpp
  void note(std::string_view what, const std::string& details);
  void committed(const WatchEvent& event);
  void step_scheduler(const SchedulerInput& input);
  void carry(const SchedulerCommands& commands);
  void wake_scheduler();
  void wake_controller();
  void wake_kubelet();

  // loop_watches.cpp
  void add_informers(Client client, const std::vector<Kind>& kinds);
  void list(Informer& informer);
  void listed(Informer& informer, const ObjectList& list);
  void expect_change(Informer& informer);
  void catch_up(Informer& informer);
  void pump(Informer& informer);
  void tell(Informer& informer, WatchEvent event);
  void engine_listed();

  // loop_engine.cpp
  void call_filter(const CallFilter& call);
  void call_prioritize(const CallPrioritize& call);
  void call_preempt(const CallPreempt& call);
  void call_bind(const CallBind& call);
  template <class Answered, class Call, class Ask>
  void call_engine(const Call& call, Duration timeout, Ask ask);
  void carry_effects(engine::Effects effects);
  void send_write(const engine::SendWrite& send);
  void answer_bind(const engine::AnswerBind& answer);
  void make_plan(const engine::WantPlan& want);
  void apply(const engine::Event& event);
  void wake_engine();

  LoopOptions options_;
  Weather& weather_;
  VirtualTime time_;

  ApiServer server_;
  ClaimController controller_;
  Kubelet kubelet_;
  KubeScheduler scheduler_;
  Process process_;
  std::vector<std::unique_ptr<Informer>> informers_;
  Alarms alarms_;

  std::function<void(const WatchEvent&)> observer_;
  BindObserver bind_observer_;
  Trace trace_;
  Counts counts_;
};

}  // namespace dray::sim

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/engine/lease.h"
#include "dray/planner/plan.h"
#include "dray/sim/calm_cluster.h"
#include "dray/sim/kube_scheduler.h"
#include "sim/network.h"
#include "sim/process.h"
#include "sim/replica_writer.h"

namespace dray::sim {

/// service::Leadership in virtual time: carries a LeaseKeeper's commands, keeps the fence by its
/// word, and tells when leadership is won and lost.
class ReplicaLeadership {
 public:
  using Told = std::function<void(engine::LeadershipChanged)>;

  ReplicaLeadership(engine::LeaseKeeper::Options options, Process& process, Network& network,
                    std::size_t replica, Told told);

  void start() { run(); }
  /// Stops, waits for what is under way, and gives the Lease back.
  void release();
  /// Whether a write may be sent now.
  [[nodiscard]] bool fence_open() const { return process_.now() < open_until_; }

 private:
  static constexpr Duration deadline = std::chrono::seconds(3);

  void run();
  void carry(engine::LeaseKeeper::Commands commands);
  void tell();

  Process& process_;
  Network& network_;
  std::size_t replica_;
  Told told_;
  engine::LeaseKeeper keeper_;
  ProcessTimer timer_;
  Time open_until_ = Time::min();
  bool leading_ = false;
  bool stopping_ = false;
  bool released_ = false;
  bool busy_ = false;
};

/// What a replica is made with.
struct ReplicaOptions {
  engine::Options engine;
  engine::LeaseKeeper::Options lease;
  ReplicaWriter::Options writer;
  double clock_rate = 1;
  Duration clock_offset{};
};

/// One dray: the parts of service::Service, put together as there, on the clock of its process.
/// Only a leader listens; losing the Lease cuts every connection and drops what is queued.
class Replica {
 public:
  using BindAnswer = std::function<void(const Result<extender::BindResponse>&)>;
  /// What it works with; references outlive it.
  struct Parts {
    VirtualTime& time;
    Network& network;
    Weather& weather;
    Trace& trace;
    std::size_t index = 0;
    /// Lists the claims anew, and says when the engine has been told.
    std::function<void(std::function<void()>)> refresh_claims;
    /// Every answer to a bind call, also where nobody hears it.
    std::function<void(const extender::BindRequest&, const std::string&)> on_bind_answer;
    std::function<void(const EngineStep&)> on_step;  ///< null: nobody records
  };

  Replica(ReplicaOptions options, Parts parts);

  /// Begins to read the Lease.
  void start() { leadership_.start(); }
  /// As on SIGTERM: takes no more calls, waits for the writes under way, gives the Lease back.
  void drain();
  /// It is gone, in the middle of whatever it does; requests under way still arrive.
  void kill();
  [[nodiscard]] Process& process() { return process_; }

  /// What it watches.
  void tell(engine::Event event);

  /// Whether connections are accepted.
  [[nodiscard]] bool listens() const { return listening_ && !process_.ended(); }
  /// Calls of the extender; answered when its process runs.
  template <class Answer>
  void ask(Answer answer) {
    process_.run(Process::Thread::engine,
                 [this, answer = std::move(answer)] { answer(engine_, process_.now()); });
  }
  /// Carries out what a filter call made the engine ask for.
  void filtered(const extender::FilterRequest& request, engine::Engine::FilterAnswer& answer,
                Time local);
  void bind(const extender::BindRequest& request, BindAnswer answer);

  [[nodiscard]] const engine::Engine& engine() const { return engine_; }
  /// Leads, as far as its engine knows.
  [[nodiscard]] bool leads() const { return leading_epoch_ != 0 && !process_.ended(); }
  [[nodiscard]] engine::Outbox::Status outbox() const { return writer_.status(); }

 private:
  struct OpenBind {
    extender::BindRequest request;
    BindAnswer answer;
  };

  void apply(const engine::Event& event);
  void carry(const EngineStep::Input& input, Time at, engine::Effects effects);
  void leadership_changed(engine::LeadershipChanged change);
  void take_over(engine::LeadershipChanged change);
  void stop_serving();
  void give_lease_back();
  void wake();
  void send(engine::SendWrite send);
  void make_plan(const engine::WantPlan& want);
  void answer_bind(const engine::AnswerBind& answer);
  void note(std::string_view what, const std::string& details);

  Parts parts_;
  std::string identity_;
  Process process_;
  ReplicaLeadership leadership_;
  ReplicaWriter writer_;
  planner::Planner planner_;  ///< the worker's
  engine::Engine engine_;
  ProcessTimer timer_;
  std::optional<Time> timer_at_;
  std::map<engine::RequestId, OpenBind> open_binds_;
  std::uint64_t requests_made_ = 0;
  std::int32_t leading_epoch_ = 0;  ///< 0: another leads
  bool listening_ = false;
  bool finishing_ = false;
  std::size_t writes_under_way_ = 0;
};

}  // namespace dray::sim

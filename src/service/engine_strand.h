#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dray/engine/engine.h"
#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "net/async_event.h"
#include "service/clock.h"
#include "service/fence.h"
#include "service/plan_worker.h"
#include "service/record/recorder.h"
#include "service/request_queue.h"

namespace dray::service {

class Tracer;

/// The engine on its strand, and the hands that carry its effects: writes go to the cluster and
/// come back as events, plans are made on a thread of their own, bind calls wait for their answer.
/// All public functions may be called from any thread.
///
/// A broken invariant (DRAY_CHECK, or an exception that leaves the engine or the planner) is the
/// end of the engine: the fence is shut, the effects of that step are dropped, nothing steps the
/// engine again; calls of kube-scheduler are answered with the fault, status() with what was last
/// seen.
class EngineStrand {
 public:
  /// What it works with; references outlive it.
  struct Parts {
    kube::ClusterApi& api;
    const Clock& clock;
    Fence& fence;
    metrics::Metrics& metrics;
    PlanWorker::MakePlan make_plan;
    /// Told once, on the strand, after the fence was shut: which invariant broke.
    std::function<void(const std::string&)> on_broken;
    std::string identity = {};  ///< in the Lease; empty: there is none
    Tracer* tracer = nullptr;   ///< null: nobody wants spans
  };

  EngineStrand(boost::asio::io_context& io, engine::Options options, Parts parts);
  EngineStrand(const EngineStrand&) = delete;
  EngineStrand& operator=(const EngineStrand&) = delete;

  /// From now on every step is noted there; to be called before the first one.
  void record_to(std::unique_ptr<Recorder> recorder) { recorder_ = std::move(recorder); }
  /// Writes what is still to be noted. No thread runs steps any more.
  void end_recording() { recorder_.reset(); }

  boost::asio::awaitable<extender::FilterResponse> filter(
      std::shared_ptr<const extender::FilterRequest> request);
  boost::asio::awaitable<extender::PrioritizeResponse> prioritize(extender::FilterRequest request);
  boost::asio::awaitable<extender::PreemptResponse> preempt(extender::PreemptRequest request);
  /// Answers when the engine does, which may take as long as the API server does. `turn` is let go
  /// once the engine knows of the request.
  boost::asio::awaitable<extender::BindResponse> bind(extender::BindRequest request,
                                                      RequestQueue::Turn turn = nullptr);
  /// Counts pods in short steps: what comes between them is seen by some and not by others.
  boost::asio::awaitable<engine::Engine::Status> status();
  /// Its figures() alone, in one step.
  boost::asio::awaitable<engine::Engine::Status> figures();
  /// The cluster as the engine sees it; null after a broken invariant.
  boost::asio::awaitable<std::shared_ptr<const cluster::Snapshot>> snapshot();
  /// Nothing where nothing is recorded.
  [[nodiscard]] std::optional<Recorder::Figures> recording() const;
  boost::asio::awaitable<std::optional<engine::Engine::PodView>> pod(PodKey key);
  /// Runs `look`, which decides nothing, in a step of its own that is not recorded. False: it did
  /// not run, or not to its end, since the engine is broken.
  using Look = std::function<void(engine::Engine&, Time)>;
  boost::asio::awaitable<bool> look(Look look);

  /// From now on no write is begun. True when none is under way any more, false if some still are
  /// `at_most` later.
  boost::asio::awaitable<bool> finish_writes(std::chrono::milliseconds at_most);
  /// The same, while others may be begun: for when the fence holds these back.
  boost::asio::awaitable<bool> writes_ended(std::chrono::milliseconds at_most);

  void post(engine::Event event);
  /// The same if `holds` says so when its turn has come.
  void post_if(engine::Event event, std::function<bool()> holds);
  /// Any other step of the engine, which is not recorded; `cause` (a literal) names it in the
  /// metrics.
  using Step = std::function<engine::Effects(engine::Engine&, Time)>;
  void post(std::string_view cause, Step step);

 private:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  struct PendingBind {
    explicit PendingBind(const Strand& strand) : answered(strand) {}

    net::AsyncEvent answered;
    std::string error;
  };

  boost::asio::awaitable<extender::FilterResponse> filter_here(
      std::shared_ptr<const extender::FilterRequest> request);
  boost::asio::awaitable<extender::PrioritizeResponse> prioritize_here(
      extender::FilterRequest request);
  boost::asio::awaitable<extender::PreemptResponse> preempt_here(extender::PreemptRequest request);
  boost::asio::awaitable<extender::BindResponse> bind_here(extender::BindRequest request,
                                                           RequestQueue::Turn turn);
  boost::asio::awaitable<engine::Engine::Status> status_here();
  boost::asio::awaitable<engine::Engine::Status> figures_here();
  boost::asio::awaitable<std::shared_ptr<const cluster::Snapshot>> snapshot_here();
  boost::asio::awaitable<std::optional<engine::Engine::PodView>> pod_here(PodKey key);
  boost::asio::awaitable<bool> look_here(Look look);
  boost::asio::awaitable<bool> writes_ended_here(std::chrono::milliseconds at_most);
  boost::asio::awaitable<void> write(engine::SendWrite command);
  template <class Work>
  bool step(std::string_view cause, Work&& work);
  template <class Work>
  bool unless_broken(Work&& work);
  [[nodiscard]] engine::Effects apply(const engine::Event& event, Time now);
  void record(Time now, RecordInput input, const engine::Effects& effects,
              std::optional<extender::FilterResponse> answer = {});
  void break_down(const std::string& what);
  void carry(engine::Effects effects);
  void carry(engine::SendWrite effect);
  void carry(const engine::AnswerBind& effect);
  void carry(engine::WantPlan effect);
  void arm_timer(std::optional<Time> next);
  void on_timer(const boost::system::error_code& error);

  // Fixed after construction.
  boost::asio::io_context& io_;
  Parts parts_;
  Strand strand_;
  std::unique_ptr<Recorder> recorder_;  ///< null: nothing is recorded
  // Owned by the strand.
  engine::Engine engine_;
  boost::asio::steady_timer timer_;
  std::optional<Time> timer_at_;
  std::map<engine::RequestId, std::shared_ptr<PendingBind>> binds_;
  std::uint64_t next_request_ = 1;
  engine::Engine::Status last_status_;  ///< as last asked for
  bool broken_ = false;
  bool finishing_ = false;
  std::size_t under_way_ = 0;   ///< writes
  net::AsyncEvent last_write_;  ///< notified when none is under way
  // Any thread; the last, so that it has ended before what its plans come back to is gone.
  PlanWorker plans_;
};

}  // namespace dray::service

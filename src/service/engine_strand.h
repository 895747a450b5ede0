#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <map>
#include <memory>
#include <string>

#include "dray/alloc/allocator.h"
#include "dray/engine/engine.h"
#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "service/clock.h"
#include "service/fence.h"

namespace dray::service {

/// The engine on its strand, and the hands that carry its effects: writes go to the cluster and
/// come back as events, plans are made on a thread of their own, bind calls wait for their answer.
/// All public functions may be called from any thread.
class EngineStrand {
 public:
  EngineStrand(boost::asio::io_context& io, engine::Options options, kube::ClusterApi& api,
               const Clock& clock, const Fence& fence, metrics::Metrics& metrics);
  ~EngineStrand();
  EngineStrand(const EngineStrand&) = delete;
  EngineStrand& operator=(const EngineStrand&) = delete;

  boost::asio::awaitable<extender::FilterResponse> filter(
      std::shared_ptr<const extender::FilterRequest> request);
  boost::asio::awaitable<extender::PrioritizeResponse> prioritize(extender::FilterRequest request);
  boost::asio::awaitable<extender::PreemptResponse> preempt(extender::PreemptRequest request);
  /// Answers when the engine does, which may take as long as the API server does.
  boost::asio::awaitable<extender::BindResponse> bind(extender::BindRequest request);
  boost::asio::awaitable<engine::Engine::Status> status();
  boost::asio::awaitable<std::optional<engine::Engine::PodView>> pod(PodKey key);

  void post(engine::Event event);

 private:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  struct PendingBind {
    boost::asio::steady_timer answered;
    std::string error;
  };

  boost::asio::awaitable<extender::FilterResponse> filter_here(
      std::shared_ptr<const extender::FilterRequest> request);
  boost::asio::awaitable<extender::PrioritizeResponse> prioritize_here(
      extender::FilterRequest request);
  boost::asio::awaitable<extender::PreemptResponse> preempt_here(extender::PreemptRequest request);
  boost::asio::awaitable<extender::BindResponse> bind_here(extender::BindRequest request);
  boost::asio::awaitable<engine::Engine::Status> status_here();
  boost::asio::awaitable<std::optional<engine::Engine::PodView>> pod_here(PodKey key);
  boost::asio::awaitable<void> write(engine::SendWrite command);
  void make_plan(const engine::WantPlan& want);
  void apply(const engine::Event& event);
  void carry(engine::Effects effects);
  void carry(engine::SendWrite effect);
  void carry(const engine::AnswerBind& effect);
  void carry(engine::WantPlan effect);
  void arm_timer();
  void on_timer(const boost::system::error_code& error);

  // Fixed after construction.
  boost::asio::io_context& io_;
  kube::ClusterApi& api_;
  const Clock& clock_;
  const Fence& fence_;
  metrics::Metrics& metrics_;
  Strand strand_;
  // Owned by the strand.
  engine::Engine engine_;
  boost::asio::steady_timer timer_;
  std::optional<Time> timer_at_;
  std::map<engine::RequestId, std::shared_ptr<PendingBind>> binds_;
  std::uint64_t next_request_ = 1;
  // Owned by the planner's thread.
  planner::Planner planner_;
  boost::asio::thread_pool planner_thread_;
};

}  // namespace dray::service

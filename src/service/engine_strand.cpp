#include "service/engine_strand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string_view>
#include <utility>

#include "service/log.h"

namespace dray::service {

namespace asio = boost::asio;

namespace {

/// Observes how long a step kept the strand.
class StepTimer {
 public:
  StepTimer(metrics::Metrics& metrics, std::string_view cause) : metrics_(metrics), cause_(cause) {}
  ~StepTimer() { metrics_.engine_step(cause_, std::chrono::steady_clock::now() - start_); }
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

 private:
  metrics::Metrics& metrics_;
  std::string_view cause_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void log_filter(const extender::FilterRequest& request, const extender::FilterResponse& answer) {
  if (!logs(4)) return;
  const auto pod = request.pod.key().to_string();
  if (!answer.error.empty()) return log_info(4, fmt::format("filter {}: {}", pod, answer.error));
  if (!answer.node_names.empty()) {
    return log_info(4, fmt::format("filter {}: {}{}", pod, answer.node_names.front().get(),
                                   answer.node_names.size() > 1 ? " and others" : ""));
  }
  for (const auto* refusals : {&answer.failed, &answer.failed_unresolvable}) {
    for (const auto& [reason, nodes] : *refusals) {
      log_info(4, fmt::format("filter {}: {} nodes refused: {}", pod, nodes.size(), reason));
    }
  }
}

void log_write(const engine::Write& write, const engine::WriteOutcome& outcome) {
  if (!outcome) {
    log_info(2, fmt::format("{} {}: {}", engine::name(write), engine::subject(write),
                            outcome.error().message));
  } else if (logs(4)) {
    log_info(4, fmt::format("{} {}: done", engine::name(write), engine::subject(write)));
  }
}

void log_bind(const extender::BindRequest& request, const std::string& error) {
  log_info(2, error.empty()
                  ? fmt::format("bound {} to {}", request.pod.to_string(), request.node.get())
                  : fmt::format("bind {} to {}: {}", request.pod.to_string(), request.node.get(),
                                error));
}

void log_plan(const planner::Plan& plan, std::chrono::steady_clock::duration took) {
  if (!logs(4)) return;
  const auto placed = std::ranges::count_if(
      plan.jobs, [](const planner::JobOutcome& job) { return !job.placements.empty(); });
  log_info(4, fmt::format("plan: {} of {} jobs placed, {} nodes tried, {} us", placed,
                          plan.jobs.size(), plan.nodes_tried,
                          std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
}

std::string_view cause(const engine::Event& event) {
  static constexpr std::array<std::string_view, std::variant_size_v<engine::Event>> names{
      "changed", "gone", "synced", "written", "leadership", "planned", "policy"};
  return names[event.index()];
}

}  // namespace

EngineStrand::EngineStrand(asio::io_context& io, engine::Options options, kube::ClusterApi& api,
                           const Clock& clock, const Fence& fence, metrics::Metrics& metrics)
    : io_(io),
      api_(api),
      clock_(clock),
      fence_(fence),
      metrics_(metrics),
      strand_(asio::make_strand(io)),
      engine_(options),
      timer_(strand_),
      planner_(engine::allocator_options(options, 1)),
      planner_thread_(1) {}

EngineStrand::~EngineStrand() {
  planner_thread_.join();
}

asio::awaitable<extender::FilterResponse> EngineStrand::filter(
    std::shared_ptr<const extender::FilterRequest> request) {
  co_return co_await asio::co_spawn(strand_, filter_here(std::move(request)), asio::use_awaitable);
}
asio::awaitable<extender::FilterResponse> EngineStrand::filter_here(
    std::shared_ptr<const extender::FilterRequest> request) {
  const StepTimer timer(metrics_, "filter");
  auto answer = engine_.filter(*request, clock_.now());
  carry(std::move(answer.effects));
  log_filter(*request, answer.response);
  co_return std::move(answer.response);
}

asio::awaitable<extender::PrioritizeResponse> EngineStrand::prioritize(
    extender::FilterRequest request) {
  co_return co_await asio::co_spawn(strand_, prioritize_here(std::move(request)),
                                    asio::use_awaitable);
}
asio::awaitable<extender::PrioritizeResponse> EngineStrand::prioritize_here(
    extender::FilterRequest request) {
  co_return engine_.prioritize(request, clock_.now());
}

asio::awaitable<extender::PreemptResponse> EngineStrand::preempt(extender::PreemptRequest request) {
  co_return co_await asio::co_spawn(strand_, preempt_here(std::move(request)), asio::use_awaitable);
}
asio::awaitable<extender::PreemptResponse> EngineStrand::preempt_here(
    extender::PreemptRequest request) {
  co_return engine_.preempt(request, clock_.now());
}

asio::awaitable<extender::BindResponse> EngineStrand::bind(extender::BindRequest request) {
  co_return co_await asio::co_spawn(strand_, bind_here(std::move(request)), asio::use_awaitable);
}
asio::awaitable<extender::BindResponse> EngineStrand::bind_here(extender::BindRequest request) {
  const engine::RequestId id(next_request_++);
  auto pending = std::make_shared<PendingBind>(PendingBind{asio::steady_timer(strand_), {}});
  pending->answered.expires_at(asio::steady_timer::time_point::max());
  binds_.emplace(id, pending);
  {
    const StepTimer timer(metrics_, "bind");
    carry(engine_.bind(id, request, clock_.now()));
  }
  // carry() may have answered already, and taken the entry out.
  if (binds_.contains(id)) {
    boost::system::error_code cancelled;
    co_await pending->answered.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  log_bind(request, pending->error);
  co_return extender::BindResponse{std::move(pending->error)};
}

asio::awaitable<engine::Engine::Status> EngineStrand::status() {
  co_return co_await asio::co_spawn(strand_, status_here(), asio::use_awaitable);
}
asio::awaitable<engine::Engine::Status> EngineStrand::status_here() {
  co_return engine_.status();
}

asio::awaitable<std::optional<engine::Engine::PodView>> EngineStrand::pod(PodKey key) {
  co_return co_await asio::co_spawn(strand_, pod_here(std::move(key)), asio::use_awaitable);
}
asio::awaitable<std::optional<engine::Engine::PodView>> EngineStrand::pod_here(PodKey key) {
  co_return engine_.pod(key);
}

void EngineStrand::post(engine::Event event) {
  asio::post(strand_, [this, event = std::move(event)] { apply(event); });
}

void EngineStrand::apply(const engine::Event& event) {
  const StepTimer timer(metrics_, cause(event));
  carry(engine_.apply(event, clock_.now()));
}

void EngineStrand::carry(engine::Effects effects) {
  for (auto& effect : effects) {
    std::visit([this](auto& each) { carry(std::move(each)); }, effect);
  }
  arm_timer();
}

void EngineStrand::carry(engine::SendWrite effect) {
  asio::co_spawn(io_, write(std::move(effect)), asio::detached);
}

asio::awaitable<void> EngineStrand::write(engine::SendWrite command) {
  engine::WriteOutcome outcome = fail(ErrorCode::unavailable, "leadership is lost");
  const auto kind = engine::name(command.write);
  const auto start = std::chrono::steady_clock::now();
  auto write = command.write;
  if (fence_.open(clock_.now())) outcome = co_await api_.write(std::move(write));
  log_write(command.write, outcome);
  metrics_.write(kind, outcome ? "ok" : name(outcome.error().code),
                 std::chrono::steady_clock::now() - start);
  post(engine::WriteDone{command.id, std::move(outcome)});
}

void EngineStrand::carry(const engine::AnswerBind& effect) {
  const auto pending = binds_.extract(effect.request);
  if (pending.empty()) return;
  pending.mapped()->error = effect.error;
  pending.mapped()->answered.cancel();
}

void EngineStrand::carry(engine::WantPlan effect) {
  asio::post(planner_thread_, [this, effect = std::move(effect)] { make_plan(effect); });
}

void EngineStrand::make_plan(const engine::WantPlan& want) {
  const auto start = std::chrono::steady_clock::now();
  auto plan = planner_.plan(*want.input);
  const auto took = std::chrono::steady_clock::now() - start;
  metrics_.plan(plan.jobs.size(), plan.nodes_tried, took);
  log_plan(plan, took);
  post(engine::Planned{want.generation, std::move(plan)});
}

void EngineStrand::arm_timer() {
  const auto next = engine_.next_tick();
  if (next == timer_at_) return;
  timer_at_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(clock_.steady(*next));
  timer_.async_wait([this](const boost::system::error_code& error) { on_timer(error); });
}

void EngineStrand::on_timer(const boost::system::error_code& error) {
  if (error) return;
  timer_at_.reset();
  carry(engine_.tick(clock_.now()));
}

}  // namespace dray::service

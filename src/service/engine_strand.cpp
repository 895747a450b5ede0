#include "service/engine_strand.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include "dray/base/check.h"
#include "dray/engine/lease.h"
#include "service/log.h"
#include "service/tracer.h"
#include "service/write_line.h"

namespace dray::service {

namespace asio = boost::asio;

namespace {

/// Pods counted in one step of status().
constexpr std::size_t pods_a_look = 1024;

/// What kube-scheduler is told after a broken invariant.
constexpr auto stopped = "dray has stopped: it found a fault of its own";

/// What comes of a write that the engine wants after the last ones.
constexpr auto ending = "dray is ending";

void log_filter(const extender::FilterRequest& request, const extender::FilterResponse& answer) {
  if (!logs(4)) return;
  const auto pod = request.pod.key().to_string();
  const LogFields fields{{"pod", pod}};
  if (!answer.error.empty()) {
    return log_info(4, fmt::format("filter {}: {}", pod, answer.error), fields);
  }
  if (!answer.node_names.empty()) {
    const auto& node = answer.node_names.front().get();
    return log_info(4,
                    fmt::format("filter {}: {}{}", pod, node,
                                answer.node_names.size() > 1 ? " and others" : ""),
                    {{"pod", pod}, {"node", node}});
  }
  if (answer.all_unresolvable) {
    log_info(4, fmt::format("filter {}: all nodes refused: {}", pod, *answer.all_unresolvable),
             fields);
  }
  for (const auto* refusals : {&answer.failed, &answer.failed_unresolvable}) {
    for (const auto& [reason, nodes] : *refusals) {
      log_info(4, fmt::format("filter {}: {} nodes refused: {}", pod, nodes.size(), reason),
               fields);
    }
  }
}

void log_write(const engine::Write& write, const engine::WriteOutcome& outcome,
               const std::string& trace) {
  if (outcome && !logs(2)) return;
  auto line = line_of(write, outcome);
  if (!trace.empty()) line.fields.emplace_back("trace", trace);
  if (line.warning) return log_warning(line.message, line.fields);
  log_info(line.verbosity, line.message, line.fields);
}

void log_bind(const extender::BindRequest& request, const std::string& error, Tracer* tracer) {
  if (!logs(2)) return;
  const auto pod = request.pod.to_string();
  const auto& node = request.node.get();
  LogFields fields{{"pod", pod}, {"node", node}};
  if (tracer != nullptr) add_trace(fields, *tracer, request.uid);
  log_info(2,
           error.empty() ? fmt::format("bound {} to {}", pod, node)
                         : fmt::format("bind {} to {}: {}", pod, node, error),
           fields);
}

std::string_view cause(const engine::Event& event) {
  static constexpr std::array<std::string_view, std::variant_size_v<engine::Event>> names{
      "changed", "gone", "unreadable", "synced", "written", "leadership", "planned", "policy"};
  return names[event.index()];
}

}  // namespace

EngineStrand::EngineStrand(asio::io_context& io, engine::Options options, Parts parts)
    : io_(io),
      parts_(std::move(parts)),
      strand_(asio::make_strand(io)),
      engine_(std::move(options)),
      timer_(strand_),
      last_write_(strand_),
      plans_(std::move(parts_.make_plan), {parts_.metrics, parts_.tracer},
             {[this](engine::Planned planned) { post(std::move(planned)); },
              [this](std::string what) {
                asio::post(strand_, [this, what = std::move(what)] { break_down(what); });
              }}) {}

/// Runs `work` on the engine; false if it is broken, or breaks now.
template <class Work>
bool EngineStrand::unless_broken(Work&& work) {
  if (broken_) return false;
  if (const auto broken = run_checked(std::forward<Work>(work))) break_down(broken->text);
  return !broken_;
}

/// A step of the engine: `work` gives its effects, which are carried out only if it ends well.
template <class Work>
bool EngineStrand::step(std::string_view cause, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  engine::Effects effects;
  std::optional<Time> next;
  const bool ended_well = unless_broken([&] {
    effects = work(parts_.clock.now());
    next = engine_.next_tick();
  });
  if (!ended_well) return false;
  carry(std::move(effects));
  arm_timer(next);
  parts_.metrics.observe("dray_engine_step_duration_seconds", {cause},
                         std::chrono::steady_clock::now() - start);
  return true;
}

/// Whoever waits for an answer gets one, but nothing that the engine had in mind is done.
void EngineStrand::break_down(const std::string& what) {
  if (std::exchange(broken_, true)) return;
  parts_.fence.shut();
  timer_.cancel();
  for (const auto& [id, pending] : std::exchange(binds_, {})) {
    pending->error = stopped;
    pending->answered.notify_all();
  }
  last_status_.leading = false;
  parts_.metrics.count("dray_broken_invariants_total");
  log_error("broken invariant: " + what);
  if (parts_.on_broken) parts_.on_broken(what);
}

asio::awaitable<extender::FilterResponse> EngineStrand::filter(
    std::shared_ptr<const extender::FilterRequest> request) {
  co_return co_await asio::co_spawn(strand_, filter_here(std::move(request)), asio::use_awaitable);
}
asio::awaitable<extender::FilterResponse> EngineStrand::filter_here(
    std::shared_ptr<const extender::FilterRequest> request) {
  extender::FilterResponse response;
  const bool answered = step("filter", [&](Time now) {
    auto answer = engine_.filter(*request, now);
    response = std::move(answer.response);
    record(now, FilterInput{request}, answer.effects, response);
    return std::move(answer.effects);
  });
  if (!answered) response.error = stopped;
  log_filter(*request, response);
  co_return response;
}

asio::awaitable<extender::PrioritizeResponse> EngineStrand::prioritize(
    extender::FilterRequest request) {
  co_return co_await asio::co_spawn(strand_, prioritize_here(std::move(request)),
                                    asio::use_awaitable);
}
asio::awaitable<extender::PrioritizeResponse> EngineStrand::prioritize_here(
    extender::FilterRequest request) {
  extender::PrioritizeResponse response;
  unless_broken([&] { response = engine_.prioritize(request, parts_.clock.now()); });
  co_return response;
}

asio::awaitable<extender::PreemptResponse> EngineStrand::preempt(extender::PreemptRequest request) {
  co_return co_await asio::co_spawn(strand_, preempt_here(std::move(request)), asio::use_awaitable);
}
asio::awaitable<extender::PreemptResponse> EngineStrand::preempt_here(
    extender::PreemptRequest request) {
  extender::PreemptResponse response;
  unless_broken([&] { response = engine_.preempt(request, parts_.clock.now()); });
  co_return response;
}

asio::awaitable<extender::BindResponse> EngineStrand::bind(extender::BindRequest request,
                                                           RequestQueue::Turn turn) {
  co_return co_await asio::co_spawn(strand_, bind_here(std::move(request), std::move(turn)),
                                    asio::use_awaitable);
}
asio::awaitable<extender::BindResponse> EngineStrand::bind_here(extender::BindRequest request,
                                                                RequestQueue::Turn turn) {
  if (broken_) co_return extender::BindResponse{stopped};
  const engine::RequestId id(next_request_++);
  auto pending = std::make_shared<PendingBind>(strand_);
  binds_.emplace(id, pending);
  step("bind", [&](Time now) {
    auto effects = engine_.bind(id, request, now);
    record(now, BindInput{id, request}, effects);
    return effects;
  });
  turn.reset();
  // The step may have answered already, or broken: the entry is out then.
  while (binds_.contains(id)) co_await pending->answered.wait();
  log_bind(request, pending->error, parts_.tracer);
  co_return extender::BindResponse{std::move(pending->error)};
}

asio::awaitable<engine::Engine::Status> EngineStrand::status() {
  co_return co_await asio::co_spawn(strand_, status_here(), asio::use_awaitable);
}
asio::awaitable<engine::Engine::Status> EngineStrand::status_here() {
  engine::Engine::Status status;
  std::optional<Uid> last;
  bool more = unless_broken([&] { status = engine_.figures(); });
  while (more) {
    co_await asio::post(strand_, asio::use_awaitable);
    more = unless_broken([&] { last = engine_.count_pods(last, pods_a_look, status); }) && last;
  }
  if (!broken_) last_status_ = std::move(status);
  co_return last_status_;
}

asio::awaitable<engine::Engine::Status> EngineStrand::figures() {
  co_return co_await asio::co_spawn(strand_, figures_here(), asio::use_awaitable);
}
asio::awaitable<engine::Engine::Status> EngineStrand::figures_here() {
  auto status = last_status_;
  unless_broken([&] { status = engine_.figures(); });
  co_return status;
}

asio::awaitable<std::shared_ptr<const cluster::Snapshot>> EngineStrand::snapshot() {
  co_return co_await asio::co_spawn(strand_, snapshot_here(), asio::use_awaitable);
}
asio::awaitable<std::shared_ptr<const cluster::Snapshot>> EngineStrand::snapshot_here() {
  std::shared_ptr<const cluster::Snapshot> made;
  unless_broken([&] { made = engine_.snapshot(); });
  co_return made;
}

std::optional<Recorder::Figures> EngineStrand::recording() const {
  if (recorder_ == nullptr) return std::nullopt;
  return recorder_->figures();
}

asio::awaitable<std::optional<engine::Engine::PodView>> EngineStrand::pod(PodKey key) {
  co_return co_await asio::co_spawn(strand_, pod_here(std::move(key)), asio::use_awaitable);
}
asio::awaitable<std::optional<engine::Engine::PodView>> EngineStrand::pod_here(PodKey key) {
  std::optional<engine::Engine::PodView> view;
  unless_broken([&] { view = engine_.pod(key); });
  co_return view;
}

asio::awaitable<bool> EngineStrand::look(Look look) {
  co_return co_await asio::co_spawn(strand_, look_here(std::move(look)), asio::use_awaitable);
}
asio::awaitable<bool> EngineStrand::look_here(Look look) {
  co_return unless_broken([&] { look(engine_, parts_.clock.now()); });
}

void EngineStrand::post(engine::Event event) {
  asio::post(strand_, [this, event = std::move(event)] {
    step(cause(event), [&](Time now) { return apply(event, now); });
  });
}

void EngineStrand::post_if(engine::Event event, std::function<bool()> holds) {
  asio::post(strand_, [this, event = std::move(event), holds = std::move(holds)] {
    step(cause(event), [&](Time now) { return holds() ? apply(event, now) : engine::Effects(); });
  });
}

engine::Effects EngineStrand::apply(const engine::Event& event, Time now) {
  auto effects = engine_.apply(event, now);
  if (recorder_ != nullptr) record(now, input_of(event), effects);
  return effects;
}

void EngineStrand::record(Time now, RecordInput input, const engine::Effects& effects,
                          std::optional<extender::FilterResponse> answer) {
  if (recorder_ == nullptr) return;
  engine::Effects noted;
  noted.reserve(effects.size());
  for (const auto& effect : effects) {
    // What a plan starts from is not kept, and is not this thread's to destroy later.
    const auto* want = std::get_if<engine::WantPlan>(&effect);
    noted.push_back(want != nullptr ? engine::WantPlan{want->generation, nullptr} : effect);
  }
  const bool idle = recorder_->wants_idle() && is_idle(engine_, now);
  recorder_->note(now, std::move(input), std::move(noted), std::move(answer), idle);
}

void EngineStrand::post(std::string_view cause, Step work) {
  asio::post(strand_, [this, cause, work = std::move(work)] {
    step(cause, [&](Time now) { return work(engine_, now); });
  });
}

void EngineStrand::carry(engine::Effects effects) {
  for (auto& effect : effects) {
    std::visit([this](auto& each) { carry(std::move(each)); }, effect);
  }
}

void EngineStrand::carry(engine::SendWrite effect) {
  if (finishing_) return post(engine::WriteDone{effect.id, fail(ErrorCode::unavailable, ending)});
  ++under_way_;
  asio::co_spawn(io_, write(std::move(effect)), asio::detached);
}

asio::awaitable<void> EngineStrand::write(engine::SendWrite command) {
  const auto kind = engine::name(command.write);
  const auto start = std::chrono::steady_clock::now();
  kube::Permit permit = [this] { return parts_.fence.open(parts_.clock.now()); };
  auto write = command.write;
  const auto* object = parts_.tracer == nullptr ? nullptr : traced_object(command.write);
  std::optional<wire::Span> span;
  if (object != nullptr) span = parts_.tracer->begin(std::string(kind), *object);
  const auto trace = span ? span->trace_id : std::string();
  engine::WriteOutcome outcome = fail(ErrorCode::unavailable, "leadership is lost");
  if (permit()) {
    kube::WriteTerms terms{std::move(permit), engine::field_manager(command.epoch, parts_.identity),
                           command.since, trace};
    outcome = co_await parts_.api.write(std::move(write), std::move(terms));
  }
  log_write(command.write, outcome, trace);
  if (span) {
    span->kind = wire::SpanKind::client;
    span->attributes.emplace_back("dray.object", engine::subject(command.write));
    if (!outcome) span->error = outcome.error().message;
    parts_.tracer->end(*std::move(span));
  }
  parts_.metrics.count("dray_api_writes_total",
                       {kind, outcome ? "ok" : name(outcome.error().code)});
  parts_.metrics.observe("dray_api_write_duration_seconds", {kind},
                         std::chrono::steady_clock::now() - start);
  asio::post(strand_,
             [this, done = engine::Event(engine::WriteDone{command.id, std::move(outcome)})] {
               if (--under_way_ == 0) last_write_.notify_all();
               step(cause(done), [&](Time now) { return apply(done, now); });
             });
}

asio::awaitable<bool> EngineStrand::finish_writes(std::chrono::milliseconds at_most) {
  asio::dispatch(strand_, [this] { finishing_ = true; });
  co_return co_await writes_ended(at_most);
}

asio::awaitable<bool> EngineStrand::writes_ended(std::chrono::milliseconds at_most) {
  co_return co_await asio::co_spawn(strand_, writes_ended_here(at_most), asio::use_awaitable);
}
asio::awaitable<bool> EngineStrand::writes_ended_here(std::chrono::milliseconds at_most) {
  const auto deadline = net::AsyncEvent::Clock::now() + at_most;
  while (under_way_ > 0) {
    if (!co_await last_write_.wait_until(deadline)) break;
  }
  co_return under_way_ == 0;
}

void EngineStrand::carry(const engine::AnswerBind& effect) {
  const auto pending = binds_.extract(effect.request);
  if (pending.empty()) return;
  pending.mapped()->error = effect.error;
  pending.mapped()->answered.notify_all();
}

void EngineStrand::carry(engine::WantPlan effect) {
  plans_.ask(std::move(effect));
}

void EngineStrand::arm_timer(std::optional<Time> next) {
  if (next == timer_at_) return;
  timer_at_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(parts_.clock.steady(*next));
  timer_.async_wait([this](const boost::system::error_code& error) { on_timer(error); });
}

void EngineStrand::on_timer(const boost::system::error_code& error) {
  if (error) return;
  timer_at_.reset();
  step("tick", [this](Time now) {
    auto effects = engine_.tick(now);
    record(now, TickInput{}, effects);
    return effects;
  });
}

}  // namespace dray::service

#include "dashboard/explanations.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "dray/base/check.h"
#include "dray/base/count_of.h"
#include "dray/planner/explain_until.h"
#include "net/async_event.h"
#include "service/log.h"
#include "wire/explanation_codec.h"

namespace dray::dashboard {

namespace asio = boost::asio;
using net::HttpResponse;

namespace {

/// How often a stream looks whether its caller is still there.
constexpr auto look_for_caller = std::chrono::milliseconds(20);

HttpResponse refusal(int status, std::string why) {
  auto response = net::text_response(status, std::move(why));
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace

/// Any thread.
struct Explanations::Counts {
  std::mutex mutex;
  std::map<std::string, std::size_t> of_viewer;
  std::size_t of_all = 0;
};

class Explanations::Slot {
 public:
  /// It is counted already.
  Slot(std::shared_ptr<Counts> counts, std::string viewer)
      : counts_(std::move(counts)), viewer_(std::move(viewer)) {}
  ~Slot() {
    const std::lock_guard lock(counts_->mutex);
    --counts_->of_all;
    const auto mine = counts_->of_viewer.find(viewer_);
    if (--mine->second == 0) counts_->of_viewer.erase(mine);
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::shared_ptr<Counts> counts_;
  std::string viewer_;
};

/// One explanation, between the thread that makes it and the stream that waits for it.
struct Explanations::Run {
  Run(asio::io_context& io, std::shared_ptr<Slot> held, planner::Question asked)
      : slot(std::move(held)), question(std::move(asked)), made(io.get_executor()) {}

  // Fixed, or any thread.
  std::shared_ptr<Slot> slot;
  planner::Question question;
  std::stop_source stop;
  // Of the stream's thread.
  net::AsyncEvent made;
  bool ended = false;
  std::string body;
};

Explanations::Explanations(asio::io_context& io, ExplainLimits limits, Explain explain)
    : io_(io),
      limits_(limits),
      explain_(std::move(explain)),
      counts_(std::make_shared<Counts>()),
      thread_(1) {}

Explanations::~Explanations() {
  end();
}

std::expected<std::shared_ptr<Explanations::Slot>, HttpResponse> Explanations::reserve(
    const std::string& viewer) {
  if (stopped_) return std::unexpected(refusal(503, "dray is being stopped\n"));
  const std::lock_guard lock(counts_->mutex);
  const auto mine = counts_->of_viewer.find(viewer);
  if (mine != counts_->of_viewer.end() && mine->second >= limits_.of_a_viewer) {
    return std::unexpected(
        refusal(429, fmt::format("{} of yours are under way: ask again when one is answered\n",
                                 count_of(mine->second, "explanation"))));
  }
  if (counts_->of_all >= limits_.of_all) {
    return std::unexpected(
        refusal(503, fmt::format("{} are under way, which is as many as may be: try again later\n",
                                 count_of(counts_->of_all, "explanation"))));
  }
  ++counts_->of_all;
  ++counts_->of_viewer[viewer];
  return std::make_shared<Slot>(counts_, viewer);
}

HttpResponse Explanations::answer(std::shared_ptr<Slot> slot, planner::Question question) {
  const auto run = std::make_shared<Run>(io_, std::move(slot), std::move(question));
  HttpResponse response;
  response.headers.push_back({"Content-Type", "application/json"});
  response.stream = [this, run](std::shared_ptr<net::BodySink> sink) {
    return stream(run, std::move(sink));
  };
  return response;
}

asio::awaitable<void> Explanations::stream(std::shared_ptr<Run> run,
                                           std::shared_ptr<net::BodySink> sink) {
  if (stopped_) co_return;
  std::erase_if(runs_, [](const auto& each) { return each.expired(); });
  runs_.push_back(run);
  asio::post(thread_, [this, run] { work(run); });
  while (!run->ended) {
    // Nothing to send asks whether anybody is there.
    std::string nothing;
    const bool open = co_await sink->write(std::move(nothing));
    if (!open) run->stop.request_stop();
    if (!open || run->stop.stop_requested()) co_return;
    co_await run->made.wait_until(net::AsyncEvent::Clock::now() + look_for_caller);
  }
  auto body = std::move(run->body);
  co_await sink->write(std::move(body));
}

void Explanations::work(const std::shared_ptr<Run>& run) {
  const auto stop = run->stop.get_token();
  if (stop.stop_requested()) return;
  std::string body;
  const auto broken = run_checked([&] {
    if (const auto made = explain_(run->question, stop)) body = wire::encode(*made);
  });
  if (broken) {
    // Of a copy alone: the service goes on.
    service::log_error("an explanation broke an invariant: " + broken->text);
    planner::Explanation fault;
    fault.pod = run->question.pod->key().to_string();
    fault.summary = "a fault of dray itself: it cannot be explained, and dray's log says more";
    body = wire::encode(fault);
  }
  asio::post(io_, [run, body = std::move(body)]() mutable {
    run->body = std::move(body);
    run->ended = true;
    run->made.notify_all();
  });
}

void Explanations::stop() {
  stopped_ = true;
  for (const auto& each : runs_) {
    if (const auto run = each.lock()) run->stop.request_stop();
  }
}

void Explanations::end() {
  stop();
  thread_.stop();
  thread_.join();
}

Explanations::Explain explain_by_planner(alloc::AllocatorOptions options) {
  return [options = std::move(options)](const planner::Question& question,
                                        const std::stop_token& stop) {
    return planner::explain_until(question, options, stop);
  };
}

}  // namespace dray::dashboard

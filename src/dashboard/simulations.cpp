#include "dashboard/simulations.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "dray/base/check.h"
#include "service/log.h"

namespace dray::dashboard {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;
using net::HttpRequest;
using net::HttpResponse;

namespace {

constexpr auto look_every = std::chrono::milliseconds(200);
constexpr auto tell_every = std::chrono::seconds(1);
/// Asking the system what memory there is takes some microseconds.
constexpr auto weigh_every = std::chrono::milliseconds(20);
constexpr std::string_view come_again = "5";  ///< seconds

/// Behind every other thread: who decides comes first.
void yield_to_others() {
  static_cast<void>(setpriority(PRIO_PROCESS, 0, 19));  // of the calling thread, on Linux
}

bool is_json(std::string_view content_type) {
  return net::equals_ignoring_case(content_type.substr(0, content_type.find(';')),
                                   "application/json");
}

/// Browsers say of a request that a page makes whose page it is.
bool is_of_another_page(const HttpRequest& request) {
  const auto site = request.header("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return true;
  auto origin = request.header("Origin");
  if (origin.empty()) return false;
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos) return true;  // `null`, of a page in a sandbox
  return !net::equals_ignoring_case(origin.substr(scheme + 3), request.header("Host"));
}

HttpResponse with(HttpResponse response, std::string name, std::string_view value) {
  response.headers.push_back({std::move(name), std::string(value)});
  return response;
}

/// The part of the cluster that the service decides about.
std::vector<KubeObject> own_part(std::vector<KubeObject> objects,
                                 const service::PartitionOptions& options) {
  service::Partition partition(options);
  std::vector<KubeObject> own;
  own.reserve(objects.size());
  for (auto& object : objects) {
    auto seen = partition.see(cluster::ObjectChanged{std::move(object)});
    if (!seen) continue;
    if (auto* change = std::get_if<cluster::ObjectChanged>(&*seen)) {
      own.push_back(std::move(change->object));
    }
  }
  return own;
}

}  // namespace

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  if (!(statm >> size >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// What the runs have in common. Any thread.
struct Simulations::Shared {
  std::atomic<std::size_t> under_way{0};
  std::atomic<bool> stopped{false};
};

/// One simulation, between the thread that plays it and the stream that tells of it.
struct Simulations::Run {
  Run(asio::io_context& io, std::shared_ptr<Shared> common, SimulationQuestion asked)
      : shared(std::move(common)), question(std::move(asked)), news(io) {
    ++shared->under_way;
  }
  ~Run() { make_way(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] bool is_wanted() const { return !unwanted && !shared->stopped; }

  void tell(const std::string& line) {
    const std::lock_guard lock(mutex);
    untold += line + "\n";
  }
  void tell(const SimulationProgress& now) {
    const std::lock_guard lock(mutex);
    progress = now;
  }
  /// Another may run.
  void make_way() {
    if (counts.exchange(false)) --shared->under_way;
  }
  void end() {
    // Before anybody hears that it is over, and asks again.
    make_way();
    const std::lock_guard lock(mutex);
    ended = true;
  }
  /// What is to be sent, and whether nothing follows.
  std::pair<std::string, bool> take() {
    const std::lock_guard lock(mutex);
    const auto now = SteadyClock::now();
    if (progress && now >= progress_told + tell_every && !ended) {
      untold += progress_line(*std::exchange(progress, std::nullopt)) + "\n";
      progress_told = now;
    }
    return {std::exchange(untold, {}), ended};
  }

  // Fixed.
  std::shared_ptr<Shared> shared;
  SimulationQuestion question;
  // Of the stream's thread.
  asio::steady_timer news;
  // Any thread.
  std::atomic<bool> unwanted{false};
  std::atomic<bool> counts{true};  ///< among those under way
  // Under the mutex.
  std::mutex mutex;
  std::string untold;
  std::optional<SimulationProgress> progress;
  SteadyClock::time_point progress_told;
  bool ended = false;
};

namespace {

/// Says when a run has had enough, and why.
class Bounds {
 public:
  explicit Bounds(const SimulationsOptions& options)
      : limits_(options.limits), memory_(options.memory) {}

  /// Whether it may go on.
  bool hold() {
    const auto now = SteadyClock::now();
    if (now >= start_ + limits_.time) {
      why_ = fmt::format("ended after {} s of computing, which is as long as one may take here",
                         std::chrono::duration_cast<std::chrono::seconds>(limits_.time).count());
    } else if (now >= weighed_ + weigh_every) {
      weighed_ = now;
      if (memory_() > before_ + limits_.memory_bytes) {
        why_ = fmt::format("ended: it needs more than the {} MiB that one may have here",
                           limits_.memory_bytes >> 20U);
      }
    }
    return why_.empty();
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  const SimulationLimits& limits_;
  const std::function<std::uint64_t()>& memory_;
  SteadyClock::time_point start_ = SteadyClock::now();
  SteadyClock::time_point weighed_;
  std::uint64_t before_ = memory_();
  std::string why_;
};

}  // namespace

Simulations::Simulations(asio::io_context& io, SimulationsOptions options, kube::ClusterApi& api,
                         const service::Readiness& readiness)
    : io_(io),
      options_(std::move(options)),
      api_(api),
      readiness_(readiness),
      shared_(std::make_shared<Shared>()),
      threads_(std::max<std::size_t>(options_.limits.at_a_time, 1)) {}

Simulations::~Simulations() {
  end();
}

void Simulations::stop() {
  shared_->stopped = true;
}

void Simulations::end() {
  stop();
  threads_.stop();
  threads_.join();
}

HttpResponse Simulations::answer(const HttpRequest& request) {
  if (is_of_another_page(request)) {
    return net::text_response(403, "a page of another site asks\n");
  }
  if (!is_json(request.header("Content-Type"))) {
    return net::text_response(415, "send Content-Type: application/json\n");
  }
  if (options_.limits.at_a_time == 0) {
    return net::text_response(403, "simulations are turned off here (--simulations 0)\n");
  }
  if (shared_->stopped) return net::text_response(503, "dray is being stopped\n");
  auto question = read_question(request.body, options_.limits);
  if (!question) return net::text_response(400, question.error().message + "\n");
  if (shared_->under_way >= options_.limits.at_a_time) {
    return with(net::text_response(429, "as many simulations run as may: try again later\n"),
                "Retry-After", come_again);
  }
  auto run = std::make_shared<Run>(io_, shared_, *std::move(question));
  asio::post(threads_, [this, run] { play(run); });
  // Where the answer goes, sent or not, nobody wants the rest.
  const std::shared_ptr<Run> listened(run.get(), [run](Run* heard) { heard->unwanted = true; });
  HttpResponse response;
  response.headers.push_back({"Content-Type", "application/x-ndjson"});
  response.stream = [listened](std::shared_ptr<net::BodySink> sink) {
    return stream(listened, std::move(sink));
  };
  return response;
}

asio::awaitable<void> Simulations::stream(std::shared_ptr<Run> run,
                                          std::shared_ptr<net::BodySink> sink) {
  for (;;) {
    auto [text, ended] = run->take();
    // Nothing to send asks whether anybody is there.
    const bool open = co_await sink->write(std::move(text));
    if (!open || ended) co_return;
    run->news.expires_after(look_every);
    boost::system::error_code ignored;
    co_await run->news.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void Simulations::play(const std::shared_ptr<Run>& run) {
  yield_to_others();
  Bounds bounds(options_);
  const auto broken = run_checked([&] {
    auto listed = api_.list_now([&] { return run->is_wanted(); });
    if (!listed) return run->tell(error_line(listed.error()));
    SimulatedCluster cluster{
        .objects = own_part(std::move(listed->objects), options_.partition),
        .unread = std::move(listed->warnings),
        .in_force = readiness_.policy.load(),
        .engine = options_.engine,
        .now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())};
    const SimulationListener listener{.line = [&](const std::string& line) { run->tell(line); },
                                      .go_on =
                                          [&](const SimulationProgress& progress) {
                                            run->tell(progress);
                                            return run->is_wanted() && bounds.hold();
                                          }};
    const auto played =
        simulate_question(run->question, std::move(cluster), options_.limits, listener);
    if (played) return;
    run->tell(error_line(bounds.why().empty() ? played.error()
                                              : Error{ErrorCode::unsupported, bounds.why()}));
  });
  if (broken) {
    // Of the copy alone: the service goes on.
    service::log_error("a simulation broke an invariant: " + broken->text);
    run->tell(error_line({ErrorCode::internal, "a fault of dray itself: " + broken->text}));
  }
  run->end();
  asio::post(io_, [run] { run->news.cancel(); });
}

}  // namespace dray::dashboard

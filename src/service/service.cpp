#include "service/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "service/extender_routes.h"
#include "service/log.h"

namespace dray::service {

namespace asio = boost::asio;

namespace {

PlanWorker::MakePlan make_plan(const engine::Options& options, metrics::Metrics& metrics) {
  const auto planner = std::make_shared<planner::Planner>(engine::allocator_options(options, 1));
  return [planner, &metrics](const planner::PlanInput& input) {
    const auto before = planner->allocator_counts();
    auto plan = planner->plan(input);
    const auto after = planner->allocator_counts();
    const auto more = [](std::uint64_t from, std::uint64_t to) {
      return static_cast<double>(to - from);
    };
    metrics.count("dray_plan_allocator_questions_total", {}, more(before.calls, after.calls));
    metrics.count("dray_plan_allocator_searches_total", {}, more(before.searches, after.searches));
    metrics.count("dray_plan_allocator_devices_tried_total", {}, more(before.steps, after.steps));
    return plan;
  };
}

}  // namespace

net::HttpServerOptions health_port() {
  net::HttpServerOptions options;
  options.limits.body_bytes = 16UL * 1024;
  options.max_connections = 256;
  options.oldest_gives_way = true;
  options.idle_timeout = std::chrono::seconds(30);
  options.header_timeout = std::chrono::seconds(5);
  options.body_timeout = std::chrono::seconds(5);
  options.write_timeout = std::chrono::seconds(10);
  return options;
}

Service::Service(asio::io_context& io, ServiceOptions options, kube::ClusterApi& api,
                 const Clock& clock)
    : io_(io),
      options_(std::move(options)),
      api_(api),
      clock_(clock),
      metrics_(options_.version),
      tracer_(options_.tracing ? std::make_unique<Tracer>(*options_.tracing, metrics_) : nullptr),
      watches_{GateWatch(io, api, options_.engine.allocator.features)},
      partition_(options_.partition),
      engine_(io, options_.engine,
              {api, clock, fence_, metrics_, make_plan(options_.engine, metrics_),
               [this](const std::string& what) { broke(what); },
               options_.lease ? options_.lease->identity : "", tracer_.get()}),
      requests_(io, options_.extender_queue),
      extender_(io, options_.extender,
                extender_routes(engine_, metrics_, partition_, requests_, tracer_.get(),
                                options_.extender.tls ? BodyType::any : BodyType::declared)),
      admin_(options_.admin, admin_routes(engine_, api, metrics_, readiness_)) {
  readiness_.gates = &watches_.gates;
  readiness_.sandbox = options_.sandbox;
  readiness_.policy_watch = &watches_.policy.emplace(io, engine_);
  if (!options_.policy_file.empty()) {
    policy_.emplace(
        io, options_.policy_file,
        PolicyFile::Listener{[this](std::shared_ptr<const policy::PolicyConfig> config) {
                               ++readiness_.policy_generation;
                               metrics_.count("dray_policy_loads_total", {"used"});
                               readiness_.policy.store(config);
                               engine_.post(engine::PolicyChanged{std::move(config)});
                             },
                             [this](std::string problem) {
                               if (!problem.empty()) {
                                 metrics_.count("dray_policy_loads_total", {"refused"});
                               }
                               readiness_.policy_problem.store(
                                   std::make_shared<const std::string>(std::move(problem)));
                             },
                             [mode = options_.engine.mode](const policy::PolicyConfig& config) {
                               return engine::unfit_policy(mode, config);
                             }});
  }
  if (!options_.lease) return;
  readiness_.tls_patience = options_.lease->duration;
  leadership_.emplace(
      *options_.lease, api, clock_, fence_,
      [this](engine::LeadershipChanged change) { leadership_changed(change); },
      [this] { return writes_end(); });
  watches_.standbys.emplace(io,
                            engine::StandbyKeeper::Options{.leader = options_.lease->lease,
                                                           .identity = options_.lease->identity,
                                                           .every = options_.standby_round},
                            api, clock_, [this] { return stands_by(); });
  readiness_.leadership = &*leadership_;
  readiness_.standbys = &*watches_.standbys;
}

Service::~Service() {
  admin_.thread.stop();
  api_.stop();
}

Result<void> Service::start() {
  if (!options_.record.folder.empty()) {
    options_.record.notice = [](const std::string& what) { log_warning(what); };
    auto recorder = Recorder::open(options_.record, options_.engine, clock_.now());
    if (!recorder) return std::unexpected(std::move(recorder.error()).within("--record"));
    engine_.record_to(*std::move(recorder));
  }
  if (policy_) {
    if (auto read = policy_->open(); !read) return read;
    policy_->start();
  }
  const auto admin = admin_.server.listen();
  if (!admin) return std::unexpected(Error(admin.error()).within("admin address"));
  ports_.admin = *admin;
  // Bound once now, so that a wrong address or certificate is an error at start.
  const auto extender = extender_.listen();
  if (!extender) return std::unexpected(Error(extender.error()).within("extender address"));
  ports_.extender = *extender;
  if (leadership_) extender_.stop_listening();
  watches_.gates.start();
  watches_.policy->start();
  api_.watch([this](kube::WatchEvent event) { saw(std::move(event)); });
  if (leadership_) {
    leadership_->start();
    watches_.standbys->start();
  } else {
    fence_.open_for_good();
    engine_.post(engine::LeadershipChanged{true, 0});
  }
  return {};
}

void Service::saw(kube::WatchEvent event) {
  const bool synced = std::holds_alternative<engine::Synced>(event);
  auto told = partition_.see(std::move(event));
  if (told) std::visit([this](auto& each) { engine_.post(std::move(each)); }, *told);
  if (!synced) return;
  // Not before the engine knows: who sees it may ask for a node.
  engine_.post("listed", [this](engine::Engine&, Time) {
    readiness_.synced = true;
    log_info(0, "the cluster has been listed");
    return engine::Effects();
  });
}

void Service::leadership_changed(engine::LeadershipChanged change) {
  readiness_.lease_epoch = change.leading ? change.epoch : 0;
  set_log_epoch(readiness_.lease_epoch);
  if (change.leading) {
    log_info(0, fmt::format("leading, epoch {}", change.epoch));
    asio::co_spawn(io_, take_over(change), asio::detached);
    return;
  }
  if (readiness_.draining || readiness_.broken.load()) {
    log_info(0, "leading no more");
  } else {
    log_warning("another replica leads now, or the API server cannot be reached");
  }
  engine_.post(change);
  stop_serving();
  api_.abandon_writes();
}

/// Whether it could take over at once; not asked any more once the process is draining.
bool Service::stands_by() const {
  return readiness_.lease_epoch == 0 && readiness_.synced && !readiness_.broken.load() &&
         api_.trouble().empty();
}

/// Whoever still waits for an answer must not get one from a replica that may not write.
void Service::stop_serving() {
  extender_.stop_listening();
  extender_.close_all();
}

/// Nothing is written any more (the engine's strand has shut the fence), another replica may lead,
/// and health and metrics stay, for a look.
void Service::broke(const std::string& what) {
  readiness_.broken.store(std::make_shared<const std::string>(what));
  readiness_.lease_epoch = 0;
  stop_serving();
  if (leadership_) {
    asio::co_spawn(io_, give_up(), asio::detached);
  } else {
    api_.abandon_writes();
  }
}

/// Whoever leads next must not meet our writes.
asio::awaitable<void> Service::writes_end() {
  co_await engine_.writes_ended(options_.drain);
}

asio::awaitable<void> Service::give_up() {
  co_await writes_end();
  co_await leadership_->release();
}

/// The last leader's claims must all be known before the first allocation, and nothing of its may
/// land after that.
asio::awaitable<void> Service::take_over(engine::LeadershipChanged change) {
  asio::steady_timer fenced(io_, engine::fence_lag(change.epoch));
  co_await fenced.async_wait(asio::use_awaitable);
  while (readiness_.lease_epoch == change.epoch) {
    const auto fresh = co_await api_.refresh_claims(std::chrono::seconds(10));
    if (readiness_.lease_epoch != change.epoch) co_return;
    if (!fresh) {
      log_warning("reading the claims: " + fresh.error().message);
      asio::steady_timer pause(io_, std::chrono::milliseconds(200));
      co_await pause.async_wait(asio::use_awaitable);
      continue;
    }
    // Judged on the engine's strand: a loss that came since was told it after, or before and is
    // seen here.
    engine_.post_if(change, [this, change] { return readiness_.lease_epoch == change.epoch; });
    const auto port = extender_.listen();
    readiness_.port_problem.store(
        std::make_shared<const std::string>(port ? "" : port.error().message));
    if (!port) {
      log_error("extender: " + port.error().message + "; another replica may lead");
      leadership_->step_down(options_.rest);
      co_return;
    }
    // Lost or broken meanwhile, and closed before it was opened.
    if (readiness_.lease_epoch != change.epoch || readiness_.broken.load()) stop_serving();
    co_return;
  }
}

void Service::reload_policy() {
  if (policy_) policy_->reload();
}

asio::awaitable<void> Service::drain() {
  begin_draining();
  watches_.gates.stop();
  watches_.policy->stop();
  if (watches_.standbys) watches_.standbys->stop();
  if (policy_) policy_->stop();
  const auto end = std::chrono::steady_clock::now() + options_.drain;
  co_await extender_.drain(options_.drain);
  // Whoever leads next must not meet our writes.
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (!co_await engine_.finish_writes(std::max(left, std::chrono::milliseconds(0)))) {
    log_warning("writes are under way still; those that wait for their turn are dropped");
  }
  if (leadership_) co_await leadership_->release();
  api_.stop();
  co_await admin_.server.drain(std::chrono::seconds(1));
}

}  // namespace dray::service

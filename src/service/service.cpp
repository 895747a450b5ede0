#include "service/service.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "service/extender_routes.h"
#include "service/log.h"

namespace dray::service {

namespace asio = boost::asio;

namespace {

PlanWorker::MakePlan make_plan(const engine::Options& options) {
  const auto planner = std::make_shared<planner::Planner>(engine::allocator_options(options, 1));
  return [planner](const planner::PlanInput& input) { return planner->plan(input); };
}

}  // namespace

Service::Service(asio::io_context& io, ServiceOptions options, kube::ClusterApi& api,
                 const Clock& clock)
    : io_(io),
      options_(std::move(options)),
      api_(api),
      clock_(clock),
      metrics_(options_.version),
      engine_(io, options_.engine,
              {api, clock, fence_, metrics_, make_plan(options_.engine),
               [this](const std::string& what) { broke(what); }}),
      extender_(io, options_.extender, extender_routes(engine_, metrics_)),
      admin_(io, options_.admin, admin_routes(engine_, api, metrics_, readiness_)) {
  if (!options_.policy_file.empty()) {
    policy_.emplace(
        io, options_.policy_file,
        PolicyFile::Listener{[this](std::shared_ptr<const policy::PolicyConfig> config) {
                               engine_.post(engine::PolicyChanged{std::move(config)});
                             },
                             [this](std::string problem) {
                               readiness_.policy_problem.store(
                                   std::make_shared<const std::string>(std::move(problem)));
                             }});
  }
  if (!options_.lease) return;
  leadership_.emplace(io, *options_.lease, api, clock_, fence_,
                      [this](engine::LeadershipChanged change) { leadership_changed(change); });
}

Service::~Service() {
  api_.stop();
}

Result<void> Service::start() {
  if (policy_) {
    if (auto read = policy_->open(); !read) return read;
    policy_->start();
  }
  const auto admin = admin_.listen();
  if (!admin) return std::unexpected(Error(admin.error()).within("admin address"));
  admin_port_ = *admin;
  // Bound once now, so that a wrong address or certificate is an error at start.
  const auto extender = extender_.listen();
  if (!extender) return std::unexpected(Error(extender.error()).within("extender address"));
  extender_port_ = *extender;
  if (leadership_) extender_.stop_listening();
  api_.watch([this](kube::WatchEvent event) { saw(std::move(event)); });
  if (leadership_) {
    leadership_->start();
  } else {
    fence_.open_for_good();
    engine_.post(engine::LeadershipChanged{true, 0});
  }
  return {};
}

void Service::saw(kube::WatchEvent event) {
  if (std::holds_alternative<engine::Synced>(event)) log_info(0, "the cluster has been listed");
  std::visit([this](auto& each) { engine_.post(std::move(each)); }, event);
}

void Service::leadership_changed(engine::LeadershipChanged change) {
  leading_epoch_ = change.leading ? change.epoch : 0;
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

/// Whoever still waits for an answer must not get one from a replica that may not write.
void Service::stop_serving() {
  extender_.stop_listening();
  extender_.close_all();
}

/// Nothing is written any more (the engine's strand has shut the fence), another replica may lead,
/// and health and metrics stay, for a look.
void Service::broke(const std::string& what) {
  readiness_.broken.store(std::make_shared<const std::string>(what));
  leading_epoch_ = 0;
  stop_serving();
  if (leadership_) {
    asio::co_spawn(io_, leadership_->release(), asio::detached);
  } else {
    api_.abandon_writes();
  }
}

/// The last leader's claims must all be known before the first allocation.
asio::awaitable<void> Service::take_over(engine::LeadershipChanged change) {
  while (leading_epoch_ == change.epoch) {
    const auto fresh = co_await api_.refresh_claims(std::chrono::seconds(10));
    if (leading_epoch_ != change.epoch) co_return;
    if (!fresh) {
      log_warning("reading the claims: " + fresh.error().message);
      asio::steady_timer pause(io_, std::chrono::milliseconds(200));
      co_await pause.async_wait(asio::use_awaitable);
      continue;
    }
    engine_.post(change);
    const auto port = extender_.listen();
    if (!port) log_error("extender: " + port.error().message);
    // Lost or broken meanwhile, and closed before it was opened.
    if (leading_epoch_ != change.epoch || readiness_.broken.load()) stop_serving();
    co_return;
  }
}

void Service::reload_policy() {
  if (policy_) policy_->reload();
}

asio::awaitable<void> Service::drain() {
  readiness_.draining = true;
  if (policy_) policy_->stop();
  co_await extender_.drain(options_.drain);
  if (leadership_) co_await leadership_->release();
  api_.stop();
  co_await admin_.drain(std::chrono::seconds(1));
}

}  // namespace dray::service

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "app/common/command.h"
#include "app/common/dashboard.h"
#include "app/common/files.h"
#include "app/common/policy_file.h"
#include "app/serve/descriptors.h"
#include "app/serve/exit_deadline.h"
#include "app/serve/limits.h"
#include "app/serve/sandbox.h"
#include "app/serve/serve_configuration.h"
#include "app/serve/serve_options.h"
#include "dashboard/cluster_access.h"
#include "kube/config.h"
#include "service/embedded_api.h"
#include "service/log.h"

namespace dray::app {
namespace {

namespace asio = boost::asio;

/// Beyond the drain: for the Lease to be released, and the last answers on the health port.
constexpr auto after_drain = std::chrono::seconds(4);
/// Once nothing is written any more: for threads to end, and for the record's last lines.
constexpr auto after_release = std::chrono::seconds(3);

/// What runs, and how it ends.
struct Running {
  service::Service& service;
  dashboard::Dashboard* dashboard;  ///< null: there is none
  asio::io_context& io;
  std::chrono::milliseconds drain;
  ExitDeadline deadline = {};
};

/// The service first: what the dashboard still answers must not delay a bind or the Lease.
asio::awaitable<void> drain_and_stop(Running* running) {
  if (running->dashboard != nullptr) {
    asio::co_spawn(running->io, running->dashboard->drain(), asio::detached);
  }
  co_await running->service.drain();
  running->deadline.set(after_release, EXIT_SUCCESS);
  running->io.stop();
}

asio::awaitable<void> stop_on_signal(Running* running, asio::signal_set* signals) {
  const auto signal = co_await signals->async_wait(asio::use_awaitable);
  running->service.begin_draining();
  service::log_info(0, fmt::format("signal {}: draining", signal));
  running->deadline.set(running->drain + after_drain, EXIT_FAILURE);
  asio::co_spawn(running->io, drain_and_stop(running), asio::detached);
  // A second one does not wait.
  co_await signals->async_wait(asio::use_awaitable);
  std::_Exit(1);
}

/// What serve was started with, for what a file says later.
struct StartedWith {
  std::string file;  ///< of --config; empty: none
  GivenFlags command_line;
  GivenFlags running;
};

/// Takes over what can change while dray runs, and names the rest.
void reload_configuration(StartedWith& with) {
  if (with.file.empty()) return;
  const auto reread = read_again(with.file, with.command_line, with.running);
  if (!reread) {
    service::log_error(fmt::format("configuration unchanged: {}", reread.error().message));
    return;
  }
  for (const auto& flag : reread->reloads) {
    service::set_verbosity(reread->flags.verbosity);
    service::log_info(
        0, fmt::format("configuration: {} is {}", field_name(flag), reread->flags.verbosity));
    with.running.erase(flag);
    if (const auto given = reread->given.find(flag); given != reread->given.end()) {
      with.running.insert(*given);
    }
  }
  if (!reread->restart.empty()) {
    service::log_warning(fmt::format("configuration: until a restart this stays as it was: {}",
                                     fmt::join(reread->restart, ", ")));
  }
}

asio::awaitable<void> reload_on_hangup(service::Service* service, asio::signal_set* signals,
                                       StartedWith* with) {
  for (;;) {
    co_await signals->async_wait(asio::use_awaitable);
    reload_configuration(*with);
    service->reload_policy();
  }
}

class ServeCommand : public Command {
 public:
  explicit ServeCommand(CLI::App& app)
      : command_(app.add_subcommand("serve", "Serve kube-scheduler's extender calls")) {
    add_serve_flags(*command_, flags_);
  }

  Result<int> run() override {
    if (auto ended = serve(); !ended) return std::unexpected(std::move(ended.error()));
    return done;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, flags_.policy);
  }

 private:
  Result<void> serve() {
    StartedWith with{.file = flags_.config, .command_line = given_flags(*command_), .running = {}};
    if (auto applied = apply_config(); !applied) return applied;
    with.running = given_flags(*command_);
    service::set_up_logging(
        flags_.logging_format == "json" ? service::LogFormat::json : service::LogFormat::text,
        flags_.verbosity);
    auto limited = limited_parts(flags_.limit);
    if (!limited) return std::unexpected(std::move(limited.error()));
    auto options = service_options(flags_);
    if (!options) return std::unexpected(options.error());
    std::random_device random;
    options->engine.share_id_seed = (std::uint64_t{random()} << 32) | random();
    const auto threads = thread_count();
    auto dashboard_at = dashboard_server(flags_);
    if (!dashboard_at) return std::unexpected(std::move(dashboard_at.error()));
    share_descriptors(*options, *dashboard_at, limited->api.connections);
    // Before signals are caught: a plugin of the kubeconfig may run for half a minute.
    const auto config = needed_config(*dashboard_at);
    if (!config) return std::unexpected(config.error());
    options->sandbox = sandbox(*config);
    // Before `io`, whose handlers may refer to it.
    net::OwnThread dashboard_thread;
    asio::io_context io(static_cast<int>(threads));
    // Before any thread runs `io`: when two make the first sets at once, Asio keeps one signal
    // service, and ends the other one with the pipe that both read.
    asio::signal_set end_signals(io, SIGTERM, SIGINT);
    asio::signal_set reload_signals(io, SIGHUP);
    const service::Clock clock;
    auto api = cluster_api(io, clock, *config, random());
    if (!api) return std::unexpected(api.error());
    service::Service service(io, *options, **api, clock);
    if (auto started = service.start(); !started) return started;
    std::optional<dashboard::Dashboard> dashboard;
    if (*dashboard_at) {
      limited->dashboard.server = **std::move(dashboard_at);
      auto shown = shown_by(*std::move(limited), *options, dashboard_thread, *config);
      if (!shown) return std::unexpected(std::move(shown.error()));
      dashboard.emplace(dashboard_thread, *std::move(shown), dashboard_sources(service, **api));
      // Pods are bound without it, too.
      const auto port = dashboard->start();
      if (port) service::log_info(0, fmt::format("dashboard on port {}", *port));
      if (!port) service::log_warning("there is no dashboard: " + port.error().message);
    }
    announce(service, options->sandbox);
    Running running{service, dashboard ? &*dashboard : nullptr, io, options->drain};
    asio::co_spawn(io, stop_on_signal(&running, &end_signals), asio::detached);
    asio::co_spawn(io, reload_on_hangup(&service, &reload_signals, &with), asio::detached);
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back([&io] { io.run(); });
    io.run();
    workers.clear();
    // Before the dashboard's thread is waited for, which may take longer than the deadline allows.
    service.end_recording();
    dashboard.reset();
    return {};
  }

  Result<void> apply_config() {
    if (flags_.config.empty()) return {};
    return apply_config_file(*command_, flags_.config, dray_configuration());
  }

  [[nodiscard]] unsigned thread_count() const {
    if (flags_.threads != 0) return flags_.threads;
    return std::max(2U, std::thread::hardware_concurrency()) + 1;
  }

  /// So that what a port has open never keeps another port, or the API server's answers, from one.
  static void share_descriptors(service::ServiceOptions& options,
                                std::optional<net::HttpServerOptions>& dashboard,
                                std::size_t api_connections) {
    std::vector ports{&options.extender, &options.admin};
    if (dashboard) ports.push_back(&*dashboard);
    const auto descriptors = raise_descriptor_limit();
    const auto kept = descriptors_kept(api_connections);
    if (fit_to_descriptors(descriptors, kept, ports)) return;
    service::log_warning(
        fmt::format("the limit of open files is {}: with less than {} connections may be refused",
                    descriptors, kept + 100));
  }

  /// Before the first thread, and once a plugin has run. What is in force.
  [[nodiscard]] std::string sandbox(const kube::ClusterConfig& config) const {
    if (flags_.sandbox != "on") return "off: --sandbox=off";
    return enter_sandbox(sandbox_needs(flags_, config, kube::process_environment));
  }

  static void announce(const service::Service& service, const std::string& sandbox) {
    service::log_info(0, "sandbox: " + sandbox);
    service::log_info(0, fmt::format("extender on port {}, health and metrics on port {}",
                                     service.extender_port(), service.admin_port()));
  }

  /// Of the API server, where it is asked for the cluster or for who may see the dashboard.
  [[nodiscard]] Result<kube::ClusterConfig> needed_config(
      const std::optional<net::HttpServerOptions>& dashboard) const {
    const bool guarded = dashboard && !dashboard::is_loopback(dashboard->address);
    if (!flags_.cluster.empty() && !guarded) return kube::ClusterConfig();
    return flags_.kubeconfig.empty() ? kube::usual_config(kube::process_environment, flags_.context)
                                     : kube::load_kubeconfig(flags_.kubeconfig, flags_.context);
  }

  /// The dashboard within its limits. Where other hosts reach it, the API server says who may see
  /// what.
  [[nodiscard]] Result<dashboard::DashboardOptions> shown_by(
      LimitedParts limited, const service::ServiceOptions& service, net::OwnThread& thread,
      const kube::ClusterConfig& config) const {
    auto options = dashboard_options(std::move(limited.dashboard), service);
    options.board.simulations.at_a_time = flags_.simulations;
    options.board.history_file = history_file();
    if (dashboard::is_loopback(options.server.address)) return options;
    auto admit = dashboard::admit_by_cluster(thread.io(), config, limited.access);
    if (!admit) return std::unexpected(std::move(admit.error()));
    options.board.admit = *std::move(admit);
    return options;
  }

  /// Pods are bound without it, too.
  [[nodiscard]] std::shared_ptr<dashboard::HistoryFile::Opened> history_file() const {
    if (flags_.history.empty()) return nullptr;
    auto opened = dashboard::HistoryFile::open(flags_.history);
    if (!opened) {
      service::log_warning("the dashboard's history is kept in memory alone: " +
                           opened.error().message);
      return nullptr;
    }
    if (!opened->set_aside.empty()) service::log_warning("history: " + opened->set_aside);
    return std::make_shared<dashboard::HistoryFile::Opened>(*std::move(opened));
  }

  Result<std::unique_ptr<kube::ClusterApi>> cluster_api(asio::io_context& io,
                                                        const service::Clock& clock,
                                                        const kube::ClusterConfig& config,
                                                        std::uint64_t seed) const {
    if (!flags_.cluster.empty()) {
      auto objects = load_cluster(flags_.cluster);
      if (!objects) return std::unexpected(objects.error());
      sim::ApiServerOptions server;
      server.gate_pods = true;
      server.protect_claims = true;
      server.scheduler_name = flags_.scheduler_name;
      auto api = std::make_unique<service::EmbeddedApi>(io, clock, server);
      for (auto& object : *objects) api->load(std::move(object));
      return api;
    }
    for (const auto& warning : config.warnings) service::log_warning(warning);
    auto options = kube_api_options(flags_, seed);
    if (!options) return std::unexpected(std::move(options.error()));
    auto api = kube::KubeApi::make(io, config, *std::move(options));
    if (!api) return std::unexpected(api.error());
    return std::unique_ptr<kube::ClusterApi>(std::move(*api));
  }

  CLI::App* command_;
  ServeFlags flags_;
};

}  // namespace

std::unique_ptr<Command> add_serve(CLI::App& app) {
  return std::make_unique<ServeCommand>(app);
}

}  // namespace dray::app

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/dashboard.h"
#include "app/common/files.h"
#include "app/common/policy_file.h"
#include "app/demo/demo_player.h"
#include "service/embedded_api.h"
#include "service/embedded_scheduler.h"
#include "service/log.h"
#include "service/service.h"

namespace dray::app {
namespace {

namespace asio = boost::asio;

struct Played {
  std::vector<KubeObject> workload;
  Expectations expectations;
  dashboard::Dashboard* dashboard = nullptr;  ///< none: nobody is to look
  bool as_declared = true;
};

struct DemoFlags {
  std::vector<std::string> cluster;
  std::string workload;
  std::string policy;
  bool once = false;
  std::string output = "table";
  std::uint16_t dashboard_port = 8080;
  int verbosity = 0;
};

void print(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

class DemoCommand : public Command {
 public:
  explicit DemoCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "demo", "Show the main job on a cluster in memory, then go on serving it");
    command->add_option("--cluster", flags_.cluster, "Manifests instead of the bundled cluster");
    command->add_option("--workload", flags_.workload, "Manifests instead of the bundled workload");
    command->add_option("--policy", flags_.policy, "Policy instead of the bundled workload's");
    command->add_flag("--once", flags_.once, "Exit after the table");
    command
        ->add_option("--dashboard-port", flags_.dashboard_port,
                     "Of the dashboard, without --once; another one where that is taken")
        ->capture_default_str();
    command->add_option("-o,--output", flags_.output)
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_option("-v,--verbosity", flags_.verbosity, "0 to 10")->capture_default_str();
  }

  Result<int> run() override {
    service::set_up_logging(service::LogFormat::text, flags_.verbosity - 1);
    const auto as_declared = demo();
    if (!as_declared) return std::unexpected(as_declared.error());
    return *as_declared ? done : no;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, flags_.policy);
  }

 private:
  Result<void> load(std::vector<KubeObject>& cluster, std::vector<KubeObject>& workload) {
    // What the bundled workload declares is so on the bundled cluster, under the bundled policy.
    declarations_hold_ =
        !flags_.workload.empty() || (flags_.cluster.empty() && flags_.policy.empty());
    if (flags_.cluster.empty()) {
      const auto bundled = find_bundled("demo/cluster");
      if (!bundled) return std::unexpected(bundled.error());
      flags_.cluster = {*bundled};
    }
    if (flags_.workload.empty()) {
      const auto bundled = find_bundled("demo/workload.yaml");
      if (!bundled) return std::unexpected(bundled.error());
      flags_.workload = *bundled;
      const auto policy = find_bundled("demo/policy.yaml");
      if (!policy) return std::unexpected(policy.error());
      if (flags_.policy.empty()) flags_.policy = *policy;
    }
    auto loaded = load_cluster(flags_.cluster);
    if (!loaded) return std::unexpected(loaded.error());
    cluster = std::move(*loaded);
    auto work = load_applied({flags_.workload});
    if (!work) return std::unexpected(work.error());
    for (const auto* told : {&work->left_out, &work->strangers}) print_warnings("demo", *told);
    workload = std::move(work->objects);
    return {};
  }

  [[nodiscard]] Result<Expectations> declared(const std::vector<KubeObject>& workload) const {
    if (!declarations_hold_) return Expectations();
    auto expectations = Expectations::of(workload);
    if (expectations) return expectations;
    return std::unexpected(std::move(expectations.error()).within(flags_.workload));
  }

  /// Whether all came as the workload declares it.
  Result<bool> demo() {
    std::vector<KubeObject> cluster;
    std::vector<KubeObject> workload;
    if (auto loaded = load(cluster, workload); !loaded) return std::unexpected(loaded.error());
    auto expectations = declared(workload);
    if (!expectations) return std::unexpected(std::move(expectations.error()));
    // Before `io`, whose handlers may refer to it.
    net::OwnThread dashboard_thread;
    asio::io_context io;
    const service::Clock clock;
    service::ServiceOptions options;
    options.version = DRAY_VERSION;
    options.policy_file = flags_.policy;
    options.engine.tell_after = Duration(0);  // who watches hears everything
    sim::ApiServerOptions server;
    server.gate_pods = true;
    server.protect_claims = true;
    service::EmbeddedApi api(io, clock, server);
    for (auto& object : cluster) api.load(std::move(object));
    service::EmbeddedScheduler scheduler(io, clock, api, {});
    service::Service service(io, options, api, clock);
    const bool json = flags_.output == "json";
    DemoPlayer player(io, api, service, clock, [json](const DemoRow& row) {
      print(json ? json_line(row) : table_line(row));
    });
    if (auto started = service.start(); !started) return std::unexpected(started.error());
    net::Url extender;
    extender.host = "127.0.0.1";
    extender.port = service.extender_port();
    if (auto started = scheduler.start(extender); !started) return std::unexpected(started.error());
    std::optional<dashboard::Dashboard> dashboard;
    if (!flags_.once) {
      dashboard::DashboardOptions at;
      at.server.port = flags_.dashboard_port;
      dashboard.emplace(dashboard_thread, dashboard_options(std::move(at), options),
                        dashboard_sources(service, api));
      const auto port = dashboard->start(dashboard::WhenTaken::any_port);
      if (!port) return std::unexpected(port.error());
      dashboard_port_ = *port;
    }
    if (!json) print(table_header());
    Played played{std::move(workload), *std::move(expectations), dashboard ? &*dashboard : nullptr};
    asio::co_spawn(player.strand(), run_to_end(&io, &player, &service, &played), asio::detached);
    {
      const std::jthread worker([&io] { io.run(); });
      io.run();
    }
    return played.as_declared;
  }

  asio::awaitable<void> run_to_end(asio::io_context* io, DemoPlayer* player,
                                   service::Service* service, Played* played) {
    const auto unmet =
        co_await player->play(std::move(played->workload), std::move(played->expectations));
    for (const auto& line : unmet) fmt::print(stderr, "dray demo: {}\n", line);
    played->as_declared = unmet.empty();
    if (!flags_.once) {
      // Before anybody reads that it serves, and ends it.
      asio::signal_set signals(*io, SIGTERM, SIGINT);
      if (flags_.output == "table") {
        print(fmt::format(
            "\nserving: extender http://127.0.0.1:{0}/v1, http://127.0.0.1:{1}/metrics and "
            "/readyz?verbose; Ctrl-C ends it",
            service->extender_port(), service->admin_port()));
      }
      if (flags_.output == "table" && played->dashboard != nullptr) {
        print(fmt::format("dashboard: http://localhost:{}/", dashboard_port_));
      }
      co_await signals.async_wait(asio::use_awaitable);
    }
    if (played->dashboard != nullptr) co_await played->dashboard->drain();
    co_await service->drain();
    io->stop();
  }

  DemoFlags flags_;
  bool declarations_hold_ = true;
  std::uint16_t dashboard_port_ = 0;
};

}  // namespace

std::unique_ptr<Command> add_demo(CLI::App& app) {
  return std::make_unique<DemoCommand>(app);
}

}  // namespace dray::app

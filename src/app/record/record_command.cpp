#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/exit_status.h"
#include "kube/config.h"
#include "kube/kube_api.h"
#include "service/clock.h"
#include "service/log.h"
#include "service/record/recorder.h"
#include "wire/yaml/duration.h"

namespace dray::app {
namespace {

namespace asio = boost::asio;

/// Looks on: what the API server shows goes into a record, and nothing is ever written.
class Onlooker {
 public:
  Onlooker(asio::io_context& io, kube::ClusterApi& api, service::Recorder& recorder,
           const service::Clock& clock)
      : api_(api), recorder_(recorder), clock_(clock), look_(io) {}

  void start() {
    api_.watch([this](kube::WatchEvent event) { saw(std::move(event)); });
    look_on();
  }
  /// The record shows until when it goes.
  void stop() {
    look_.cancel();
    api_.stop();
    recorder_.note(clock_.now(), service::TickInput{}, {}, {}, false);
  }

 private:
  /// What the API server tells comes one by one.
  void saw(kube::WatchEvent event) {
    if (std::holds_alternative<engine::Synced>(event)) {
      service::log_info(
          0, fmt::format("the cluster has been listed: {} objects", recorder_.figures().steps));
    }
    auto input = std::visit(
        [](auto& each) { return service::input_of(engine::Event(std::move(each))); }, event);
    recorder_.note(clock_.now(), std::move(input), {}, {}, false);
  }

  void look_on() {
    look_.expires_after(std::chrono::seconds(30));
    look_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (const auto trouble = api_.trouble(); trouble != told_) {
        service::log_warning(trouble.empty() ? "the API server answers again" : trouble);
        told_ = trouble;
      }
      look_on();
    });
  }

  kube::ClusterApi& api_;
  service::Recorder& recorder_;
  const service::Clock& clock_;
  asio::steady_timer look_;
  std::string told_;
};

/// The flight recorder beside whatever schedules a cluster today.
class RecordCommand : public Command {
 public:
  explicit RecordCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "record", "Record a cluster that dray does not schedule, with rights to look at it alone");
    command->add_option("DIR", options_.folder, "The folder of the record")->required();
    command->add_option(
        "--kubeconfig", source_.kubeconfig,
        "The cluster (without: $KUBECONFIG, else ~/.kube/config; in a pod its own)");
    command->add_option("--context", source_.context, "Of the kubeconfig");
    command->add_option("--for", for_, "Ends after that time: 90s, 7d (without: at SIGINT)");
    command
        ->add_option("--megabytes", megabytes_, "What the record may take; the oldest goes first")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    command
        ->add_option("--segment-megabytes", segment_megabytes_, "Of one file, before compression")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
    command->footer(
        "It only lists and watches. dray simulate --workload recorded:DIR shows what dray would "
        "have done. Exit status: 0 done, 2 the command line cannot be used, 3 the cluster does not "
        "answer or the record cannot be written.");
  }

  Result<int> run() override {
    std::optional<Duration> length;
    if (!for_.empty()) {
      length = wire::parse_duration(for_);
      if (!length || length->count() <= 0) {
        return fail(ErrorCode::invalid, "--for " + for_ + ": expected a time, as 90s, 5m or 7d");
      }
    }
    service::set_up_logging(service::LogFormat::text, 0);
    const auto config = source_.live_config();
    if (!config) return std::unexpected(config.error());
    for (const auto& warning : config->warnings) service::log_warning(warning);
    asio::io_context io(1);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    const service::Clock clock;
    options_.observed = true;
    options_.total_bytes = std::uint64_t{megabytes_} << 20U;
    options_.segment_bytes = std::uint64_t{segment_megabytes_} << 20U;
    options_.notice = [&](const std::string&) { asio::post(io, [&] { io.stop(); }); };
    auto recorder = service::Recorder::open(options_, {}, clock.now());
    if (!recorder) return std::unexpected(std::move(recorder.error()));
    std::random_device random;
    kube::KubeApiOptions api_options;
    api_options.seed = random();
    api_options.on_notice = [](const std::string& notice) { service::log_info(0, notice); };
    auto api = kube::KubeApi::make(io, *config, api_options);
    if (!api) return std::unexpected(std::move(api.error()));
    Onlooker onlooker(io, **api, **recorder, clock);
    asio::steady_timer end(io);
    if (length) {
      end.expires_after(*length);
      end.async_wait([&](const boost::system::error_code& error) {
        if (!error) io.stop();
      });
    }
    signals.async_wait([&](const boost::system::error_code& error, int) {
      if (!error) io.stop();
    });
    onlooker.start();
    service::log_info(0, "recording " + config->server.host + " into " + options_.folder);
    io.run();
    onlooker.stop();
    // What was noted last is written only now.
    if (auto whole = (*recorder)->finish(); !whole) return std::unexpected(whole.error());
    return done;
  }

 private:
  ClusterSource source_;
  service::RecorderOptions options_;
  std::string for_;
  std::size_t megabytes_ = 512;
  std::size_t segment_megabytes_ = 64;
};

}  // namespace

std::unique_ptr<Command> add_record(CLI::App& app) {
  return std::make_unique<RecordCommand>(app);
}

}  // namespace dray::app

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/cluster_api.h"
#include "kube/config.h"
#include "net/http_parser.h"
#include "net/own_thread.h"

namespace dray::kube {

struct KubeApiOptions {
  double qps = 0;           ///< at most so many writes a second on average; 0: no such bound
  std::size_t burst = 400;  ///< and at once
  /// At most so many requests at a time; how many there are is what the API server can bear.
  std::size_t connections = 128;
  /// Of a write but the Lease's; absent: engine::deadline_of().
  std::optional<std::chrono::milliseconds> write_deadline;
  /// Of a read or write of the Lease: a few of them fit into a term.
  std::chrono::milliseconds lease_deadline = std::chrono::seconds(3);
  net::HttpLimits limits{.header_bytes = 64U * 1024U, .body_bytes = 512ULL * 1024 * 1024};
  std::size_t line_bytes = 64UL * 1024 * 1024;  ///< the longest line of a watch
  std::size_t list_chunk = 500;
  std::chrono::milliseconds list_deadline = std::chrono::seconds(60);   ///< of a part of a list
  std::chrono::milliseconds watch_deadline = std::chrono::seconds(30);  ///< for one to begin
  std::chrono::milliseconds watch_silence = std::chrono::seconds(90);
  /// A kind that has failed for so long is trouble (readyz).
  std::chrono::milliseconds trouble_after = std::chrono::seconds(30);
  /// Between looks at the configuration's files: certificates and tokens are replaced while dray
  /// runs.
  std::chrono::milliseconds config_reload_every = std::chrono::seconds(2);
  std::uint64_t seed = 0;  ///< of jitter: different for each replica
  std::string gate = "dray.dev/admission";
  std::string instance = "dray";  ///< who reports Events, beside `dray`
  std::function<void(const std::string&)> on_notice;
};

class ConfigReload;
class Writer;

/// A real API server. Any thread; watch() tells on a strand of its own.
class KubeApi : public ClusterApi {
 public:
  static Result<std::unique_ptr<KubeApi>> make(boost::asio::io_context& io,
                                               const ClusterConfig& config, KubeApiOptions options);
  ~KubeApi() override;
  KubeApi(const KubeApi&) = delete;
  KubeApi& operator=(const KubeApi&) = delete;

  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write,
                                                     WriteTerms terms) override;
  boost::asio::awaitable<engine::Outbox::Status> backlog() override;
  boost::asio::awaitable<std::vector<WatchFigures>> watches() override;
  void watch(WatchSink sink) override;
  void stop() override;
  void abandon_writes() override;
  [[nodiscard]] std::string trouble() const override;
  [[nodiscard]] std::optional<TlsTrouble> tls_trouble() const override;

  /// Lists the claims again and tells what is different: what a new leader does before its first
  /// allocation, since its watch may be behind. An error if that took too long.
  boost::asio::awaitable<Result<void>> refresh_claims(std::chrono::milliseconds at_most) override;

  Result<Listed> list_now(const std::function<bool()>& go_on) override;

  /// Off the API server's /metrics, which dray's account must have leave to read.
  boost::asio::awaitable<Result<std::optional<alloc::FeatureGates>>> feature_gates() override;

  struct State;

 private:
  KubeApi(std::shared_ptr<State> state, std::shared_ptr<ConfigReload> reload,
          std::unique_ptr<net::OwnThread> lease_thread, std::shared_ptr<Writer> lease_writer);

  std::shared_ptr<State> state_;
  std::shared_ptr<ConfigReload> reload_;
  /// The Lease has a connection and a thread of its own: no backlog may slow its renewal.
  std::unique_ptr<net::OwnThread> lease_thread_;
  std::shared_ptr<Writer> lease_writer_;
};

}  // namespace dray::kube

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "dashboard/access.h"
#include "dashboard/explanations.h"
#include "dashboard/history.h"
#include "dashboard/history_file.h"
#include "dashboard/picture_reader.h"
#include "dashboard/simulations.h"
#include "dashboard/views.h"
#include "dashboard/web_page.h"
#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "net/http.h"
#include "service/admin_routes.h"
#include "service/engine_strand.h"

namespace dray::dashboard {

/// What the dashboard shows, of a service that outlives it.
struct Sources {
  service::EngineStrand& engine;
  kube::ClusterApi& api;
  metrics::Metrics& metrics;
  const service::Readiness& readiness;
};

struct BoardOptions {
  WebPage page;
  std::string version;
  engine::Options engine;
  service::PartitionOptions partition;  ///< of the cluster: what the engine decides about
  SimulationLimits simulations;
  ExplainLimits explanations;
  Explanations::Explain explain = {};  ///< empty: by the planner, as `engine` says
  /// Who may see what; empty: whoever reaches the port sees everything.
  Admit admit;
  /// Names by which the port may be asked for; empty: any. On loopback: so that no page of another
  /// site, whose name resolves to this host, can ask.
  std::vector<std::string> hosts;
  std::chrono::milliseconds fresh_for = std::chrono::milliseconds(400);
  std::chrono::milliseconds history_every = std::chrono::seconds(10);
  /// Where the history is kept beside memory, and what is there already; null: nowhere.
  std::shared_ptr<HistoryFile::Opened> history_file;
  std::size_t most_streams = 32;  ///< of events; more are told to come again
};

/// Where Simulations are asked.
inline constexpr std::string_view simulate_path = "/v1/simulate";

/// The routes of the dashboard: the page at /, under /v1/dashboard/ what it shows, as JSON, and
/// `events`, a stream that says when there is something new; and Simulations. It reads, and changes
/// nothing. Lives
/// on the one thread of its `io`, where long answers hold up nobody but other viewers.
class Board : public std::enable_shared_from_this<Board> {
 public:
  Board(boost::asio::io_context& io, BoardOptions options, Sources sources);

  boost::asio::awaitable<net::HttpResponse> answer(net::HttpRequest request);
  /// Samples the history until stop().
  boost::asio::awaitable<void> keep_history();
  /// Streams and explanations end, and the history's timer. On the thread.
  void stop();
  /// No simulation and no explanation runs any more. Blocks; off the thread, which runs no more.
  void end() {
    explanations_.end();
    simulations_.end();
  }

 private:
  struct Asked;
  boost::asio::awaitable<std::expected<Asked, net::HttpResponse>> let_in(net::HttpRequest request);
  boost::asio::awaitable<net::HttpResponse> route(net::HttpRequest request);
  net::HttpResponse simulate(const Asked& asked);
  boost::asio::awaitable<net::HttpResponse> view(Asked asked);
  boost::asio::awaitable<net::HttpResponse> explain(Asked asked);
  boost::asio::awaitable<net::HttpResponse> health(Asked asked);
  boost::asio::awaitable<net::HttpResponse> metrics_page(Asked asked);
  net::HttpResponse events();
  boost::asio::awaitable<void> stream(std::shared_ptr<net::BodySink> sink);
  void write_history(const History::Change& change);
  [[nodiscard]] Standing standing(const Viewer& viewer) const;

  boost::asio::io_context& io_;
  BoardOptions options_;
  Sources sources_;
  PictureReader reader_;
  History history_;
  boost::asio::steady_timer history_timer_;
  std::size_t streams_ = 0;
  bool stopped_ = false;
  Explanations explanations_;
  Simulations simulations_;
};

}  // namespace dray::dashboard

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dray/engine/engine.h"
#include "dray/engine/lease.h"
#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "net/http_server.h"
#include "net/own_thread.h"
#include "service/admin_routes.h"
#include "service/clock.h"
#include "service/engine_strand.h"
#include "service/fence.h"
#include "service/gate_watch.h"
#include "service/leadership.h"
#include "service/partition.h"
#include "service/policy_file.h"
#include "service/policy_watch.h"
#include "service/request_queue.h"
#include "service/standby_watch.h"
#include "service/tracer.h"

namespace dray::service {

/// The bounds of the port for health and metrics. Nobody shows who he is there, and what is asked
/// is short: one who opens many connections, sends much or nothing must not keep the kubelet's
/// probes out.
[[nodiscard]] net::HttpServerOptions health_port();

struct ServiceOptions {
  engine::Options engine;
  net::HttpServerOptions extender;
  RequestQueueOptions extender_queue;
  net::HttpServerOptions admin = health_port();
  /// Absent: this is the only replica, and leads from the start.
  std::optional<engine::LeaseKeeper::Options> lease;
  Duration standby_round = std::chrono::seconds(5);  ///< between looks at who stands by
  std::string policy_file;                           ///< empty: one queue without limits
  std::string version;
  RecorderOptions record;
  std::optional<TracerOptions> tracing;  ///< absent: nobody wants spans
  PartitionOptions partition;            ///< that Partition::check() accepts
  std::string sandbox = {};              ///< what the process has given up; for /readyz?verbose
  std::chrono::milliseconds drain =
      std::chrono::seconds(15);  ///< for requests and writes in flight; no write takes longer
  /// A leader whose port cannot be opened does not try for the Lease again before.
  std::chrono::milliseconds rest = std::chrono::seconds(10);
};

/// dray as it runs beside a cluster: watch, engine, leadership, the extender's port (served by the
/// leader only: losing the Lease cuts every connection), and the port for health and metrics. After
/// a broken invariant only that port is left: nothing is written, and the Lease is given back.
class Service {
 public:
  Service(boost::asio::io_context& io, ServiceOptions options, kube::ClusterApi& api,
          const Clock& clock);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Opens the ports and starts watching.
  Result<void> start();
  /// Where the extender listens once it leads; with port 0 the one that it got.
  [[nodiscard]] std::uint16_t extender_port() const { return ports_.extender; }
  [[nodiscard]] std::uint16_t admin_port() const { return ports_.admin; }
  [[nodiscard]] EngineStrand& engine() { return engine_; }
  [[nodiscard]] metrics::Metrics& metrics() { return metrics_; }
  [[nodiscard]] const Readiness& readiness() const { return readiness_; }

  /// Reads the policy file again, now.
  void reload_policy();

  /// readyz turns 503. drain() begins with it, too.
  void begin_draining() { readiness_.draining = true; }
  /// Requests and writes in flight are finished (within ServiceOptions::drain),
  /// the Lease is given back.
  boost::asio::awaitable<void> drain();
  /// Writes what the recorder still has. Call when no thread runs the io_context any more; health
  /// is not answered any more.
  void end_recording() {
    admin_.thread.stop();
    engine_.end_recording();
  }

 private:
  void leadership_changed(engine::LeadershipChanged change);
  boost::asio::awaitable<void> take_over(engine::LeadershipChanged change);
  void saw(kube::WatchEvent event);
  void stop_serving();
  [[nodiscard]] bool stands_by() const;
  void broke(const std::string& what);
  boost::asio::awaitable<void> writes_end();
  boost::asio::awaitable<void> give_up();

  boost::asio::io_context& io_;
  ServiceOptions options_;
  kube::ClusterApi& api_;
  const Clock& clock_;
  metrics::Metrics metrics_;
  std::unique_ptr<Tracer> tracer_;  ///< null: nobody wants spans
  Fence fence_;
  struct Watches {
    GateWatch gates;
    std::optional<StandbyWatch> standbys = {};  ///< absent: there is no Lease
    std::optional<PolicyWatch> policy = {};     ///< made with the engine
  } watches_;
  Partition partition_;
  Readiness readiness_;
  EngineStrand engine_;
  RequestQueue requests_;
  net::HttpServer extender_;
  /// Health and metrics wait behind no request of the extender.
  struct Admin {
    Admin(net::HttpServerOptions options, net::HttpHandler handler)
        : server(thread.io(), std::move(options), std::move(handler)) {}

    net::OwnThread thread;
    net::HttpServer server;
  } admin_;
  std::optional<PolicyFile> policy_;
  std::optional<Leadership> leadership_;
  struct Ports {
    std::uint16_t extender = 0;
    std::uint16_t admin = 0;
  } ports_;
};

}  // namespace dray::service

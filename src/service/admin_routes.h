#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "dray/policy/config.h"
#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "net/http.h"
#include "net/published.h"
#include "service/engine_strand.h"
#include "service/gate_watch.h"
#include "service/leadership.h"
#include "service/policy_watch.h"
#include "service/standby_watch.h"

namespace dray::service {

/// What /readyz asks besides the engine. Any thread.
struct Readiness {
  std::atomic<bool> draining{false};
  std::atomic<bool> synced{false};           ///< the cluster has been listed
  Published<std::string> broken;             ///< which invariant broke: nothing is written any more
  Published<std::string> port_problem;       ///< why the extender's port is not open; empty: it is
  Published<std::string> policy_problem;     ///< why the policy file as it is now is not in force
  Published<policy::PolicyConfig> policy;    ///< the policy file in force; null: none is
  std::atomic<std::int32_t> lease_epoch{0};  ///< 0: another leads, or there is no Lease
  std::atomic<std::uint64_t> policy_generation{0};  ///< policy files put in force so far
  /// The API server's feature gates, which make nothing unready; null: nobody reads them. Fixed
  /// before the port opens.
  const GateWatch* gates = nullptr;
  /// What the policy names and the cluster lacks, which makes nothing unready; null: nobody looks.
  const PolicyWatch* policy_watch = nullptr;
  /// The Lease of the leader, and who stands by; null: there is no Lease. As `gates`.
  const Leadership* leadership = nullptr;
  const StandbyWatch* standbys = nullptr;
  std::string sandbox = {};  ///< what the process has given up. As `gates`.
  /// /livez fails when TLS has kept dray from the API server for longer: the Lease's duration.
  Duration tls_patience = std::chrono::seconds(15);
};

/// What a page of metrics shows now. All three outlive the call; any thread.
[[nodiscard]] boost::asio::awaitable<metrics::Reading> read_metrics(EngineStrand& engine,
                                                                    kube::ClusterApi& api,
                                                                    const Readiness& readiness);

/// Health and metrics: /livez, /readyz (both with ?verbose), /metrics. /livez fails when a restart
/// may help: the strand does not answer, or TLS keeps dray from the API server though its files are
/// read again. After a broken invariant it stays 200, so that nobody restarts what somebody should
/// look at.
[[nodiscard]] net::HttpHandler admin_routes(EngineStrand& engine, kube::ClusterApi& api,
                                            metrics::Metrics& metrics, const Readiness& readiness);

}  // namespace dray::service

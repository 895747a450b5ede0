#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/common/config_file.h"
#include "app/serve/address.h"
#include "dray/base/error.h"
#include "kube/kube_api.h"
#include "service/service.h"

namespace dray::app {

/// The flags of `dray serve`, as given.
struct ServeFlags {
  std::string config;
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> cluster;
  std::string extender_address = "0.0.0.0:9443";
  std::string extender_tls_cert;
  std::string extender_tls_key;
  std::string client_ca;
  std::vector<std::string> allowed_clients;
  bool insecure_extender = false;
  std::string admin_address = "0.0.0.0:8443";
  std::string admin_tls_cert;
  std::string admin_tls_key;
  std::string dashboard_address = "127.0.0.1:8080";  ///< empty: there is none
  std::string dashboard_tls_cert;
  std::string dashboard_tls_key;
  std::string history;          ///< file of what the dashboard shows over time; empty: memory alone
  std::size_t simulations = 1;  ///< at a time, of who asks that port
  std::string policy;
  std::string scheduler_name = "dray-scheduler";
  std::string nodes;
  std::vector<std::string> drivers;
  std::string mode = "allocate";
  std::string
      devices;  ///< empty: best in mode allocate; in mode advise they are not dray's to choose
  std::vector<std::string> feature_gates;
  std::vector<std::string> limit;  ///< NAME=VALUE, see limits.h
  std::string reservation_life = "90s";
  std::string plan_pause = "50ms";
  std::size_t nominate_from_nodes = 1000;
  bool leader_elect = true;
  std::string leader_elect_namespace = "dray-system";
  std::string leader_elect_name = "dray";
  std::string leader_elect_lease_duration = "15s";
  std::string leader_elect_renew_period = "2s";
  std::string identity;
  double kube_api_qps = 0;
  std::size_t kube_api_burst = 400;
  std::string drain = "15s";
  std::string record;
  std::uint64_t record_megabytes = 512;
  std::uint64_t record_segment_megabytes = 64;
  std::string otlp_endpoint;
  double otlp_sampling = 1;
  unsigned threads = 0;
  std::string sandbox = "on";
  int verbosity = 0;
  std::string logging_format = "text";
};

void add_serve_flags(CLI::App& command, ServeFlags& flags);
/// The file that --config names.
[[nodiscard]] ConfigForm dray_configuration();

/// What they mean, or what is wrong with them.
[[nodiscard]] Result<service::ServiceOptions> service_options(const ServeFlags& flags);
/// Where the dashboard listens; nothing: it is off. On another address than loopback the API server
/// is asked who may look.
[[nodiscard]] Result<std::optional<net::HttpServerOptions>> dashboard_server(
    const ServeFlags& flags);
[[nodiscard]] Result<kube::KubeApiOptions> kube_api_options(const ServeFlags& flags,
                                                            std::uint64_t seed);

}  // namespace dray::app

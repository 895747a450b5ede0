#include "app/serve/serve_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "app/common/feature_gates.h"
#include "app/serve/limits.h"
#include "app/serve/tracing_options.h"
#include "dashboard/dashboard.h"
#include "service/log.h"
#include "wire/yaml/duration.h"

namespace dray::app {
namespace {

Result<std::chrono::milliseconds> duration(std::string_view flag, const std::string& text) {
  const auto parsed = wire::parse_duration(text);
  if (!parsed || parsed->count() <= 0) {
    return fail(ErrorCode::invalid,
                fmt::format("--{}: \"{}\" is no time; write 500ms, 90s or 1m30s", flag, text));
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(*parsed);
}

/// Names this replica in the Lease: the pod's name, which is its host name too.
std::string default_identity() {
  if (const char* pod = std::getenv("POD_NAME"); pod != nullptr && *pod != '\0') return pod;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) return host.data();
  return "dray";
}

Result<void> listen_on(net::HttpServerOptions& server, std::string_view flag,
                       const std::string& address) {
  const auto where = parse_address(address);
  if (!where) return std::unexpected(Error(where.error()).within(fmt::format("--{}", flag)));
  server.address = where->host;
  server.port = where->port;
  server.on_notice = [](const std::string& notice) { service::log_info(0, notice); };
  return {};
}

Result<void> secure_extender(net::HttpServerOptions& server, const ServeFlags& flags) {
  const bool any_tls = !flags.extender_tls_cert.empty() || !flags.extender_tls_key.empty() ||
                       !flags.client_ca.empty();
  if (flags.insecure_extender) {
    if (any_tls) {
      return fail(ErrorCode::invalid, "--insecure-extender excludes the extender's TLS files");
    }
    if (server.address != "127.0.0.1" && server.address != "::1" && server.address != "localhost") {
      return fail(ErrorCode::invalid,
                  "--insecure-extender is for a loopback --extender-address only: whoever reaches "
                  "the extender can have pods bound");
    }
    server.hosts = {"localhost", "127.0.0.1", "[::1]"};
    return {};
  }
  if (flags.extender_tls_cert.empty() || flags.extender_tls_key.empty() ||
      flags.client_ca.empty()) {
    return fail(ErrorCode::invalid,
                "the extender needs --extender-tls-cert, --extender-tls-key and --client-ca (or "
                "--insecure-extender on a loopback address)");
  }
  server.tls = net::ServerTlsFiles{.certificate = flags.extender_tls_cert,
                                   .key = flags.extender_tls_key,
                                   .client_ca = flags.client_ca};
  server.allowed_clients = flags.allowed_clients;
  return {};
}

Result<engine::LeaseKeeper::Options> lease_options(const ServeFlags& flags) {
  const auto life = duration("leader-elect-lease-duration", flags.leader_elect_lease_duration);
  if (!life) return std::unexpected(life.error());
  const auto renew = duration("leader-elect-renew-period", flags.leader_elect_renew_period);
  if (!renew) return std::unexpected(renew.error());
  engine::LeaseKeeper::Options lease;
  lease.lease = {flags.leader_elect_namespace, flags.leader_elect_name};
  lease.identity = flags.identity.empty() ? default_identity() : flags.identity;
  if (lease.identity.size() > engine::longest_identity) {
    return fail(ErrorCode::invalid,
                fmt::format("--identity: at most {} characters, since each write bears it",
                            engine::longest_identity));
  }
  lease.duration = *life;
  lease.renew_every = *renew;
  lease.fence = lease.duration / 3;  // client-go's proportion of 15 s to a renew deadline of 10 s
  if (lease.duration < std::chrono::seconds(5) || lease.renew_every * 3 >= lease.duration) {
    return fail(ErrorCode::invalid,
                "--leader-elect-lease-duration must be at least 5s and more than three times "
                "--leader-elect-renew-period");
  }
  return lease;
}

Result<void> set_mode(engine::Options& options, const ServeFlags& flags) {
  if (flags.mode == "advise") {
    if (flags.devices == "best") {
      return fail(ErrorCode::invalid,
                  "--mode advise excludes --devices best: kube-scheduler chooses the devices, "
                  "first fit");
    }
    if (!flags.cluster.empty()) {
      return fail(ErrorCode::invalid,
                  "--mode advise excludes --cluster: nobody allocates devices in a cluster that is "
                  "kept in memory");
    }
    options.mode = engine::Mode::advise;
  }
  const bool first_fit = flags.devices == "first-fit" || options.mode == engine::Mode::advise;
  options.allocator.mode = first_fit ? alloc::Mode::first_fit : alloc::Mode::best;
  return {};
}

void add_port_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--extender-address", f.extender_address, "Where kube-scheduler asks")
      ->capture_default_str();
  command.add_option("--extender-tls-cert", f.extender_tls_cert,
                     "Certificate of the extender, PEM");
  command.add_option("--extender-tls-key", f.extender_tls_key, "Its key, PEM");
  command.add_option("--client-ca", f.client_ca, "CA that signs kube-scheduler's certificate, PEM");
  command.add_option("--allowed-clients", f.allowed_clients,
                     "Common names that may call; all that the CA signed if not given");
  command.add_flag("--insecure-extender", f.insecure_extender, "Plain HTTP; on loopback only");
  command.add_option("--admin-address", f.admin_address, "Where /livez, /readyz and /metrics are")
      ->capture_default_str();
  command.add_option("--admin-tls-cert", f.admin_tls_cert, "Certificate of the admin port, PEM");
  command.add_option("--admin-tls-key", f.admin_tls_key, "Its key, PEM");
  command
      .add_option(
          "--dashboard-address", f.dashboard_address,
          "Where the dashboard is; empty: nowhere. On another address than loopback it needs "
          "a certificate, and the API server says who may see what")
      ->capture_default_str();
  command.add_option("--dashboard-tls-cert", f.dashboard_tls_cert,
                     "Certificate of the dashboard, PEM");
  command.add_option("--dashboard-tls-key", f.dashboard_tls_key, "Its key, PEM");
  command.add_option("--history", f.history,
                     "File that keeps the dashboard's curves over a restart (SQLite); at most two "
                     "weeks of them, and 64 MiB");
  command
      .add_option("--simulations", f.simulations,
                  "How many may be asked of the dashboard's port at a time; 0: none")
      ->check(CLI::Range(0, 16))
      ->capture_default_str();
}

void add_engine_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--policy", f.policy,
                     "Policy file: queues, gangs, placement; read again when it changes, and at "
                     "SIGHUP");
  command.add_option("--scheduler-name", f.scheduler_name, "schedulerName of the pods to serve")
      ->capture_default_str();
  command.add_option(
      "--nodes", f.nodes,
      "Labels of the nodes to decide about, of several drays of a cluster: pool=blue");
  command
      .add_option("--drivers", f.drivers,
                  "Drivers of the devices to decide about, of several drays of a cluster")
      ->delimiter(',');
  command
      .add_option("--mode", f.mode,
                  "Who chooses devices, writes allocations and binds: dray (allocate), or "
                  "kube-scheduler by dray's advice (advise)")
      ->check(CLI::IsMember({"allocate", "advise"}))
      ->capture_default_str();
  command
      .add_option("--devices", f.devices,
                  "How devices are chosen on a node: best, or first-fit as kube-scheduler does it; "
                  "in mode allocate best if not given, in mode advise always first-fit")
      ->check(CLI::IsMember({"best", "first-fit"}));
  add_feature_gates(command, f.feature_gates);
  command
      .add_option("--reservation-life", f.reservation_life,
                  "How long a lifted pod keeps its devices without a sign of kube-scheduler")
      ->capture_default_str();
  command
      .add_option("--plan-pause", f.plan_pause,
                  "After a plan, or as long as that took: what comes meanwhile is planned together")
      ->capture_default_str();
  command
      .add_option("--nominate-from-nodes", f.nominate_from_nodes,
                  "From this many nodes on, nominatedNodeName is set before the gate is lifted")
      ->capture_default_str();
}

void add_lease_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--leader-elect", f.leader_elect, "Write only while holding the Lease")
      ->default_str("true");
  command
      .add_option("--leader-elect-namespace", f.leader_elect_namespace,
                  "Namespace of the Lease, and of the ConfigMaps that dray writes")
      ->capture_default_str();
  command.add_option("--leader-elect-name", f.leader_elect_name, "Name of the Lease")
      ->capture_default_str();
  command
      .add_option("--leader-elect-lease-duration", f.leader_elect_lease_duration,
                  "Others may take the Lease when it was not renewed for so long; at least 5s")
      ->capture_default_str();
  command
      .add_option("--leader-elect-renew-period", f.leader_elect_renew_period,
                  "How often it is renewed; less than a third of its duration")
      ->capture_default_str();
  command.add_option("--identity", f.identity,
                     "Name of this replica in the Lease; no two may share one (default: $POD_NAME, "
                     "else the host name)");
}

void add_record_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--record", f.record,
                     "Folder for the flight recorder: what dray is told and decides, for `dray "
                     "replay`");
  command
      .add_option("--record-megabytes", f.record_megabytes,
                  "What the files of the record may take; the oldest go first")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--record-segment-megabytes", f.record_segment_megabytes,
                  "Of one file, before compression")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

ConfigForm dray_configuration() {
  return {.kind = "DrayConfiguration", .own_flag = "config"};
}

void add_serve_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--config", f.config,
                     "DrayConfiguration file: every flag is a field of it; read again at SIGHUP");
  auto* kubeconfig = command.add_option("--kubeconfig", f.kubeconfig,
                                        "How to reach the API server; without it and without "
                                        "--cluster: the pod's service account, else $KUBECONFIG, "
                                        "else ~/.kube/config");
  command.add_option("--context", f.context, "Context of the kubeconfig, if not its current one");
  command
      .add_option("--cluster", f.cluster, "Manifest files or folders of a cluster kept in memory")
      ->excludes(kubeconfig);
  add_port_flags(command, f);
  add_engine_flags(command, f);
  add_lease_flags(command, f);
  add_record_flags(command, f);
  add_tracing_flags(command, f);
  command
      .add_option("--kube-api-qps", f.kube_api_qps,
                  "At most so many writes a second; 0: as many as the API server bears")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      .add_option("--kube-api-burst", f.kube_api_burst, "And so many at once, if there is a limit")
      ->capture_default_str();
  command
      .add_option("--limit", f.limit,
                  "Another bound for what dray accepts, as extender.body=32Mi (may be repeated); "
                  "`dray limits` lists them")
      ->allow_extra_args(false);
  command
      .add_option("--drain", f.drain, "How long requests and writes in flight may take at SIGTERM")
      ->capture_default_str();
  command.add_option("--threads", f.threads, "For requests; 0: one a core, and one more")
      ->capture_default_str();
  command.add_option("--sandbox", f.sandbox, "Give up files and system calls that are not needed")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command
      .add_option("-v,--verbosity", f.verbosity,
                  "What is logged, 0 to 10: 2 decisions, 4 each step of them")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  command
      .add_option("--logging-format", f.logging_format,
                  "Lines as Kubernetes' own programs write them, or one JSON object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

Result<service::ServiceOptions> service_options(const ServeFlags& flags) {
  auto limited = limited_parts(flags.limit);
  if (!limited) return std::unexpected(std::move(limited.error()));
  auto options = std::move(limited->service);
  options.version = DRAY_VERSION;
  options.policy_file = flags.policy;
  options.record.folder = flags.record;
  options.record.total_bytes = flags.record_megabytes << 20;
  options.record.segment_bytes = flags.record_segment_megabytes << 20;
  options.engine.scheduler_name = flags.scheduler_name;
  options.partition = {.nodes = flags.nodes, .drivers = flags.drivers};
  if (const auto is = service::Partition::check(options.partition); !is) {
    return std::unexpected(Error(is.error()).within("--nodes"));
  }
  options.engine.nominate_from_nodes = flags.nominate_from_nodes;
  if (auto set = set_mode(options.engine, flags); !set) return std::unexpected(set.error());
  auto& features = options.engine.allocator.features;
  if (auto set = set_feature_gates(features, flags.feature_gates); !set) {
    return std::unexpected(set.error());
  }
  const auto life = duration("reservation-life", flags.reservation_life);
  if (!life) return std::unexpected(life.error());
  options.engine.reservation_life = *life;
  const auto pause = duration("plan-pause", flags.plan_pause);
  if (!pause) return std::unexpected(pause.error());
  options.engine.plan_pause = *pause;
  const auto drain = duration("drain", flags.drain);
  if (!drain) return std::unexpected(drain.error());
  options.drain = *drain;
  if (auto set = listen_on(options.extender, "extender-address", flags.extender_address); !set) {
    return std::unexpected(set.error());
  }
  if (auto set = secure_extender(options.extender, flags); !set) {
    return std::unexpected(set.error());
  }
  if (auto set = listen_on(options.admin, "admin-address", flags.admin_address); !set) {
    return std::unexpected(set.error());
  }
  if (flags.admin_tls_cert.empty() != flags.admin_tls_key.empty()) {
    return fail(ErrorCode::invalid, "--admin-tls-cert and --admin-tls-key go together");
  }
  if (!flags.admin_tls_cert.empty()) {
    options.admin.tls = net::ServerTlsFiles{
        .certificate = flags.admin_tls_cert, .key = flags.admin_tls_key, .client_ca = ""};
  }
  auto tracing = tracing_options(flags, kube::process_environment);
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  options.tracing = *std::move(tracing);
  if (options.tracing) {
    options.tracing->source.instance = flags.identity.empty() ? default_identity() : flags.identity;
  }
  if (flags.cluster.empty() && flags.leader_elect) {
    const auto lease = lease_options(flags);
    if (!lease) return std::unexpected(lease.error());
    options.lease = *lease;
    options.engine.usage_record = {lease->lease.namespace_name, "dray-usage"};
    options.engine.queue_users_record = {lease->lease.namespace_name, "dray-queue-users"};
  }
  return options;
}

Result<std::optional<net::HttpServerOptions>> dashboard_server(const ServeFlags& flags) {
  if (flags.dashboard_address.empty()) {
    if (flags.history.empty()) return std::nullopt;
    return fail(ErrorCode::invalid, "--history keeps the dashboard's curves, and there is none");
  }
  auto limited = limited_parts(flags.limit);
  if (!limited) return std::unexpected(std::move(limited.error()));
  auto server = std::move(limited->dashboard.server);
  if (auto set = listen_on(server, "dashboard-address", flags.dashboard_address); !set) {
    return std::unexpected(set.error());
  }
  if (flags.dashboard_tls_cert.empty() != flags.dashboard_tls_key.empty()) {
    return fail(ErrorCode::invalid, "--dashboard-tls-cert and --dashboard-tls-key go together");
  }
  if (!flags.dashboard_tls_cert.empty()) {
    server.tls = net::ServerTlsFiles{
        .certificate = flags.dashboard_tls_cert, .key = flags.dashboard_tls_key, .client_ca = ""};
  }
  if (dashboard::is_loopback(server.address)) return server;
  if (!flags.cluster.empty()) {
    return fail(ErrorCode::invalid,
                "--dashboard-address excludes --cluster unless it is on loopback: no API server "
                "says who may look");
  }
  if (!server.tls) {
    return fail(
        ErrorCode::invalid,
        "--dashboard-address: on another address than loopback tokens come over the network, "
        "so that --dashboard-tls-cert and --dashboard-tls-key are needed (or kubectl "
        "port-forward, to loopback)");
  }
  return server;
}

Result<kube::KubeApiOptions> kube_api_options(const ServeFlags& flags, std::uint64_t seed) {
  auto limited = limited_parts(flags.limit);
  if (!limited) return std::unexpected(std::move(limited.error()));
  auto options = std::move(limited->api);
  options.qps = flags.kube_api_qps;
  options.burst = flags.kube_api_burst;
  options.seed = seed;
  options.instance = flags.identity.empty() ? default_identity() : flags.identity;
  options.on_notice = [](const std::string& notice) { service::log_info(0, notice); };
  return options;
}

}  // namespace dray::app

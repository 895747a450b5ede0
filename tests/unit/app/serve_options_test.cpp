#include "app/serve/serve_options.h"

#include <catch2/catch.hpp>
#include <functional>

#include "dray/engine/write_class.h"

namespace dray::app::serve_options_test {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;

/// What is given on the command line.
Result<ServeFlags> parsed(std::vector<std::string> arguments) {
  CLI::App command;
  ServeFlags flags;
  add_serve_flags(command, flags);
  std::ranges::reverse(arguments);  // as CLI11 takes them
  try {
    command.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::invalid, error.what());
  }
  return flags;
}

/// Enough to start on loopback without certificates.
ServeFlags loopback() {
  ServeFlags flags;
  flags.extender_address = "127.0.0.1:9443";
  flags.insecure_extender = true;
  flags.identity = "us";
  return flags;
}

}  // namespace

TEST_CASE("without flags dray serves as the documents say") {
  const auto flags = parsed({}).value();
  CHECK(flags.extender_address == "0.0.0.0:9443");
  CHECK(flags.admin_address == "0.0.0.0:8443");
  CHECK(flags.scheduler_name == "dray-scheduler");
  CHECK(flags.leader_elect);
  CHECK_FALSE(flags.insecure_extender);
  const auto options = service_options(loopback()).value();
  CHECK(options.version == DRAY_VERSION);
  CHECK(options.policy_file.empty());
  CHECK(options.drain == 15s);
  // Who drains keeps the Lease until its writes have ended.
  CHECK(options.drain > engine::eviction_deadline);
  CHECK(options.engine.scheduler_name == "dray-scheduler");
  CHECK(options.engine.reservation_life == 90s);
  CHECK(options.engine.nominate_from_nodes == 1000);
  CHECK(options.engine.allocator.mode == alloc::Mode::best);
  CHECK(options.extender.address == "127.0.0.1");
  CHECK(options.extender.port == 9443);
  CHECK_FALSE(options.extender.tls);
  CHECK(options.admin.port == 8443);
  CHECK_FALSE(options.admin.tls);
  REQUIRE(options.lease);
  CHECK(options.lease->lease == LeaseKey{"dray-system", "dray"});
  CHECK(options.lease->identity == "us");
  CHECK(options.lease->duration == 15s);
  CHECK(options.lease->renew_every == 2s);
  CHECK(options.engine.usage_record == ConfigMapKey{"dray-system", "dray-usage"});
  CHECK(options.engine.queue_users_record == ConfigMapKey{"dray-system", "dray-queue-users"});
}

TEST_CASE("feature gates arrive at the engine's allocator, and a wrong one is an error") {
  auto flags = loopback();
  flags.feature_gates = {"DRADerivedAttributes=true", "DRADeviceTaints=false"};
  const auto features = service_options(flags).value().engine.allocator.features;
  CHECK(features.derived_attributes);
  CHECK_FALSE(features.device_taints);
  CHECK(features.device_binding_and_status);
  CHECK(parsed({"--feature-gates", "A=true,B=false"})->feature_gates ==
        std::vector<std::string>{"A=true", "B=false"});
  flags.feature_gates = {"CPUManager=true"};
  CHECK_THAT(service_options(flags).error().message, Contains("\"CPUManager=true\" is none"));
}

TEST_CASE("each flag arrives where it belongs") {
  struct Row {
    const char* name;
    std::vector<std::string> arguments;
    std::function<bool(const service::ServiceOptions&)> holds;
  };
  const auto row = GENERATE(
      Row{"reservation life",
          {"--reservation-life", "2m"},
          [](const auto& o) { return o.engine.reservation_life == 2min; }},
      Row{"nominate",
          {"--nominate-from-nodes", "7"},
          [](const auto& o) { return o.engine.nominate_from_nodes == 7; }},
      Row{"scheduler name",
          {"--scheduler-name", "mine"},
          [](const auto& o) { return o.engine.scheduler_name == "mine"; }},
      Row{"policy",
          {"--policy", "p.yaml"},
          [](const auto& o) { return o.policy_file == "p.yaml"; }},
      Row{"drain", {"--drain", "500ms"}, [](const auto& o) { return o.drain == 500ms; }},
      Row{"admin address",
          {"--admin-address", "[::1]:7"},
          [](const auto& o) { return o.admin.address == "::1" && o.admin.port == 7; }},
      Row{"admin certificate",
          {"--admin-tls-cert", "c", "--admin-tls-key", "k"},
          [](const auto& o) {
            return o.admin.tls && o.admin.tls->certificate == "c" && o.admin.tls->key == "k" &&
                   o.admin.tls->client_ca.empty();
          }},
      Row{"no leader election", {"--leader-elect=false"}, [](const auto& o) { return !o.lease; }},
      Row{"a cluster of files needs no Lease",
          {"--cluster", "folder"},
          [](const auto& o) { return !o.lease; }},
      Row{"lease",
          {"--leader-elect-namespace", "ns", "--leader-elect-name", "l",
           "--leader-elect-lease-duration", "30s", "--leader-elect-renew-period", "3s"},
          [](const auto& o) {
            return o.lease->lease == LeaseKey{"ns", "l"} && o.lease->duration == 30s &&
                   o.lease->renew_every == 3s &&
                   o.engine.usage_record == ConfigMapKey{"ns", "dray-usage"};
          }});
  DYNAMIC_SECTION(row.name) {
    auto arguments = row.arguments;
    for (const auto* more : {"--insecure-extender", "--extender-address", "127.0.0.1:0"}) {
      arguments.emplace_back(more);
    }
    const auto flags = parsed(arguments);
    REQUIRE(flags);
    const auto options = service_options(*flags);
    REQUIRE(options);
    CHECK(row.holds(*options));
  }
}

TEST_CASE("the dashboard is on loopback, or has a certificate and an API server to ask") {
  const auto server = [](std::vector<std::string> arguments) {
    return dashboard_server(parsed(std::move(arguments)).value());
  };
  CHECK((*server({})).value().address == "127.0.0.1");
  CHECK_FALSE(server({"--dashboard-address", ""}).value());
  const auto open = server({"--dashboard-address", "0.0.0.0:8080", "--dashboard-tls-cert", "c",
                            "--dashboard-tls-key", "k"});
  REQUIRE((open && *open));
  CHECK((*open)->tls->certificate == "c");
  CHECK((*open)->tls->key == "k");
  CHECK((*open)->tls->client_ca.empty());
  struct Row {
    const char* name;
    std::vector<std::string> arguments;
    std::string want;
  };
  const auto row = GENERATE(Row{"plain", {"--dashboard-address", "0.0.0.0:8080"}, "are needed"},
                            Row{"a history of none",
                                {"--dashboard-address", "", "--history", "file"},
                                "--history keeps the dashboard's curves"},
                            Row{"half a certificate", {"--dashboard-tls-key", "k"}, "go together"},
                            Row{"without a cluster",
                                {"--dashboard-address", "[::]:8080", "--dashboard-tls-cert", "c",
                                 "--dashboard-tls-key", "k", "--cluster", "folder"},
                                "no API server"});
  DYNAMIC_SECTION(row.name) {
    const auto refused = server(row.arguments);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Contains(row.want));
  }
}

TEST_CASE("the extender is served with mutual TLS, to whom the list names") {
  const auto flags = parsed({"--extender-tls-cert", "c", "--extender-tls-key", "k", "--client-ca",
                             "ca", "--allowed-clients", "a", "--allowed-clients", "b"});
  REQUIRE(flags);
  const auto options = service_options(*flags).value();
  REQUIRE(options.extender.tls);
  CHECK(options.extender.tls->certificate == "c");
  CHECK(options.extender.tls->key == "k");
  CHECK(options.extender.tls->client_ca == "ca");
  CHECK(options.extender.allowed_clients == std::vector<std::string>{"a", "b"});
}

TEST_CASE("what does not go together, or has no meaning, is named") {
  struct Row {
    const char* name;
    void (*spoil)(ServeFlags&);
    const char* word;
  };
  const auto row = GENERATE(
      Row{"no certificates", [](ServeFlags& f) { f.insecure_extender = false; }, "--client-ca"},
      Row{"a certificate without a CA",
          [](ServeFlags& f) {
            f.insecure_extender = false;
            f.extender_tls_cert = f.extender_tls_key = "x";
          },
          "--client-ca"},
      Row{"insecure with certificates", [](ServeFlags& f) { f.client_ca = "x"; },
          "--insecure-extender excludes"},
      Row{"insecure for everybody", [](ServeFlags& f) { f.extender_address = "0.0.0.0:1"; },
          "loopback"},
      Row{"half of the admin's pair", [](ServeFlags& f) { f.admin_tls_key = "x"; },
          "--admin-tls-cert and --admin-tls-key"},
      Row{"extender address", [](ServeFlags& f) { f.extender_address = "9443"; },
          "--extender-address: \"9443\" is no address"},
      Row{"admin address", [](ServeFlags& f) { f.admin_address = ":8443"; }, "--admin-address: "},
      Row{"reservation life", [](ServeFlags& f) { f.reservation_life = "90"; },
          "--reservation-life: \"90\" is no time"},
      Row{"drain", [](ServeFlags& f) { f.drain = "0s"; }, "--drain: \"0s\""},
      Row{"a lease too short", [](ServeFlags& f) { f.leader_elect_lease_duration = "4s"; },
          "--leader-elect-lease-duration must"},
      Row{"renewed too late",
          [](ServeFlags& f) {
            f.leader_elect_lease_duration = "10s";
            f.leader_elect_renew_period = "4s";
          },
          "--leader-elect-lease-duration must"},
      Row{"lease duration", [](ServeFlags& f) { f.leader_elect_lease_duration = "x"; },
          "--leader-elect-lease-duration: \"x\""},
      Row{"renew period", [](ServeFlags& f) { f.leader_elect_renew_period = "x"; },
          "--leader-elect-renew-period: \"x\""});
  DYNAMIC_SECTION(row.name) {
    auto flags = loopback();
    row.spoil(flags);
    const auto options = service_options(flags);
    REQUIRE_FALSE(options);
    CHECK(options.error().code == ErrorCode::invalid);
    CHECK_THAT(options.error().message, Contains(row.word));
  }
}

TEST_CASE("who chooses the devices, and how") {
  CHECK(service_options(loopback())->engine.mode == engine::Mode::allocate);
  auto flags = loopback();
  flags.devices = "first-fit";
  CHECK(service_options(flags)->engine.allocator.mode == alloc::Mode::first_fit);
  CHECK(service_options(flags)->engine.mode == engine::Mode::allocate);
  flags = loopback();
  flags.mode = "advise";
  CHECK(service_options(flags)->engine.allocator.mode == alloc::Mode::first_fit);
  CHECK(service_options(flags)->engine.mode == engine::Mode::advise);
}

TEST_CASE("what has no meaning in mode advise is an error") {
  auto flags = loopback();
  flags.mode = "advise";
  flags.devices = "first-fit";
  CHECK(service_options(flags));
  SECTION("a choice of devices") {
    flags.devices = "best";
    CHECK_THAT(service_options(flags).error().message, Contains("--devices best"));
  }
  SECTION("a cluster without anybody who allocates") {
    flags.cluster = {"demo"};
    CHECK_THAT(service_options(flags).error().message, Contains("--cluster"));
  }
}

TEST_CASE("a lease that is just long enough is taken") {
  auto flags = loopback();
  flags.leader_elect_lease_duration = "10s";
  flags.leader_elect_renew_period = "3300ms";
  CHECK(service_options(flags));
}

TEST_CASE("flags of a closed set refuse other words") {
  CHECK_FALSE(parsed({"--mode", "best"}));
  CHECK_FALSE(parsed({"--devices", "worst"}));
  CHECK_FALSE(parsed({"--logging-format", "xml"}));
  CHECK_FALSE(parsed({"--no-such-flag"}));
  CHECK(parsed({"--logging-format", "json"}).value().logging_format == "json");
}

TEST_CASE("the client of the API server is throttled and named as asked for") {
  auto flags = loopback();
  flags.kube_api_qps = 7;
  flags.kube_api_burst = 9;
  const auto options = kube_api_options(flags, 42).value();
  CHECK(options.qps == 7);
  CHECK(options.burst == 9);
  CHECK(options.seed == 42);
  CHECK(options.instance == "us");
  flags.identity = "";
  CHECK_FALSE(kube_api_options(flags, 42)->instance.empty());
}

TEST_CASE("limits arrive at the ports and at the client of the API server") {
  auto flags = loopback();
  CHECK(parsed({"--limit", "extender.body=1Mi", "--limit", "api.requests=16"})->limit ==
        std::vector<std::string>{"extender.body=1Mi", "api.requests=16"});
  flags.limit = {"extender.body=1Mi",       "extender.connections=64", "health.connections=32",
                 "dashboard.writeTime=2s",  "api.requests=16",         "port.handshakes=9",
                 "dashboard.idleTime=1m30s"};
  const auto options = service_options(flags).value();
  CHECK(options.extender.limits.body_bytes == 1U << 20U);
  CHECK(options.extender.max_connections == 64);
  CHECK(options.extender.max_handshakes == 9);
  CHECK(options.admin.max_connections == 32);
  CHECK(options.admin.max_handshakes == 9);
  // What is not given stays as it is for that port.
  CHECK(options.admin.limits.body_bytes == 16UL * 1024);
  CHECK(options.admin.oldest_gives_way);
  CHECK_FALSE(options.extender.oldest_gives_way);
  const auto dashboard = dashboard_server(flags).value().value();
  CHECK(dashboard.write_timeout == 2s);
  CHECK(dashboard.idle_timeout == 90s);
  CHECK(dashboard.max_connections == 128);
  CHECK(kube_api_options(flags, 1)->connections == 16);
  flags.limit = {"extender.bodies=1"};
  for (const auto& error :
       {service_options(flags).error().message, dashboard_server(flags).error().message,
        kube_api_options(flags, 1).error().message}) {
    CHECK_THAT(error,
               Contains("there is no limit \"extender.bodies\"; did you mean extender.body?"));
  }
}

}  // namespace dray::app::serve_options_test

#include "app/serve/descriptors.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>

namespace dray::app::descriptors_test {
namespace {

struct Ports {
  net::HttpServerOptions extender;
  net::HttpServerOptions health;
  net::HttpServerOptions dashboard;

  explicit Ports(bool tls) {
    health.max_connections = 256;
    dashboard.max_connections = 128;
    if (!tls) return;
    for (auto* port : all()) port->tls = net::ServerTlsFiles{};
  }
  std::vector<net::HttpServerOptions*> all() { return {&extender, &health, &dashboard}; }
  /// All that the ports may have open at a time.
  [[nodiscard]] std::size_t most_open() {
    std::size_t open = 0;
    for (const auto* port : all()) {
      open += port->max_connections + (port->tls ? port->max_handshakes : 0);
    }
    return open;
  }
};

}  // namespace

TEST_CASE("what ports have open leaves descriptors for the API server and for files") {
  const auto kept = descriptors_kept(128);
  CHECK(kept >= 2 * 128 + 5);
  for (const bool tls : {false, true}) {
    for (const std::size_t limit : {kept + 60, 512UL, 1024UL, 2048UL, 4096UL}) {
      CAPTURE(tls, limit);
      Ports ports(tls);
      CHECK(fit_to_descriptors(limit, kept, ports.all()));
      CHECK(ports.most_open() + kept <= limit);
      for (const auto* port : ports.all()) {
        CHECK(port->max_connections >= 8);
        CHECK(port->max_handshakes >= 8);
      }
      CHECK(ports.extender.max_connections >= ports.health.max_connections);
    }
  }
}

TEST_CASE("where many files may be open, bounds are as they were given") {
  Ports ports(true);
  CHECK(fit_to_descriptors(1'048'576, descriptors_kept(128), ports.all()));
  CHECK(ports.extender.max_connections == net::HttpServerOptions().max_connections);
  CHECK(ports.extender.max_handshakes == net::HttpServerOptions().max_handshakes);
  CHECK(ports.health.max_connections == 256);
  CHECK(ports.dashboard.max_connections == 128);
}

TEST_CASE("where too few files may be open for anything, that is said") {
  Ports ports(true);
  CHECK_FALSE(fit_to_descriptors(64, descriptors_kept(128), ports.all()));
  CHECK(ports.extender.max_connections == 8);
}

TEST_CASE("the limit of open files is raised to the hard one") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto raised = raise_descriptor_limit();
  CHECK(raised == before.rlim_max);
  rlimit after{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_max);
}

}  // namespace dray::app::descriptors_test

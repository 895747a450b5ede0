#include "service/standby_watch.h"

#include <catch2/catch.hpp>

#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::standby_watch_test {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::FakeCluster;

struct Bench {
  explicit Bench(bool stands_by)
      : watch(loop.io,
              {.leader = {"dray-system", "gpu"}, .identity = "us", .duration = 1h, .every = 5ms},
              cluster, clock, [stands_by] { return stands_by; }) {}
  ~Bench() {
    watch.stop();
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Clock clock;
  net::testing::Loop loop;
  FakeCluster cluster{loop.io};
  StandbyWatch watch;
};

}  // namespace

TEST_CASE("who stands by is told once a round has ended") {
  Bench bench(true);
  CHECK(bench.watch.seen().names.empty());
  bench.watch.start();
  REQUIRE(eventually([&] { return !bench.watch.seen().names.empty(); }));
  CHECK(bench.watch.seen().names == std::vector<std::string>{"us"});
  CHECK(bench.watch.seen().trouble.empty());
  CHECK(bench.cluster.seen.get().standbys.contains("gpu-standby-1"));
}

TEST_CASE("a right that dray lacks is named, with where it is given, until it is there") {
  Bench bench(false);
  bench.cluster.seen.change([](auto& all) { all.standbys_forbidden = true; });
  bench.watch.start();
  REQUIRE(eventually([&] { return !bench.watch.seen().trouble.empty(); }));
  CHECK(bench.watch.seen().trouble ==
        "dray may not get Lease dray-system/gpu-standby-1; the Role dray-lease "
        "(manifests/rbac.yaml) gives that right to Leases by their names");
  bench.cluster.seen.change([](auto& all) { all.standbys_forbidden = false; });
  CHECK(eventually([&] { return bench.watch.seen().trouble.empty(); }));
}

}  // namespace dray::service::standby_watch_test

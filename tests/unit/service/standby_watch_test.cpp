#include "service/standby_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "net/file.h"
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

/// What is written to standard error while it lives.
class Logged {
 public:
  Logged() : saved_(::dup(STDERR_FILENO)), file_(folder_.path() + "/log") {
    const int file = ::open(file_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~Logged() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

  [[nodiscard]] int times(std::string_view words) const {
    const auto text = net::read_file(file_).value();
    int count = 0;
    for (auto at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++count;
    return count;
  }

 private:
  net::testing::TempFolder folder_;
  int saved_;
  std::string file_;
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

TEST_CASE("a right that dray lacks is logged once, not with every round") {
  const Logged log;
  Bench bench(false);
  bench.cluster.seen.change([](auto& all) { all.standbys_forbidden = true; });
  bench.watch.start();
  REQUIRE(eventually([&] { return bench.cluster.seen.get().standby_calls > 5; }));
  CHECK(log.times("who stands by cannot be told") == 1);
}

}  // namespace dray::service::standby_watch_test

#include "dray/sim/kubelet.h"

#include <catch2/catch.hpp>

#include <string>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/pods.h"

namespace dray::kubelet_test {

using namespace dray::sim;
using namespace dray::testing;

namespace {

struct Cluster {
  ApiServer server;
  Kubelet kubelet;
  Watch watch = ApiServer::watch(Kind::pod, 1);

  /// Lets time pass until `end`.
  void run(Time now, Time end) {
    for (;;) {
      const auto events = server.poll(watch, 100).value();
      for (const auto& event : events) kubelet.observe(event, now);
      const auto due = kubelet.due(now);
      if (!due || *due > end) return;
      now = *due;
      kubelet.work(server, now);
    }
  }
  Pod bound(Pod pod) {
    pod = std::get<Pod>(*server.create(std::move(pod), at(0)));
    REQUIRE(server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(0)));
    return pod;
  }
  [[nodiscard]] std::string phase() const {
    const auto* pod = server.find<Pod>("default", "p0");
    return pod == nullptr ? "gone" : pod->phase;
  }
};

}  // namespace

TEST_CASE("a bound pod runs, for its time") {
  Cluster c;
  auto pod = make_pod("p0");
  pod.meta.annotations[run_seconds_annotation] = "10";
  c.bound(pod);
  c.run(at(0), at(5));
  CHECK(c.phase() == "Running");
  c.run(at(5), at(20));
  CHECK(c.phase() == "Succeeded");
}

TEST_CASE("a pod that is not done by its deadline fails") {
  Cluster c;
  auto pod = make_pod("p0");
  pod.meta.annotations[run_seconds_annotation] = GENERATE("10", "4", "");
  const bool done = run_seconds(pod) == 4;
  pod.active_deadline_seconds = 5;
  c.bound(pod);
  c.run(at(0), at(4));
  const auto started = c.server.find<Pod>("default", "p0")->start_time;
  CHECK(started >= at(0));
  CHECK(c.phase() == "Running");
  c.run(at(4), at(20));
  CHECK(c.phase() == (done ? "Succeeded" : "Failed"));
  CHECK(c.server.find<Pod>("default", "p0")->start_time == started);
}

TEST_CASE("a pod without a time runs on, one without a node never") {
  Cluster c;
  REQUIRE(c.server.create(make_pod("p0"), at(0)));
  c.run(at(0), at(1000));
  CHECK(c.phase() == "Pending");
  const auto pod = *c.server.find<Pod>("default", "p0");
  REQUIRE(c.server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(1000)));
  c.run(at(1000), at(9000));
  CHECK(c.phase() == "Running");
}

TEST_CASE("a marked pod goes") {
  Cluster c;
  c.bound(make_pod("p0"));
  c.run(at(0), at(1));
  REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, at(1)));
  c.run(at(1), at(2));
  CHECK(c.phase() == "gone");
}

TEST_CASE("a pod waits for its claims") {
  Cluster c;
  auto claim = std::get<ResourceClaim>(*c.server.create(make_claim("c0", 1), at(0)));
  auto pod = with_claim(make_pod("p0"), "c0", "gpu");
  pod = c.bound(pod);
  c.run(at(0), at(5));
  CHECK(c.phase() == "Pending");
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  claim = std::get<ResourceClaim>(*c.server.update(claim, Endpoint::status, at(5)));
  c.run(at(5), at(7));
  CHECK(c.phase() == "Pending");
  claim.reserved_for = {consumer("p0", pod.meta.uid)};
  REQUIRE(c.server.update(claim, Endpoint::status, at(7)));
  c.run(at(7), at(10));
  CHECK(c.phase() == "Running");
}

}  // namespace dray::kubelet_test

#include "dray/sim/api_server.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::api_server_test {

using namespace dray::sim;
using namespace dray::testing;

namespace {

template <class T>
T created(ApiServer& server, T object, Time now = at(0)) {
  auto result = server.create(std::move(object), now);
  REQUIRE(result);
  return std::get<T>(*result);
}

std::string types(const std::vector<WatchEvent>& events) {
  std::string text;
  for (const auto& event : events) text += "AMDB"[static_cast<int>(event.type)];
  return text;
}

std::string told(const ApiServer& server, Watch watch) {
  const auto events = server.poll(watch, 1000);
  return events ? types(*events) : "gone";
}

template <class T>
ErrorCode code(const Result<T>& result) {
  REQUIRE(!result);
  return result.error().code;
}

}  // namespace

TEST_CASE("create fills in metadata and empties status") {
  ApiServer server;
  auto pod = make_pod("p0");
  pod.phase = "Running";
  pod.nominated_node = NodeName("n0");
  const auto stored = created(server, pod, at(1.75));
  CHECK(stored.phase == "Pending");
  CHECK(!stored.nominated_node);
  CHECK(stored.conditions.empty());
  CHECK(stored.meta.created == at(1));
  CHECK(!stored.meta.uid.get().empty());
  CHECK(stored.meta.resource_version == ResourceVersion(std::to_string(server.revision())));
  CHECK(code(server.create(make_pod("p0"), at(2))) == ErrorCode::conflict);

  auto claim = make_claim("c0", 1);
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  CHECK(!created(server, claim).allocation);
}

TEST_CASE("admission gates pods of the scheduler and protects claims") {
  ApiServer server({.gate_pods = true, .protect_claims = true});
  const auto gated = created(server, make_pod("p0"));
  CHECK(gated.scheduling_gates == std::vector<std::string>{"dray.dev/admission"});
  REQUIRE(gated.conditions.size() == 1);
  CHECK(gated.conditions[0].type == "PodScheduled");
  CHECK(gated.conditions[0].reason == "SchedulingGated");
  CHECK(created(server, of_scheduler("default-scheduler", make_pod("other")))
            .scheduling_gates.empty());
  auto bound = make_pod("static");
  bound.node_name = NodeName("n0");
  CHECK(created(server, bound).scheduling_gates.empty());
  CHECK(created(server, make_claim("c0", 1)).meta.finalizers ==
        std::vector<std::string>{claim_finalizer});
  bound.meta.name = "contradiction";
  bound.scheduling_gates = {"x"};
  CHECK(code(server.create(bound, at(0))) == ErrorCode::invalid);
}

TEST_CASE("uids and generated names are the same in every run and differ in each") {
  const auto run = [] {
    ApiServer server({.seed = 7});
    std::vector<std::string> made;
    for (int i = 0; i < 3; ++i) {
      const auto claim =
          std::get<ResourceClaim>(*server.create(make_claim("", 1), at(0), "p0-gpu-"));
      made.push_back(claim.meta.name);
      made.push_back(claim.meta.uid.get());
    }
    return made;
  };
  const auto made = run();
  CHECK(made == run());
  CHECK(made[0].starts_with("p0-gpu-"));
  CHECK(made[0].size() == 12);
  CHECK(made[0] != made[2]);
  CHECK(made[1] != made[3]);
}

TEST_CASE("update holds to resourceVersion and uid") {
  ApiServer server;
  const auto node = created(server, make_node("n0"));
  auto next = node;
  next.unschedulable = true;
  const auto stored = server.update(next, Endpoint::main, at(1));
  REQUIRE(stored);
  CHECK(std::get<Node>(*stored).unschedulable);

  SECTION("a stale resourceVersion is 409") {
    CHECK(code(server.update(next, Endpoint::main, at(2))) == ErrorCode::conflict);
  }
  SECTION("another uid is 409") {
    next.meta.resource_version = {};
    next.meta.uid = Uid("other");
    CHECK(code(server.update(next, Endpoint::main, at(2))) == ErrorCode::conflict);
  }
  SECTION("no resourceVersion overwrites") {
    next.meta.resource_version = {};
    next.unschedulable = false;
    CHECK(server.update(next, Endpoint::main, at(2)));
    CHECK(!server.find<Node>("", "n0")->unschedulable);
  }
  SECTION("a write that changes nothing commits nothing") {
    const auto before = server.revision();
    next.meta.resource_version = {};
    CHECK(server.update(next, Endpoint::main, at(2)));
    CHECK(server.revision() == before);
  }
  SECTION("each endpoint leaves the other's fields alone") {
    next.meta.resource_version = {};
    next.unschedulable = false;
    next.allocatable["cpu"] = Quantity(3);
    CHECK(server.update(next, Endpoint::status, at(2)));
    CHECK(server.find<Node>("", "n0")->unschedulable);
    CHECK(server.find<Node>("", "n0")->allocatable.at("cpu") == Quantity(3));
  }
  SECTION("what is not there is 404") {
    next.meta.name = "n1";
    CHECK(code(server.update(next, Endpoint::main, at(2))) == ErrorCode::not_found);
  }
}

TEST_CASE("two claims may hold one device: exclusion is not the server's") {
  ApiServer server;
  for (const auto* name : {"c0", "c1"}) {
    auto claim = created(server, make_claim(name, 1));
    claim.allocation = allocation({device_id("n0", "gpu-0")});
    CHECK(server.update(claim, Endpoint::status, at(1)));
  }
}

TEST_CASE("a claim with the finalizer stays until it is taken off") {
  ApiServer server({.protect_claims = true});
  const auto claim = created(server, make_claim("c0", 1));
  const auto watch = ApiServer::watch(Kind::resource_claim, server.revision());
  CHECK(server.remove(Kind::resource_claim, "default", "c0", {}, at(3.5)));
  REQUIRE(server.find<ResourceClaim>("default", "c0") != nullptr);
  CHECK(server.find<ResourceClaim>("default", "c0")->meta.deleted == at(3));
  CHECK(server.remove(Kind::resource_claim, "default", "c0", {}, at(4)));
  CHECK(told(server, watch) == "M");

  auto next = *server.find<ResourceClaim>("default", "c0");
  SECTION("no new user") {
    next.allocation = allocation({device_id("n0", "gpu-0")});
    next.reserved_for = {consumer("p0", Uid("u0"))};
    CHECK(code(server.update(next, Endpoint::status, at(5))) == ErrorCode::invalid);
  }
  SECTION("no new finalizer") {
    next.meta.finalizers.emplace_back("other/one");
    CHECK(code(server.update(next, Endpoint::main, at(5))) == ErrorCode::invalid);
  }
  SECTION("gone with the last finalizer, told with its last stored state") {
    next.meta.finalizers.clear();
    CHECK(server.update(next, Endpoint::main, at(5)));
    CHECK(server.find<ResourceClaim>("default", "c0") == nullptr);
    auto place = watch;
    const auto events = server.poll(place, 10);
    CHECK(types(*events) == "MD");
    const auto& last = meta_of(*events->back().object);
    CHECK(last.finalizers == std::vector<std::string>{claim_finalizer});
    CHECK(last.resource_version == ResourceVersion(std::to_string(events->back().revision)));
    CHECK(last.uid == claim.meta.uid);
  }
}

TEST_CASE("pods are deleted gracefully once they have a node") {
  ApiServer server;
  const auto pod = created(server, make_pod("p0"));
  const auto watch = ApiServer::watch(Kind::pod, server.revision());
  const auto remove = [&](DeleteOptions options, double time) {
    return server.remove(Kind::pod, "default", "p0", options, at(time));
  };
  SECTION("a waiting pod is marked and gone at once") {
    CHECK(remove({}, 1));
    CHECK(told(server, watch) == "MD");
  }
  SECTION("a bound pod waits for its kubelet") {
    REQUIRE(server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(1)));
    CHECK(remove({}, 2));
    CHECK(server.find<Pod>("default", "p0")->meta.deleted == at(32));
    CHECK(remove({}, 3));
    CHECK(told(server, watch) == "MM");
    CHECK(remove({.uid = {}, .resource_version = {}, .grace_seconds = 10}, 4));
    CHECK(server.find<Pod>("default", "p0")->meta.deleted == at(12));
    CHECK(remove({.uid = {}, .resource_version = {}, .grace_seconds = 0}, 5));
    CHECK(server.find<Pod>("default", "p0") == nullptr);
  }
  SECTION("a finished pod does not wait") {
    REQUIRE(server.bind(pod.key(), pod.meta.uid, NodeName("n0"), at(1)));
    REQUIRE(server.patch(
        Kind::pod, "default", "p0", Endpoint::status,
        [](KubeObject& o) -> Result<void> {
          std::get<Pod>(o).phase = "Succeeded";
          return {};
        },
        at(2)));
    CHECK(remove({}, 3));
    CHECK(server.find<Pod>("default", "p0") == nullptr);
  }
  SECTION("preconditions") {
    CHECK(code(remove({.uid = Uid("other"), .resource_version = {}, .grace_seconds = {}}, 1)) ==
          ErrorCode::conflict);
    CHECK(code(server.remove(Kind::pod, "default", "p1", {}, at(1))) == ErrorCode::not_found);
  }
}

TEST_CASE("binding") {
  ApiServer server;
  auto gated = make_pod("gated");
  gated.scheduling_gates = {"x"};
  gated = created(server, gated);
  const auto pod = created(server, make_pod("p0"));
  const NodeName node("n0");
  CHECK(code(server.bind({"default", "none"}, pod.meta.uid, node, at(1))) == ErrorCode::not_found);
  CHECK(code(server.bind(pod.key(), gated.meta.uid, node, at(1))) == ErrorCode::conflict);
  CHECK(code(server.bind(gated.key(), gated.meta.uid, node, at(1))) == ErrorCode::conflict);
  REQUIRE(server.bind(pod.key(), pod.meta.uid, node, at(1)));
  const auto& bound = *server.find<Pod>("default", "p0");
  CHECK(bound.node_name == node);
  REQUIRE(bound.conditions.size() == 1);
  CHECK(bound.conditions[0].status == "True");
  const auto again = server.bind(pod.key(), pod.meta.uid, node, at(2));
  CHECK(code(again) == ErrorCode::conflict);
  CHECK(again.error().message.find("already assigned to node \"n0\"") != std::string::npos);
}

TEST_CASE("watches") {
  ApiServer server({.watch_window = 4});
  const auto start = ApiServer::watch(Kind::pod, server.revision());
  const auto nodes = ApiServer::watch(Kind::node, server.revision());
  for (int i = 0; i < 3; ++i) created(server, make_pod("p" + std::to_string(i)));
  SECTION("a watch tells one kind, in order, from its place on") {
    auto watch = start;
    CHECK(types(*server.poll(watch, 2)) == "AA");
    CHECK(types(*server.poll(watch, 2)) == "A");
    CHECK(server.poll(watch, 2)->empty());
    CHECK(told(server, nodes).empty());
  }
  SECTION("a bookmark moves a watch that has been told everything") {
    auto watch = nodes;
    CHECK(server.bookmark(watch).revision == server.revision());
    auto behind = start;
    CHECK(server.bookmark(behind).revision == start.revision);
  }
  SECTION("too old is 410, at the edge of the window") {
    created(server, make_pod("p3"));
    CHECK(told(server, start) == "AAAA");
    created(server, make_pod("p4"));
    CHECK(told(server, start) == "gone");
    CHECK(told(server, ApiServer::watch(Kind::pod, start.revision + 1)) == "AAAA");
  }
  SECTION("compaction reaches every kind") {
    server.compact(server.revision() - 1);
    CHECK(told(server, start) == "gone");
    CHECK(told(server, nodes) == "gone");
    CHECK(told(server, ApiServer::watch(Kind::pod, server.revision() - 1)) == "A");
  }
  SECTION("a list and a watch from its revision miss nothing") {
    const auto listed = server.list(Kind::pod);
    CHECK(listed.items.size() == 3);
    created(server, make_pod("p9"));
    CHECK(told(server, ApiServer::watch(Kind::pod, listed.revision)) == "A");
  }
}

TEST_CASE("a uid that an object brings is kept only where the server is told so") {
  const bool keeps = GENERATE(false, true);
  ApiServer server({.keep_uids = keeps});
  auto pod = make_pod("p0");
  pod.meta.uid = Uid("brought");
  const auto made = server.create(pod, at(0));
  REQUIRE(made);
  CHECK((meta_of(*made).uid == Uid("brought")) == keeps);
}

TEST_CASE("restore keeps status and identity") {
  ApiServer server;
  auto claim = make_claim("c0", 1);
  claim.meta.uid = Uid("kept");
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  server.restore(claim, at(0));
  const auto* stored = server.find<ResourceClaim>("default", "c0");
  REQUIRE(stored != nullptr);
  CHECK(stored->meta.uid == Uid("kept"));
  CHECK(stored->allocation == claim.allocation);
}

}  // namespace dray::api_server_test

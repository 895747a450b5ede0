#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/sim/claim_controller.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/pods.h"

namespace dray::sim::claim_release_test {

using namespace dray::testing;

namespace {

/// A protected claim that is allocated, and the controller, which hears of changes when it is told.
struct World {
  ApiServer server{{.protect_claims = true}};
  ClaimController controller;
  std::array<Watch, 2> watches{ApiServer::watch(Kind::pod, 1),
                               ApiServer::watch(Kind::resource_claim, 1)};

  World() { REQUIRE(server.create(make_claim("c", 1), at(0))); }

  Pod add_pod(const std::string& name) {
    auto pod = make_pod(name);
    pod.resource_claims = {{.name = "gpu", .claim_name = "c", .template_name = {}}};
    return std::get<Pod>(*server.create(std::move(pod), at(0)));
  }
  [[nodiscard]] const ResourceClaim& claim() const {
    return *server.find<ResourceClaim>("default", "c");
  }
  void reserve(std::vector<ClaimConsumer> users) {
    auto next = claim();
    next.allocation = allocation({device_id("n0", "gpu-0")});
    next.reserved_for = std::move(users);
    REQUIRE(server.update(next, Endpoint::status, at(1)));
  }
  void change(const std::function<void(ResourceClaim&)>& edit) {
    auto next = claim();
    edit(next);
    REQUIRE(server.update(next, Endpoint::main, at(1)));
  }
  void remove_pod(const std::string& name) {
    REQUIRE(server.remove(Kind::pod, "default", name,
                          {.uid = {}, .resource_version = {}, .grace_seconds = 0}, at(2)));
  }
  /// Tells the controller of changes of the first `kinds` kinds (pods, then claims), and works.
  void settle(std::size_t kinds = 2) {
    for (bool busy = true; busy;) {
      busy = false;
      for (auto& watch : std::span(watches).first(kinds)) {
        for (auto events = server.poll(watch, 1000).value(); const auto& event : events) {
          controller.observe(event);
          busy = true;
        }
      }
      while (controller.work(server, at(3))) busy = true;
    }
  }
};

}  // namespace

TEST_CASE("users that are gone lose the claim, the others keep it") {
  World w;
  const auto a = w.add_pod("a");
  const auto b = w.add_pod("b");
  w.reserve({consumer("a", a.meta.uid), consumer("b", b.meta.uid)});
  w.settle();
  CHECK(w.claim().reserved_for.size() == 2);
  w.remove_pod("a");
  w.settle();
  REQUIRE(w.claim().reserved_for.size() == 1);
  CHECK(w.claim().reserved_for[0].name == "b");
  CHECK(w.claim().allocation);
  CHECK_FALSE(w.claim().meta.finalizers.empty());
  w.remove_pod("b");
  w.settle();
  CHECK(w.claim().reserved_for.empty());
  CHECK_FALSE(w.claim().allocation);
  CHECK(w.claim().meta.finalizers.empty());
}

TEST_CASE("a user that is no pod is not the controller's to judge") {
  World w;
  w.reserve(
      {{.api_group = "scheduling.k8s.io", .resource = "podgroups", .name = "g", .uid = Uid("g")},
       {.api_group = "", .resource = "services", .name = "s", .uid = Uid("s")}});
  w.settle();
  CHECK(w.claim().reserved_for.size() == 2);
}

TEST_CASE("a pod of the same name with another uid is not the user") {
  World w;
  const auto first = w.add_pod("a");
  w.reserve({consumer("a", first.meta.uid)});
  w.settle();
  w.remove_pod("a");
  w.add_pod("a");
  w.settle();
  CHECK(w.claim().reserved_for.empty());
}

TEST_CASE("a pod of the same name is not the user either if of that one nobody ever heard") {
  World w;
  w.add_pod("a");
  w.reserve({consumer("a", Uid("uid of an earlier a"))});
  w.settle();
  CHECK(w.claim().reserved_for.empty());
}

TEST_CASE("a user of whom the controller has not heard yet is looked up") {
  World w;
  const auto late = w.add_pod("late");
  w.reserve({consumer("late", late.meta.uid)});
  std::swap(w.watches[0], w.watches[1]);
  w.settle(1);  // the claim only
  CHECK(w.claim().reserved_for.size() == 1);
  w.reserve({consumer("nobody", Uid("nobody"))});
  w.settle(1);
  CHECK(w.claim().reserved_for.empty());
}

TEST_CASE("a deleted claim that nobody uses loses its allocation and ends") {
  World w;
  auto next = w.claim();
  next.allocation = allocation({device_id("n0", "gpu-0")});
  REQUIRE(w.server.update(next, Endpoint::status, at(1)));
  w.settle();
  CHECK(w.claim().allocation);
  REQUIRE(w.server.remove(Kind::resource_claim, "default", "c", {}, at(2)));
  w.settle();
  CHECK(w.server.find<ResourceClaim>("default", "c") == nullptr);
}

TEST_CASE("a claim ends with its owner, and not while one of its owners lives") {
  World w;
  const auto a = w.add_pod("a");
  const auto b = w.add_pod("b");
  const auto owner = [](const Pod& pod, bool controller) {
    return OwnerReference{"v1", "Pod", pod.meta.name, pod.meta.uid, controller};
  };
  SECTION("one of two") {
    w.change([&](ResourceClaim& c) { c.meta.owners = {owner(a, false), owner(b, false)}; });
    w.settle();
    w.remove_pod("a");
    w.settle();
    CHECK(w.server.find<ResourceClaim>("default", "c") != nullptr);
    w.remove_pod("b");
    w.settle();
    CHECK(w.server.find<ResourceClaim>("default", "c") == nullptr);
  }
  SECTION("an owner of another kind is not asked for") {
    w.change([&](ResourceClaim& c) {
      c.meta.owners = {{"apps/v1", "Deployment", "d", Uid("d"), true}};
    });
    w.settle();
    CHECK(w.server.find<ResourceClaim>("default", "c") != nullptr);
  }
  SECTION("none at all") {
    w.settle();
    CHECK(w.server.find<ResourceClaim>("default", "c") != nullptr);
  }
}

}  // namespace dray::sim::claim_release_test

#include "alloc/search/search.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::search_test {

using namespace dray::testing;
using alloc::Found;
using Names = std::vector<std::string>;

namespace {

struct World {
  cluster::ClusterState cluster;
  alloc::AllocatorOptions options;

  explicit World(std::vector<Device> devices) {
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
    put(cluster, make_class("a", {"device.attributes[device.driver].x == 'a'"}));
    put(cluster, make_slice("n1", std::move(devices)));
  }
  Found search(std::vector<ResourceClaim> claims) {
    Prepared made(cluster, std::move(claims), options);
    REQUIRE(made.collected);
    return made.search();
  }
  Names names(std::vector<ResourceClaim> claims) {
    return Prepared(cluster, std::move(claims), options).found();
  }
};

Device with(const std::string& name, const char* value) {
  return device(name, {{"x", std::string(value)}});
}

std::vector<Device> many(int count) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(with("d" + std::to_string(i), "a"));
  return devices;
}

DeviceRequest either(std::vector<DeviceRequestSpec> specs) {
  DeviceRequest made;
  made.name = "either";
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i].name = "s" + std::to_string(i);
  made.first_available = std::move(specs);
  return made;
}

}  // namespace

TEST_CASE("the search takes back a choice that leaves a later request nothing") {
  World one({with("0", "a"), with("1", "b")});
  CHECK(one.names({make_claim("c", {request("any", exactly(1)), request("a", exactly(1, "a"))})}) ==
        Names{"1", "0"});
  CHECK(one.names({make_claim("c", {request("any", exactly(1))}),
                   make_claim("d", {request("a", exactly(1, "a"))})}) == Names{"1", "0"});
  CHECK(one.search({make_claim("c", {request("any", exactly(2)), request("a", exactly(1, "a"))})})
            .kind == Found::Kind::none);
}

TEST_CASE("an alternative with too many results for its claim makes room for the next") {
  World one(many(40));
  CHECK(one.names({make_claim("c", {request("r", exactly(30)), either({exactly(3), exactly(2)})})})
            .size() == 32);
  CHECK(one.search({make_claim("c", {request("r", exactly(30)), request("s", exactly(3))})}).kind ==
        Found::Kind::none);
  CHECK(one.names({make_claim("c", {request("r", exactly(30))}),
                   make_claim("d", {request("s", exactly(3))})})
            .size() == 33);
  CHECK(one.names({make_claim("c", {request("r", exactly(32))})}).size() == 32);
}

TEST_CASE("All without any device is no solution, and one that is taken ends it") {
  World none({with("0", "b")});
  CHECK(none.search({make_claim("c", {request("r", all_of("a"))})}).kind == Found::Kind::none);
  World two({with("0", "a"), with("1", "a")});
  CHECK(two.names({make_claim("c", {request("r", all_of())})}) == Names{"0", "1"});
  CHECK(two.search({make_claim("c", {request("r", exactly(1))}),
                    make_claim("d", {request("s", all_of())})})
            .kind == Found::Kind::none);
}

TEST_CASE("All with a device that is tainted is no solution") {
  auto tainted = with("1", "a");
  tainted.taints.push_back({"sick", "", "NoSchedule", {}});
  World one({with("0", "a"), tainted});
  CHECK(one.search({make_claim("c", {request("r", all_of())})}).kind == Found::Kind::none);
  auto tolerant = all_of();
  tolerant.tolerations.push_back({"sick", "Exists", "", "", {}});
  CHECK(one.names({make_claim("c", {request("r", tolerant)})}) == Names{"0", "1"});
}

TEST_CASE("a request for two shares takes them of two devices") {
  World one({shareable("0", "4Gi"), shareable("1", "4Gi")});
  CHECK(one.names({make_claim("c", {request("r", share("1Gi", 2))})}) == Names{"0", "1"});
}

TEST_CASE("All with a device that a constraint refuses is upstream's error") {
  World one({with("0", "a"), with("1", "b")});
  auto asked = make_claim("c", {request("r", all_of())});
  asked.spec.constraints = {match("gpu.example.com/x")};
  const auto found = one.search({asked});
  CHECK(found.kind == Found::Kind::error);
  CHECK(found.error ==
        "claim default/c, request r: cannot add device gpu.example.com/n1/1 because a claim "
        "constraint would not be satisfied");
}

TEST_CASE("a search ends when its steps are spent") {
  World one(many(8));
  one.options.step_budget = 3;
  const auto found = one.search({make_claim("c", {request("r", exactly(4))})});
  CHECK(found.kind == Found::Kind::budget);
  CHECK(found.steps == 4);
  one.options.step_budget = 4;
  CHECK(one.search({make_claim("c", {request("r", exactly(4))})}).kind == Found::Kind::found);
}

TEST_CASE("in an area, only its devices count") {
  World one({with("0", "a"), with("1", "a"), with("2", "a")});
  Prepared made(one.cluster, {make_claim("c", {request("r", exactly(2))})});
  alloc::Bits area(3);
  area.set(0);
  area.set(2);
  const auto search = [&](const Prepared& in) {
    return alloc::Search(in.view, in.prepared, made.tables, in.options, made.memory.attributes,
                         nullptr, &area)
        .run();
  };
  CHECK(search(made).picks == std::vector<alloc::Pick>{{0, 0}, {0, 2}});
  area.reset(2);
  CHECK(search(made).kind == Found::Kind::none);
}

TEST_CASE("a found solution is better than an error or a spent budget, and these than none") {
  const auto ended = [](Found::Kind kind, std::int64_t alignment = 0) {
    Found made;
    made.kind = kind;
    made.score.alignment = alignment;
    return made;
  };
  using enum Found::Kind;
  CHECK(ended(found).better_than(ended(error)));
  CHECK(ended(budget).better_than(ended(none)));
  CHECK(ended(error).better_than(ended(none)));
  CHECK_FALSE(ended(none).better_than(ended(none)));
  CHECK_FALSE(ended(error).better_than(ended(budget)));
  CHECK(ended(found, -1).better_than(ended(found, -2)));
  CHECK_FALSE(ended(found, -1).better_than(ended(found, -1)));
}

}  // namespace dray::search_test

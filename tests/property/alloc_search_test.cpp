#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <random>

#include "alloc/search.h"
#include "tests/unit/cluster/objects.h"

// The search leaves out what cannot matter: against one that leaves out nothing.

using namespace dray;
using namespace dray::testing;

namespace {

using Random = std::mt19937;

int pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

/// One node's devices: values of two attributes, some partitions of two cards, some shareable.
ResourceSlice random_slice(Random& random, const std::string& driver) {
  std::vector<Device> devices;
  const bool partitions = pick(random, 3) == 0;
  for (int i = pick(random, 7); i >= 0; --i) {
    auto made = device("d" + std::to_string(devices.size()));
    if (pick(random, 5) > 0)
      made.attributes["root"] = std::string(1, static_cast<char>('a' + pick(random, 3)));
    if (pick(random, 5) > 0) made.attributes["x.io/numa"] = std::int64_t{pick(random, 2)};
    if (partitions && pick(random, 4) > 0) {
      made.consumes_counters.push_back({"card" + std::to_string(pick(random, 2)),
                                        {{"slices", Quantity(1 + pick(random, 3))}},
                                        {}});
    }
    if (pick(random, 5) == 0) {
      made.allow_multiple_allocations = true;
      made.capacity["memory"].value = Quantity(3);
    }
    devices.push_back(std::move(made));
  }
  auto made = slice("n1", std::move(devices), driver);
  if (partitions) made.pool_slice_count = 2;
  return made;
}

ResourceSlice counters_of(const ResourceSlice& devices) {
  auto made = slice("n1", {}, devices.driver.get());
  made.meta.name += "-counters";
  made.pool_slice_count = 2;
  for (const char* card : {"card0", "card1"})
    made.shared_counters.push_back({card, {{"slices", Quantity(4)}}});
  return made;
}

DeviceRequestSpec random_spec(Random& random) {
  static const char* classes[] = {"any", "a", "b"};
  auto spec = exactly(1 + pick(random, 3), classes[pick(random, 3)]);
  if (pick(random, 6) == 0) spec.allocation_mode = "All";
  if (pick(random, 8) == 0) spec.admin_access = true;
  if (pick(random, 3) == 0) {
    spec.capacity_requests["memory"] = Quantity(1);
    spec.has_capacity = true;
    if (pick(random, 2) == 0) spec.capacity_requests.clear();
  }
  return spec;
}

ResourceClaim random_claim(Random& random, const std::string& name) {
  std::vector<DeviceRequest> requests;
  for (int i = pick(random, 3); i >= 0; --i) {
    auto made = request("r" + std::to_string(requests.size()), random_spec(random));
    if (pick(random, 4) == 0) {
      made.exactly.reset();
      for (int sub = 0; sub < 2; ++sub) {
        made.first_available.push_back(random_spec(random));
        made.first_available.back().admin_access.reset();
        made.first_available.back().name = "s" + std::to_string(sub);
      }
    }
    requests.push_back(std::move(made));
  }
  auto made = claim(name, std::move(requests));
  for (int i = pick(random, 3); i > 0; --i) {
    auto& constraint = made.spec.constraints.emplace_back();
    const char* attribute = pick(random, 2) == 0 ? "x.io/numa" : "a.example.com/root";
    (pick(random, 3) > 0 ? constraint.match_attribute : constraint.distinct_attribute) = attribute;
    if (pick(random, 2) == 0) constraint.requests = {"r0", "r1"};
  }
  return made;
}

/// Upstream's search, word for word and slow; `visit` says whether to stop at a solution.
class Plain {
 public:
  Plain(const alloc::Ask& ask, alloc::Tables& tables, alloc::Placing& placing,
        std::function<bool()> visit)
      : ask_(ask), tables_(tables), placing_(placing), visit_(std::move(visit)) {}

  bool failed = false;  ///< upstream would report an error

  bool request(std::uint32_t c, std::uint32_t r) {
    if (c == ask_.claims.size()) return visit_();
    if (r == ask_.claims[c].requests.size()) return request(c + 1, 0);
    const auto& entry = ask_.claims[c].requests[r];
    for (auto spec = entry.first; spec < entry.last && !failed; ++spec) {
      if (devices(c, r, spec, 0, 0)) return true;
    }
    return false;
  }

 private:
  bool devices(std::uint32_t c, std::uint32_t r, std::uint32_t s, std::size_t k,
               std::uint32_t start) {
    const auto& spec = ask_.specs[s];
    const auto& row = tables_.row(s);
    const auto count = spec.all ? row.all.size() : static_cast<std::size_t>(spec.count);
    if (spec.all && count == 0) return false;
    if (k == count) return request(c, r + 1);
    const auto last = static_cast<std::uint32_t>(row.verdicts.size());
    for (auto d = spec.all ? row.all[k] : start; d < (spec.all ? row.all[k] + 1 : last); ++d) {
      using alloc::Stage;
      const auto stage = row.stages[d];
      const bool considered =
          stage == Stage::usable ||
          (spec.all && (stage == Stage::constraint || stage == Stage::capacity));
      if (!considered || placing_.in_use(spec, d)) continue;
      const auto outcome = placing_.place({s, d});
      failed = failed || (spec.all && outcome == alloc::Placing::Outcome::constraint);
      if (failed) return false;
      if (outcome != alloc::Placing::Outcome::placed) continue;
      const bool done = stage == Stage::usable && devices(c, r, s, k + 1, d + 1);
      if (done) return true;
      placing_.undo();
      if (failed) return false;
    }
    return false;
  }

  const alloc::Ask& ask_;
  alloc::Tables& tables_;
  alloc::Placing& placing_;
  std::function<bool()> visit_;
};

struct World {
  cluster::ClusterState cluster;
  std::vector<ResourceClaim> claims;
  alloc::Memory memory;
  alloc::AllocatorOptions options;

  explicit World(unsigned seed) {
    Random random(seed);
    put(cluster, node("n1"));
    put(cluster, device_class("any"));
    for (const char* driver : {"a", "b"}) {
      const auto name = std::string(driver) + ".example.com";
      put(cluster, device_class(driver, {"device.driver == '" + name + "'"}));
      const auto made = random_slice(random, name);
      put(cluster, made);
      if (made.pool_slice_count == 2) put(cluster, counters_of(made));
    }
    for (int i = pick(random, 2); i >= 0; --i) {
      claims.push_back(random_claim(random, "c" + std::to_string(i)));
    }
    options.better_step_budget = 1'000'000;
    options.alignment = {{.attributes = {"a.example.com/root", "b.example.com/root"}},
                         {.attributes = {"x.io/numa"}}};
  }
};

}  // namespace

TEST_CASE("the search finds the first solution, and in mode best the best one") {
  std::size_t solved = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    World world(seed);
    const cluster::AllocatedState state(world.cluster.snapshot());
    const auto& snapshot = state.snapshot();
    const auto n1 = *snapshot.node(NodeName("n1"));
    std::vector<const ResourceClaim*> claims;
    for (const auto& each : world.claims) claims.push_back(&each);
    const auto ask =
        alloc::prepare(claims, snapshot, world.options.features, world.memory.programs);
    const auto view = alloc::gather(state, n1, world.options.features);
    REQUIRE(view);
    alloc::Tables tables(*view, ask, world.options, state, snapshot.facts(n1), world.memory);
    for (std::size_t s = 0; s < ask.specs.size(); ++s) {
      if (ask.specs[s].all) REQUIRE(tables.collect_all(s));
    }
    alloc::Scorer scorer(*view, ask, tables, world.options, world.memory.attributes);

    std::optional<std::vector<alloc::Pick>> first;
    std::optional<alloc::Score> best;
    alloc::Placing placing(*view, ask, tables, world.options.features, world.memory.attributes);
    Plain plain(ask, tables, placing, [&] {
      if (!first) first = placing.picks();
      const auto score = scorer.rate(placing);
      if (!best || score > *best) best = score;
      return false;
    });
    (void)plain.request(0, 0);

    auto found = alloc::Search(*view, ask, tables, world.options, world.memory.attributes).run();
    using Kind = alloc::Found::Kind;
    if (found.kind == Kind::error) {
      CHECK(plain.failed);
      continue;
    }
    REQUIRE((found.kind == Kind::found) == first.has_value());
    if (!first) continue;
    ++solved;
    CHECK(found.picks == *first);
    if (plain.failed) continue;  // mode best keeps the first solution then
    const auto better =
        alloc::Search(*view, ask, tables, world.options, world.memory.attributes, &scorer).run();
    CHECK(better.score == *best);
  }
  CHECK(solved > 500);
}

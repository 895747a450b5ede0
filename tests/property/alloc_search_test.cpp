#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <random>

#include "alloc/search/search.h"
#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

// The search leaves out what cannot matter: against one that leaves out nothing.

namespace dray::alloc_search_test {

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
  auto made = make_slice("n1", std::move(devices), driver);
  if (partitions) made.pool_slice_count = 2;
  return made;
}

ResourceSlice counters_of(const ResourceSlice& devices) {
  auto made = make_slice("n1", {}, devices.driver.get());
  made.meta.name += "-counters";
  made.pool_slice_count = 2;
  for (const char* card : {"card0", "card1"})
    made.shared_counters.push_back({card, {{"slices", Quantity(4)}}});
  return made;
}

DeviceRequestSpec random_spec(Random& random) {
  static const char* classes[] = {"any", "a", "b", "rooted"};
  // 30 devices fit into a claim that asks for few others.
  const auto count = pick(random, 12) == 0 ? 30 : 1 + pick(random, 3);
  auto spec = exactly(count, classes[pick(random, pick(random, 3) == 0 ? 4 : 3)]);
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
  auto made = make_claim(name, std::move(requests));
  for (int i = pick(random, 3); i > 0; --i) {
    const char* attribute = pick(random, 2) == 0 ? "x.io/numa" : "a.example.com/root";
    auto constraint = pick(random, 3) > 0 ? match(attribute) : distinct(attribute);
    if (pick(random, 2) == 0) constraint.requests = {"r0", "r1"};
    made.spec.constraints.push_back(std::move(constraint));
  }
  return made;
}

/// Upstream's search, word for word and slow.
class Plain {
 public:
  enum class Outcome { found, none, exceeded, error };

  Plain(const alloc::PreparedClaims& prepared, alloc::CandidateTables& tables,
        alloc::Placing& placing)
      : prepared_(prepared), tables_(tables), placing_(placing) {}

  std::function<bool()> visit;   ///< at each solution: whether to stop
  bool errors_are_none = false;  ///< what upstream calls an error is a branch without a solution
  std::optional<std::string> error;  ///< the one that ended the search

  Outcome request(std::uint32_t c, std::uint32_t r) {  // NOLINT(misc-no-recursion)
    if (c == prepared_.claims.size()) return visit() ? Outcome::found : Outcome::none;
    if (r == prepared_.claims[c].requests.size()) {
      const auto outcome = request(c + 1, 0);
      return outcome == Outcome::exceeded ? Outcome::none : outcome;
    }
    const auto& entry = prepared_.claims[c].requests[r];
    bool all_exceeded = true;
    for (auto spec = entry.first; spec < entry.last; ++spec) {
      const auto outcome = devices({c, r, spec});
      if (outcome == Outcome::found || outcome == Outcome::error) return outcome;
      all_exceeded = all_exceeded && outcome == Outcome::exceeded;
    }
    return all_exceeded ? Outcome::exceeded : Outcome::none;
  }

 private:
  struct At {
    std::uint32_t claim;
    std::uint32_t request;
    std::uint32_t spec;
    std::uint32_t device = 0;
    std::uint32_t start = 0;
  };

  Outcome fails(std::string text) {
    if (errors_are_none) return Outcome::none;
    error = std::move(text);
    return Outcome::error;
  }

  Outcome devices(At at) {  // NOLINT(misc-no-recursion)
    const auto& spec = prepared_.specs[at.spec];
    const auto& row = tables_.row(at.spec);
    const auto count = spec.all ? row.all.size() : static_cast<std::size_t>(spec.count);
    if (spec.all && count == 0) return Outcome::none;
    if (at.device >= count) return request(at.claim, at.request + 1);
    if (count - at.device + placing_.picks_of(at.claim) > 32) return Outcome::exceeded;
    if (spec.all) return take(at, row.all[at.device]);
    for (auto d = at.start; d < row.verdicts.size(); ++d) {
      const auto outcome = take(at, d);
      if (outcome != Outcome::none) return outcome;
    }
    return Outcome::none;
  }

  Outcome take(At at, std::uint32_t d) {  // NOLINT(misc-no-recursion)
    using alloc::Stage;
    const auto& spec = prepared_.specs[at.spec];
    const auto& row = tables_.row(at.spec);
    if (placing_.in_use(spec, d) || (!spec.admin && tables_.dedicated(d))) return Outcome::none;
    const auto verdict = row.verdicts[d];
    if (verdict == alloc::Verdict::no) return Outcome::none;
    if (verdict != alloc::Verdict::yes) return fails(tables_.error_text(at.spec, d));
    const auto stage = row.stages[d];
    const bool late = stage == Stage::constraint || stage == Stage::capacity;
    if (stage != Stage::usable && !(spec.all && late)) return Outcome::none;
    const auto outcome = placing_.place({at.spec, d});
    if (spec.all && outcome == alloc::Placing::Outcome::constraint) {
      return fails("cannot add device");
    }
    if (outcome != alloc::Placing::Outcome::placed) return Outcome::none;
    ++at.device;
    at.start = d + 1;
    const auto rest = stage == Stage::usable ? devices(at) : Outcome::none;
    if (rest != Outcome::found) placing_.undo();
    return rest;
  }

  const alloc::PreparedClaims& prepared_;
  alloc::CandidateTables& tables_;
  alloc::Placing& placing_;
};

struct World {
  cluster::ClusterState cluster;
  std::vector<ResourceClaim> claims;
  alloc::Memory memory;
  alloc::AllocatorOptions options;

  explicit World(unsigned seed) {
    Random random(seed);
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
    // An error for a device without the attribute.
    put(cluster, make_class("rooted", {"device.attributes['a.example.com'].root != 'z'"}));
    for (const char* driver : {"a", "b"}) {
      const auto name = std::string(driver) + ".example.com";
      put(cluster, make_class(driver, {"device.driver == '" + name + "'"}));
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

/// The claims of a world on its node, ready for a search; nothing to search if that ends before.
struct Question {
  explicit Question(World& of)
      : world(of),
        state(world.cluster.snapshot()),
        prepared(prepare(world, state.snapshot())),
        view(*alloc::gather(state, node(), world.options.features)),
        tables(view, prepared, world.options, state, state.snapshot().facts(node()), world.memory),
        placing(view, prepared, tables, world.options.features, world.memory.attributes) {}

  static alloc::PreparedClaims prepare(World& world, const cluster::Snapshot& snapshot) {
    std::vector<const ResourceClaim*> claims;
    for (const auto& each : world.claims) claims.push_back(&each);
    return alloc::prepare(claims, snapshot, world.options.features, world.memory.programs);
  }
  [[nodiscard]] cluster::NodeIndex node() const { return *state.snapshot().node(NodeName("n1")); }
  /// False: an error before the search begins.
  [[nodiscard]] bool collect() {
    for (std::size_t s = 0; s < prepared.specs.size(); ++s) {
      if (prepared.specs[s].all && !tables.collect_all(s)) return false;
    }
    return true;
  }
  [[nodiscard]] alloc::Found search(alloc::Scorer* scorer = nullptr) {
    return alloc::Search(view, prepared, tables, world.options, world.memory.attributes, scorer)
        .run();
  }

  World& world;
  cluster::AllocatedState state;
  alloc::PreparedClaims prepared;
  alloc::NodeView view;
  alloc::CandidateTables tables;
  alloc::Placing placing;
};

}  // namespace

TEST_CASE("the search ends as a plain one does, and in mode best with the best solution") {
  std::size_t solved = 0;
  std::size_t errors = 0;
  std::size_t better = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    CAPTURE(seed);
    World world(seed);
    Question question(world);
    if (!question.collect()) continue;

    Plain plain(question.prepared, question.tables, question.placing);
    plain.visit = [] { return true; };
    const auto outcome = plain.request(0, 0);
    const auto first = question.placing.picks();

    const auto found = question.search();
    using Kind = alloc::Found::Kind;
    if (plain.error) {
      ++errors;
      REQUIRE(found.kind == Kind::error);
      CHECK(found.error.find(*plain.error) != std::string::npos);
      continue;
    }
    const bool is_solved = outcome == Plain::Outcome::found;
    REQUIRE(found.kind == (is_solved ? Kind::found : Kind::none));
    if (!is_solved) continue;
    ++solved;
    CHECK(found.picks == first);

    while (!question.placing.picks().empty()) question.placing.undo();
    alloc::Scorer scorer(question.view, question.prepared, question.tables, world.options,
                         world.memory.attributes);
    std::optional<alloc::Score> best;
    plain.errors_are_none = true;
    plain.visit = [&] {
      const auto score = scorer.rate(question.placing);
      if (!best || score > *best) best = score;
      return false;
    };
    (void)plain.request(0, 0);
    const auto chosen = question.search(&scorer);
    CHECK(chosen.score == *best);
    if (chosen.picks != first) ++better;
  }
  CHECK(solved > 800);
  CHECK(errors > 500);
  CHECK(better > 300);
}

}  // namespace dray::alloc_search_test

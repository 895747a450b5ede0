#include "engine/books/eviction_memory.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::eviction_memory_test {
namespace {

using namespace std::chrono_literals;

planner::Job job(const std::string& uid, const std::string& lineage = "default/Job/train") {
  planner::Job made;
  made.uid = Uid(uid);
  made.lineage = lineage;
  return made;
}

TEST_CASE("a pod made anew takes the place of the one that was evicted, and only one does") {
  EvictionMemory memory;
  memory.evicted(job("a"), "default/w", start + 10s, start + 1h, start + 12s);
  const auto past = [&](const std::string& uid, Time made) {
    const auto* found = memory.past_of("default/Job/train", Uid(uid), made);
    return found == nullptr ? std::optional<Time>() : found->evicted;
  };
  CHECK(past("a", start) == start + 12s);
  CHECK_FALSE(past("older", start + 9s));
  CHECK(past("heir", start + 10s) == start + 12s);
  CHECK(past("heir", start + 10s) == start + 12s);
  CHECK_FALSE(past("next", start + 20s));
  SECTION("another one may, when that is gone") {
    memory.gone("default/Job/train", Uid("heir"));
    CHECK_FALSE(past("older", start + 9s));
    CHECK(past("next", start + 20s) == start + 12s);
  }
  SECTION("it is evicted in turn") {
    memory.evicted(job("heir"), "default/v", start + 30s, start + 2h, start + 31s);
    CHECK(memory.size() == 1);
    CHECK_FALSE(past("next", start + 20s));
    const auto* now = memory.past_of("default/Job/train", Uid("third"), start + 30s);
    REQUIRE(now != nullptr);
    CHECK(now->evicted_for ==
          std::vector<planner::EvictedFor>{{"default/v", start + 2h}, {"default/w", start + 1h}});
  }
  SECTION("other workloads have nothing to do with it") {
    CHECK(memory.past_of("default/Job/other", Uid("a"), start + 10s) == nullptr);
  }
}

TEST_CASE("as many pods of a workload count as evicted as were evicted") {
  EvictionMemory memory;
  memory.evicted(job("a"), "", start, start, start);
  memory.evicted(job("b"), "", start, start, start);
  int found = 0;
  for (int i = 0; i < 4; ++i) {
    const Uid uid("n" + std::to_string(i));
    if (memory.past_of("default/Job/train", uid, start + 1s) != nullptr) ++found;
  }
  CHECK(found == 2);
}

TEST_CASE("what has one name is the same, whenever it was made") {
  EvictionMemory memory;
  memory.evicted(job("a", "default/p"), "", start + 10s, start, start + 10s);
  CHECK(memory.past_of("default/p", Uid("a2"), std::nullopt) != nullptr);
}

TEST_CASE("what is remembered of evictions is bounded, by time and by number") {
  EvictionMemory memory;
  SECTION("time") {
    memory.evicted(job("a"), "", start, start, start);
    memory.evicted(job("b"), "", start, start, start + 24h);
    CHECK(memory.size() == 2);
    memory.evicted(job("c"), "", start, start, start + 24h + 1us);
    CHECK(memory.size() == 2);
    CHECK(memory.past_of("default/Job/train", Uid("a"), start - 1s) == nullptr);
  }
  SECTION("number") {
    for (std::size_t i = 0; i < EvictionMemory::most + 2; ++i) {
      memory.evicted(job("u" + std::to_string(i), "l" + std::to_string(i % 7)), "", start, start,
                     start);
    }
    CHECK(memory.size() == EvictionMemory::most);
    CHECK(memory.past_of("l0", Uid("u0"), start - 1s) == nullptr);
    CHECK(memory.past_of("l2", Uid("u2"), start - 1s) != nullptr);
  }
}

TEST_CASE("other rules forget who made room for whom, and not that somebody was evicted") {
  EvictionMemory memory;
  memory.evicted(job("a"), "default/w", start, start + 1h, start);
  memory.forget_beneficiaries();
  const auto* past = memory.past_of("default/Job/train", Uid("a"), start);
  REQUIRE(past != nullptr);
  CHECK(past->evicted_for.empty());
}

}  // namespace
}  // namespace dray::engine::eviction_memory_test

#include "engine/protocol/eviction_set.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace dray::engine::eviction_set_test {
namespace {

using namespace std::chrono_literals;

constexpr Time begin = Time(std::chrono::hours(24 * 365 * 50));

EvictionSet set_of(const std::vector<std::string>& names) {
  std::vector<EvictionSet::Victim> victims;
  for (const auto& name : names) victims.push_back({{"default", name}, Uid("uid-" + name)});
  return {std::move(victims), begin};
}

std::string words(const EvictionSet::Commands& commands) {
  std::string text;
  for (const auto& command : commands) {
    text += (command.write.dry_run ? " ask " : " evict ") + command.write.pod.name;
  }
  return text;
}

const WriteOutcome done = WrittenObject{};
const WriteOutcome refused = fail(ErrorCode::denied, "429: disruption budget");

TEST_CASE("all are asked for first, then all are evicted") {
  auto set = set_of({"a", "b"});
  CHECK(words(set.start()) == " ask a ask b");
  CHECK(words(set.step(0, done, begin)).empty());
  CHECK(!set.committed());
  CHECK(words(set.step(1, done, begin)) == " evict a evict b");
  CHECK(set.committed());
  CHECK(words(set.step(0, done, begin)).empty());
  CHECK(words(set.step(1, done, begin)).empty());
  CHECK(set.result() == EvictionSet::Result::evicted);
  CHECK(set.refused().empty());
}

TEST_CASE("one refusal at the asking keeps all running") {
  auto set = set_of({"a", "b"});
  static_cast<void>(set.start());
  CHECK(words(set.step(0, done, begin)).empty());
  CHECK(words(set.step(1, refused, begin)).empty());
  CHECK(set.result() == EvictionSet::Result::refused);
  CHECK(set.refused() == std::vector{Uid("uid-b")});
  CHECK(set.error() == "429: disruption budget");
}

TEST_CASE("a pod that is gone already is no obstacle") {
  auto set = set_of({"a", "b"});
  static_cast<void>(set.start());
  static_cast<void>(set.step(0, fail(ErrorCode::not_found, "gone"), begin));
  CHECK(words(set.step(1, fail(ErrorCode::conflict, "another uid"), begin)) == " evict a evict b");
}

TEST_CASE("a budget that closes on the way is asked again for a while") {
  auto set = set_of({"a", "b"});
  static_cast<void>(set.start());
  static_cast<void>(set.step(0, done, begin));
  static_cast<void>(set.step(1, done, begin));
  static_cast<void>(set.step(0, done, begin));
  CHECK(words(set.step(1, refused, begin)).empty());
  REQUIRE(set.next_tick() == begin + 250ms);
  CHECK(words(set.tick(begin)).empty());
  CHECK(words(set.tick(begin + 250ms)) == " evict b");
  SECTION("and opens again") {
    CHECK(words(set.step(1, done, begin + 300ms)).empty());
    CHECK(set.result() == EvictionSet::Result::evicted);
  }
  SECTION("and stays closed") {
    static_cast<void>(set.step(1, refused, begin + 31s));
    CHECK(set.result() == EvictionSet::Result::partly);
    CHECK(set.refused() == std::vector{Uid("uid-b")});
  }
}

TEST_CASE("no answer is asked again") {
  auto set = set_of({"a"});
  static_cast<void>(set.start());
  CHECK(words(set.step(0, fail(ErrorCode::unavailable, "timeout"), begin)).empty());
  CHECK(words(set.tick(begin + 250ms)) == " ask a");
}

TEST_CASE("a set that nobody needs any more touches no one else") {
  auto set = set_of({"a", "b"});
  static_cast<void>(set.start());
  static_cast<void>(set.step(0, done, begin));
  SECTION("before anybody went") {
    set.withdraw();
    CHECK(words(set.step(1, done, begin)).empty());
    CHECK(set.result() == EvictionSet::Result::refused);
    CHECK(set.spared().empty());
  }
  SECTION("before the dry run is asked for again") {
    static_cast<void>(set.step(1, fail(ErrorCode::unavailable, "timeout"), begin));
    set.withdraw();
    CHECK(words(set.tick(begin + 250ms)).empty());
    CHECK(set.result() == EvictionSet::Result::refused);
  }
  SECTION("when one has gone and the other was refused") {
    static_cast<void>(set.step(1, done, begin));
    static_cast<void>(set.step(0, done, begin));
    static_cast<void>(set.step(1, refused, begin));
    set.withdraw();
    CHECK(words(set.tick(begin + 250ms)).empty());
    CHECK(set.result() == EvictionSet::Result::partly);
    CHECK(set.spared() == std::vector{Uid("uid-b")});
  }
  CHECK(set.refused().empty());
  CHECK_FALSE(set.next_tick());
}

TEST_CASE("who left by itself is not asked for") {
  auto set = set_of({"a", "b"});
  static_cast<void>(set.start());
  set.left(1);
  CHECK(words(set.step(0, done, begin)).empty());
  CHECK(words(set.step(1, fail(ErrorCode::unavailable, "timeout"), begin)) == " evict a");
  SECTION("the last one too") {
    static_cast<void>(set.step(0, fail(ErrorCode::unavailable, "timeout"), begin));
    set.left(0);
    CHECK(words(set.tick(begin + 250ms)).empty());
    CHECK(set.result() == EvictionSet::Result::evicted);
  }
}

TEST_CASE("without anybody to evict it is over at once") {
  auto set = set_of({});
  CHECK(words(set.start()).empty());
  CHECK(set.result() == EvictionSet::Result::evicted);
}

}  // namespace
}  // namespace dray::engine::eviction_set_test

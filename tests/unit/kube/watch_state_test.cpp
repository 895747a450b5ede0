#include "kube/watch_state.h"

#include <catch2/catch.hpp>

namespace dray::kube::watch_state_test {
namespace {

using namespace std::chrono_literals;
using List = WatchState::List;
using Watch = WatchState::Watch;
using Wait = WatchState::Wait;
using Absent = WatchState::Absent;

const ResourceVersion rv10{"10"};
const ResourceVersion rv11{"11"};

/// Listed at version 10 and about to watch.
WatchState listed_state(WatchState::Options options = {}) {
  WatchState state(options);
  CHECK(std::get<List>(state.next()) == List{0, "", true});
  CHECK(std::get<Watch>(state.listed(rv10, "")).from == rv10);
  return state;
}

}  // namespace

TEST_CASE("a list in chunks is followed by a watch from its version") {
  WatchState state({});
  CHECK(state.next() == WatchState::Command(List{0, "", true}));
  CHECK(state.listed(rv10, "t1") == WatchState::Command(List{0, "t1", true}));
  CHECK(state.listed(rv10, "t2") == WatchState::Command(List{0, "t2", true}));
  const auto watch = std::get<Watch>(state.listed(rv10, ""));
  CHECK(watch.from == rv10);
  CHECK(watch.timeout >= 300s);
  CHECK(watch.timeout < 600s);
}

TEST_CASE("a stream that ended or broke goes on where it was") {
  auto state = listed_state();
  state.saw(rv11);
  SECTION("ended") {
    CHECK(std::get<Watch>(state.ended()).from == rv11);
  }
  SECTION("broke") {
    CHECK(std::get<Watch>(state.failed(ErrorCode::unavailable)).from == rv11);
  }
}

TEST_CASE("a stream without any progress is asked for again after a wait") {
  auto state = listed_state();
  SECTION("ended") {
    CHECK(std::holds_alternative<Wait>(state.ended()));
  }
  SECTION("broke") {
    CHECK(std::holds_alternative<Wait>(state.failed(ErrorCode::unavailable)));
  }
  CHECK(std::get<Watch>(state.next()).from == rv10);
}

TEST_CASE("a stream that says nothing is asked for again at once, however often") {
  auto state = listed_state();
  for (int i = 0; i < 3; ++i) static_cast<void>(state.failed(ErrorCode::unavailable));
  for (int i = 0; i < 3; ++i) CHECK(std::get<Watch>(state.silent()).from == rv10);
  CHECK(std::get<Wait>(state.failed(ErrorCode::unavailable)).time < 1600ms);
}

TEST_CASE("a version that is too old leads to a new list, at once only the first time") {
  auto state = listed_state();
  CHECK(state.failed(ErrorCode::gone) == WatchState::Command(List{0, "", true}));
  CHECK(std::get<Watch>(state.listed(rv11, "")).from == rv11);
  CHECK(std::holds_alternative<Wait>(state.failed(ErrorCode::gone)));
  CHECK(state.next() == WatchState::Command(List{0, "", true}));
  CHECK(std::get<Watch>(state.listed(rv11, "")).from == rv11);
  state.saw(rv11);
  CHECK(state.failed(ErrorCode::gone) == WatchState::Command(List{0, "", true}));
}

TEST_CASE("a list that expires between chunks begins anew, in one piece, and in chunks later") {
  WatchState state({});
  static_cast<void>(state.next());
  static_cast<void>(state.listed(rv10, "t1"));
  CHECK(state.failed(ErrorCode::gone) == WatchState::Command(List{0, "", false}));
  CHECK(std::get<Watch>(state.listed(rv10, "")).from == rv10);
  CHECK(state.relist() == WatchState::Command(List{0, "", true}));
}

TEST_CASE("a list in one piece that fails is asked for in chunks again") {
  const auto code = GENERATE(ErrorCode::unavailable, ErrorCode::gone);
  WatchState state({});
  static_cast<void>(state.next());
  static_cast<void>(state.listed(rv10, "t1"));
  REQUIRE(state.failed(ErrorCode::gone) == WatchState::Command(List{0, "", false}));
  CHECK(std::holds_alternative<Wait>(state.failed(code)));
  CHECK(state.next() == WatchState::Command(List{0, "", true}));
}

TEST_CASE("back-off doubles up to half a minute, with jitter, and begins anew after success") {
  auto state = listed_state({.versions = 1, .required = true, .seed = 7});
  Duration least = 800ms;
  for (int i = 0; i < 10; ++i) {
    const auto wait = std::get<Wait>(state.failed(ErrorCode::unavailable)).time;
    CHECK(wait >= least);
    CHECK(wait < 2 * least);
    least = std::min<Duration>(2 * least, 30s);
    static_cast<void>(state.next());
  }
  state.saw(rv11);
  static_cast<void>(state.ended());
  CHECK(std::get<Wait>(state.ended()).time < 1600ms);
}

TEST_CASE("what the server asks for is the least that is waited") {
  auto state = listed_state();
  state.saw(rv11);
  CHECK(std::get<Wait>(state.failed(ErrorCode::unavailable, 20s)).time >= 20s);
}

TEST_CASE("an API that is not there is looked for in older versions") {
  WatchState state({.versions = 3, .required = true, .seed = 0});
  static_cast<void>(state.next());
  CHECK(state.failed(ErrorCode::not_found) == WatchState::Command(List{1, "", true}));
  CHECK(state.failed(ErrorCode::not_found) == WatchState::Command(List{2, "", true}));
  SECTION("and stays with the one that is") {
    CHECK(std::get<Watch>(state.listed(rv10, "")).version == 2);
    CHECK(state.version() == 2);
  }
  SECTION("and waited for where it is needed") {
    CHECK(std::holds_alternative<Wait>(state.failed(ErrorCode::not_found)));
    CHECK(state.next() == WatchState::Command(List{0, "", true}));
  }
}

TEST_CASE("a kind that need not be there is absent, and asked for again") {
  WatchState state({.versions = 2, .required = false, .seed = 0});
  static_cast<void>(state.next());
  static_cast<void>(state.failed(ErrorCode::not_found));
  const auto absent = std::get<Absent>(state.failed(ErrorCode::not_found));
  CHECK(absent.retry_after >= 60s);
  CHECK(state.next() == WatchState::Command(List{0, "", true}));
}

TEST_CASE("the same seed gives the same waits, another seed others") {
  const auto waits = [](std::uint64_t seed) {
    WatchState state({.versions = 1, .required = true, .seed = seed});
    std::vector<Duration> all;
    for (int i = 0; i < 5; ++i) {
      static_cast<void>(state.next());
      all.push_back(std::get<Wait>(state.failed(ErrorCode::unavailable)).time);
    }
    return all;
  };
  CHECK(waits(1) == waits(1));
  CHECK(waits(1) != waits(2));
}

}  // namespace dray::kube::watch_state_test

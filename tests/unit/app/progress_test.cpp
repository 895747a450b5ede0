#include "app/common/progress.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::app::progress_test {
namespace {

using namespace std::chrono_literals;

/// What was written, for a test that waits for it.
struct Screen {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> texts;

  Progress::Write write() {
    return [this](std::string_view text) {
      const std::lock_guard lock(mutex);
      texts.emplace_back(text);
      changed.notify_all();
    };
  }
  bool shows(const std::string& text) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, [&] {
      return std::ranges::any_of(texts, [&](const auto& each) { return each.contains(text); });
    });
  }
};

}  // namespace

TEST_CASE("a line of progress says what is done, how far, and for how long") {
  CHECK(progress_line("match: asks devices", 30, 100, 5s) ==
        "dray match: asks devices, 30 of 100, 5 s");
  CHECK(progress_line("explain: makes plans", 0, 0, 61s) == "dray explain: makes plans, 61 s");
}

TEST_CASE("long work is shown while it goes on, and wiped off at its end") {
  Screen screen;
  {
    Progress progress("policy test: plays cases", 3, screen.write(), {1ms, 1ms});
    CHECK(screen.shows("plays cases, 0 of 3, "));
    progress.next();
    progress.next();
    CHECK(screen.shows("plays cases, 2 of 3, "));
  }
  CHECK(screen.texts.back() == "\r\x1b[K");
  CHECK(screen.texts.front().starts_with("\r\x1b[Kdray policy test: "));
}

TEST_CASE("short work shows nothing, and what has ended shows no more") {
  Screen screen;
  {
    Progress progress("match: asks devices", 3, screen.write(), {1h, 1h});
    progress.next();
  }
  CHECK(screen.texts.empty());
  Progress progress("match: asks devices", 3, screen.write(), {1ms, 1ms});
  CHECK(screen.shows("0 of 3"));
  progress.end();
  const auto count = screen.texts.size();
  progress.next();
  progress.end();
  CHECK(screen.texts.size() == count);
}

TEST_CASE("nothing is written where there is no terminal") {
  Progress progress("explain: makes plans", 0, {}, {0ms, 0ms});
  progress.next();
}

}  // namespace dray::app::progress_test

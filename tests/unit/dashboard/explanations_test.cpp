#include "dashboard/explanations.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "dray/base/check.h"
#include "tests/objects/gpus.h"
#include "tests/unit/dashboard/heard.h"
#include "tests/unit/net/support.h"

namespace dray::dashboard::explanations_test {
namespace {

using Catch::Contains;
using namespace dray::testing;
using service::testing::Watched;

/// What explanations of pods did; one of pod `slow` ends only when it is told to stop.
struct Seen {
  int begun = 0;
  int stopped = 0;
};

struct Bench {
  explicit Bench(ExplainLimits limits = {}) {
    explanations.emplace(loop.io, limits,
                         [this](const planner::Question& question, const std::stop_token& stop) {
                           return explain(question, stop);
                         });
  }
  ~Bench() {
    loop.stop();
    explanations->end();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::optional<planner::Explanation> explain(const planner::Question& question,
                                              const std::stop_token& stop) {
    seen.change([](Seen& now) { ++now.begun; });
    DRAY_CHECK(question.pod->meta.name != "broken");
    if (question.pod->meta.name == "slow") {
      std::mutex mutex;
      std::condition_variable_any told;
      std::unique_lock lock(mutex);
      told.wait(lock, stop, [] { return false; });
      seen.change([](Seen& now) { ++now.stopped; });
      return std::nullopt;
    }
    planner::Explanation made;
    made.pod = question.pod->key().to_string();
    made.summary = "because";
    return made;
  }

  static planner::Question about(const std::string& pod) {
    planner::Question question;
    question.pod = std::make_shared<const Pod>(make_pod(pod));
    return question;
  }
  /// The stream of an answer, under way.
  std::future<void> begin(const std::string& viewer, const std::string& pod,
                          const std::shared_ptr<Listener>& listener) {
    auto slot = explanations->reserve(viewer);
    REQUIRE(slot);
    auto response = explanations->answer(*std::move(slot), about(pod));
    CHECK(response.header("Content-Type") == "application/json");
    return boost::asio::co_spawn(loop.io, response.stream(listener), boost::asio::use_future);
  }
  int refusal(const std::string& viewer) {
    const auto slot = explanations->reserve(viewer);
    return slot ? 0 : slot.error().status;
  }

  Watched<Seen> seen;
  net::testing::Loop loop{1};
  std::optional<Explanations> explanations;
};

}  // namespace

TEST_CASE("an explanation is sent once it is made, and then another may be asked for") {
  Bench bench({.of_a_viewer = 1, .of_all = 1});
  for (int i = 0; i < 3; ++i) {
    const auto listener = std::make_shared<Listener>();
    bench.begin("jane", "p", listener).get();
    CHECK_THAT(listener->text.get(), Contains(R"("pod":"default/p")") && Contains("because"));
    CHECK(service::testing::eventually([&] { return bench.refusal("jane") == 0; }));
  }
}

TEST_CASE("an explanation ends when its caller leaves") {
  Bench bench({.of_a_viewer = 1, .of_all = 1});
  const auto listener = std::make_shared<Listener>();
  auto stream = bench.begin("jane", "slow", listener);
  CHECK(bench.seen.wait([](const Seen& now) { return now.begun == 1; }));
  CHECK(bench.refusal("jane") == 429);
  listener->gone = true;
  stream.get();
  CHECK(bench.seen.wait([](const Seen& now) { return now.stopped == 1; }));
  CHECK(service::testing::eventually([&] { return bench.refusal("jane") == 0; }));
}

TEST_CASE("explanations are bounded for each viewer, and for all of them") {
  Bench bench({.of_a_viewer = 2, .of_all = 3});
  auto first = bench.explanations->reserve("jane");
  auto second = bench.explanations->reserve("jane");
  REQUIRE((first && second));
  const auto mine = bench.explanations->reserve("jane");
  REQUIRE_FALSE(mine);
  CHECK(mine.error().status == 429);
  CHECK(mine.error().body ==
        "2 explanations of yours are under way: ask again when one is answered\n");
  CHECK(mine.error().header("Retry-After") == "1");
  const auto third = bench.explanations->reserve("joe");
  CHECK(third);
  const auto all = bench.explanations->reserve("jim");
  REQUIRE_FALSE(all);
  CHECK(all.error().status == 503);
  CHECK_THAT(all.error().body, Contains("3 explanations are under way"));
  second->reset();
  CHECK(bench.refusal("jim") == 0);
  CHECK(bench.refusal("jane") == 0);
}

TEST_CASE("whoever waits for an explanation holds nobody up who ends the service") {
  Bench bench;
  const auto listener = std::make_shared<Listener>();
  auto slow = bench.begin("jane", "slow", listener);
  auto behind = bench.begin("jane", "slow", listener);
  CHECK(bench.seen.wait([](const Seen& now) { return now.begun == 1; }));
  boost::asio::post(bench.loop.io, [&] { bench.explanations->stop(); });
  slow.get();
  behind.get();
  CHECK(bench.seen.wait([](const Seen& now) { return now.stopped == 1; }));
  CHECK(listener->text.get().empty());
  CHECK(bench.refusal("jane") == 503);
  bench.loop.stop();
  bench.explanations->end();
  CHECK(bench.seen.get().begun == 1);
}

TEST_CASE("an explanation whose invariant breaks says so, and the next one is made") {
  Bench bench;
  const auto listener = std::make_shared<Listener>();
  bench.begin("jane", "broken", listener).get();
  CHECK_THAT(listener->text.get(), Contains("a fault of dray itself"));
  bench.begin("jane", "p", listener).get();
  CHECK_THAT(listener->text.get(), Contains("because"));
}

}  // namespace dray::dashboard::explanations_test

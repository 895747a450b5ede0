#include "dray/base/check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace dray::check_test {
namespace {

using Catch::Contains;

struct Ended {
  int signal = 0;  ///< 0: it ended by itself
  std::string said;
};

/// What becomes of a process that does `work`, and what it says on standard error.
Ended in_a_child(const std::function<void()>& work) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch2 reports it otherwise
    ::dup2(pipe[1], STDERR_FILENO);
    work();
    ::_exit(0);
  }
  ::close(pipe[1]);
  Ended ended;
  std::array<char, 512> part{};
  for (ssize_t got = 0; (got = ::read(pipe[0], part.data(), part.size())) > 0;) {
    ended.said.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

/// Breaks an invariant while another exception is on its way.
struct BreaksInDestructor {
  BreaksInDestructor() = default;
  ~BreaksInDestructor() noexcept(false) { DRAY_CHECK(2 + 2 == 5); }
  BreaksInDestructor(const BreaksInDestructor&) = delete;
  BreaksInDestructor& operator=(const BreaksInDestructor&) = delete;
};

TEST_CASE("a check that holds does nothing, and is asked once") {
  int asked = 0;
  CHECK_FALSE(run_checked([&] { DRAY_CHECK(++asked == 1); }));
  CHECK(asked == 1);
}

TEST_CASE("inside run_checked a broken invariant ends the step and says file, line and text") {
  bool went_on = false;
  const int line = __LINE__ + 2;
  const auto broken = run_checked([&] {
    DRAY_CHECK(1 + 1 == 3);
    went_on = true;
  });
  REQUIRE(broken);
  CHECK_THAT(broken->text,
             Catch::EndsWith("check_test.cpp:" + std::to_string(line) + ": 1 + 1 == 3"));
  CHECK_FALSE(went_on);
}

TEST_CASE("a library's exception that leaves a step is a broken invariant too") {
  const auto broken = run_checked([] { throw std::out_of_range("map::at"); });
  REQUIRE(broken);
  CHECK(broken->text == "exception: map::at");
}

TEST_CASE("a step within a step: the inner one's end is not the outer one's") {
  std::optional<BrokenInvariant> inner;
  const auto outer = run_checked([&] {
    inner = run_checked([] { DRAY_CHECK(false); });
    DRAY_CHECK(!inner);
  });
  REQUIRE(inner);
  REQUIRE(outer);
  CHECK_THAT(outer->text, Contains("!inner"));
}

TEST_CASE("outside of run_checked a broken invariant aborts with its message") {
  const auto after = [] {
    static_cast<void>(run_checked([] {}));
    DRAY_CHECK(1 + 1 == 3);
  };
  const auto on_another_thread = [] {
    static_cast<void>(run_checked([] { std::thread([] { DRAY_CHECK(1 + 1 == 3); }).join(); }));
  };
  const auto aborts = GENERATE_REF(values<std::function<void()>>({after, on_another_thread}));
  const auto ended = in_a_child(aborts);
  CHECK(ended.signal == SIGABRT);
  CHECK_THAT(ended.said, Contains("broken invariant: ") && Contains("check_test.cpp:") &&
                             Contains(": 1 + 1 == 3\n"));
}

TEST_CASE("a second broken invariant on the first one's way out aborts with its message") {
  const auto ended = in_a_child([] {
    static_cast<void>(run_checked([] {
      const BreaksInDestructor second;
      DRAY_CHECK(false);
    }));
  });
  CHECK(ended.signal == SIGABRT);
  CHECK_THAT(ended.said, Contains(": 2 + 2 == 5\n"));
}

}  // namespace
}  // namespace dray::check_test

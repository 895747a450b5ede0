#include "app/simulate/signal_watch.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include <csignal>
#include <future>

namespace dray::app::signal_watch_test {

TEST_CASE("a signal is told once while it is watched for, and ends nothing") {
  const auto sent = GENERATE(SIGINT, SIGTERM);
  std::promise<int> told;
  {
    const SignalWatch watch([&](int number) { told.set_value(number); });
    REQUIRE(kill(getpid(), sent) == 0);
    CHECK(told.get_future().get() == sent);
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, sent) == 0);
}

TEST_CASE("where no signal comes nothing is told") {
  bool told = false;
  {
    const SignalWatch watch([&](int) { told = true; });
  }
  CHECK_FALSE(told);
}

}  // namespace dray::app::signal_watch_test

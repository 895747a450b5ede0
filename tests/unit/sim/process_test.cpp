#include "sim/process.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/objects/meta.h"

namespace dray::sim::process_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using Thread = Process::Thread;

constexpr Process::Order usual{Thread::lease, Thread::engine, Thread::writer};

struct Bench {
  VirtualTime time{start};
  std::string done;
  Process::Action say(const std::string& word) {
    return [this, word] { done += word + " "; };
  }
  void pass(Duration by) { REQUIRE(time.run_until(time.now() + by, 100)); }
};

TEST_CASE("a process' clock has its own rate and offset") {
  Bench bench;
  Process process(bench.time, 1.5, 10s);
  CHECK(process.now() == start + 10s);
  bench.pass(4s);
  CHECK(process.now() == start + 16s);
}

TEST_CASE("it is woken when its own clock shows the time") {
  Bench bench;
  Process process(bench.time, 2.0, 0s);
  process.wake_at(start + 10s, Thread::engine, bench.say("woken"));
  bench.pass(5s);
  CHECK(bench.done.empty());
  bench.pass(2us);
  CHECK(bench.done == "woken ");
  CHECK(process.now() >= start + 10s);
}

TEST_CASE("a delay is of the true clock") {
  Bench bench;
  Process process(bench.time, 2.0, 0s);
  process.after(10s, Thread::engine, bench.say("later"));
  bench.pass(10s - 1us);
  CHECK(bench.done.empty());
  bench.pass(1us);
  CHECK(bench.done == "later ");
}

TEST_CASE("a machine that was suspended has the right time, and its timers are late by as long") {
  Bench bench;
  Process process(bench.time, 1.0, 0s);
  process.after(5s, Thread::engine, bench.say("meanwhile"));
  process.wake_at(start + 20s, Thread::engine, bench.say("afterwards"));
  bench.pass(2s);
  process.suspend();
  process.run(Thread::engine, bench.say("answered"));
  bench.pass(10s);
  CHECK(bench.done.empty());
  process.go_on(usual);
  CHECK(process.now() == start + 12s);
  CHECK(bench.done == "answered ");
  bench.pass(3s - 1us);
  CHECK(bench.done == "answered ");
  bench.pass(1us);
  CHECK(bench.done == "answered meanwhile ");
  process.after(1s, Thread::engine, bench.say("new"));
  bench.pass(1s);
  CHECK(bench.done == "answered meanwhile new ");
  bench.pass(14s - 1us);
  CHECK(bench.done == "answered meanwhile new ");
  bench.pass(2us);
  CHECK(bench.done == "answered meanwhile new afterwards ");
}

TEST_CASE("while it is stopped nothing is done; then all that came, thread by thread") {
  Bench bench;
  Process process(bench.time, 1.0, 0s);
  process.run(Thread::engine, bench.say("before"));
  process.stop();
  process.run(Thread::engine, bench.say("e1"));
  process.run(Thread::writer, bench.say("w1"));
  process.wake_at(start + 1s, Thread::lease, bench.say("l1"));
  process.run(Thread::engine, bench.say("e2"));
  bench.pass(1min);
  CHECK(bench.done == "before ");
  SECTION("in the usual order") {
    process.go_on(usual);
    CHECK(bench.done == "before l1 e1 e2 w1 ");
  }
  SECTION("in another") {
    process.go_on({Thread::writer, Thread::engine, Thread::lease});
    CHECK(bench.done == "before w1 e1 e2 l1 ");
  }
  process.go_on(usual);  // it goes on already
  process.run(Thread::engine, [] {});
  CHECK(bench.done.size() == std::string("before l1 e1 e2 w1 ").size());
}

TEST_CASE("who stops again while catching up leaves the rest for the next time") {
  Bench bench;
  Process process(bench.time, 1.0, 0s);
  process.stop();
  process.run(Thread::lease, [&process] { process.stop(); });
  process.run(Thread::engine, bench.say("rest"));
  process.go_on(usual);
  CHECK(bench.done.empty());
  process.go_on(usual);
  CHECK(bench.done == "rest ");
}

TEST_CASE("what has ended does nothing any more") {
  Bench bench;
  Process process(bench.time, 1.0, 0s);
  process.wake_at(start + 1s, Thread::engine, bench.say("never"));
  process.end();
  process.run(Thread::engine, bench.say("never"));
  bench.pass(2s);
  CHECK(bench.done.empty());
}

TEST_CASE("a timer's last word counts") {
  Bench bench;
  Process process(bench.time, 1.0, 0s);
  ProcessTimer timer(process, Thread::engine);
  timer.set(start + 1s, bench.say("first"));
  timer.set(start + 2s, bench.say("second"));
  bench.pass(3s);
  CHECK(bench.done == "second ");
  timer.set(start + 4s, bench.say("third"));
  timer.cancel();
  bench.pass(3s);
  CHECK(bench.done == "second ");
}

}  // namespace
}  // namespace dray::sim::process_test

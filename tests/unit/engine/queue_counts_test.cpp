#include "engine/books/queue_counts.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/shelf.h"

namespace dray::engine::queue_counts_test {
namespace {

using planner::MemberState;
using Waiting = std::map<policy::QueueName, Engine::QueueWaiting>;

Waiting waiting(Shelf& shelf) {
  shelf.book.refresh(start);
  return shelf.book.queue_counts().waiting();
}

Waiting in_default(std::size_t jobs, std::size_t pods) {
  return {{policy::QueueName("default"), {jobs, pods}}};
}

TEST_CASE("jobs and pods that wait are counted by queue, until they are placed or gone") {
  Shelf shelf;
  CHECK(waiting(shelf).empty());
  for (const auto* name : {"a", "b"}) shelf.put(make_pod(name, ""));
  CHECK(waiting(shelf) == in_default(2, 2));
  shelf.move("a", MemberState::placed);
  CHECK(waiting(shelf) == in_default(1, 1));
  shelf.move("a", MemberState::waiting);
  CHECK(waiting(shelf) == in_default(2, 2));
  shelf.book.erase(Uid("uid-a"));
  shelf.book.erase(Uid("uid-b"));
  CHECK(waiting(shelf).empty());
}

TEST_CASE("a gang is one job, of the pods that still wait; what is blocked waits for no place") {
  Shelf shelf;
  for (const auto* name : {"p0", "p1", "p2"}) shelf.put(in_group(name));
  shelf.observe(group_of(2));
  CHECK(waiting(shelf) == in_default(1, 3));
  shelf.move("p0", MemberState::placed);
  shelf.move("p1", MemberState::blocked);
  CHECK(waiting(shelf) == in_default(1, 1));
}

TEST_CASE("a job that moves to another queue waits there") {
  QueueCounts counts;
  const auto job = [](const char* queue) {
    return planner::single_pod_job(std::make_shared<const Pod>(make_pod("p", "")),
                                   policy::QueueName(queue), start);
  };
  const auto before = job("a");
  const auto after = job("b");
  counts.replace(nullptr, &before);
  counts.replace(&before, &after);
  CHECK(counts.waiting() == Waiting{{policy::QueueName("b"), {1, 1}}});
}

TEST_CASE("who waits above a priority is known by queue, until none of that priority waits") {
  QueueCounts counts;
  const auto job = [](const char* queue, std::int32_t priority) {
    auto pod = make_pod("p", "");
    pod.priority = priority;
    return planner::single_pod_job(std::make_shared<const Pod>(std::move(pod)),
                                   policy::QueueName(queue), start);
  };
  const policy::QueueName a("a");
  const auto low = job("a", 0);
  const auto high = job("a", 50);
  const auto same = job("a", 50);
  CHECK_FALSE(counts.waits_above(a, -1));
  for (const auto* each : {&low, &high, &same}) counts.replace(nullptr, each);
  CHECK(counts.waits_above(a, 49));
  CHECK_FALSE(counts.waits_above(a, 50));
  CHECK_FALSE(counts.waits_above(policy::QueueName("b"), 0));
  counts.replace(&high, nullptr);
  CHECK(counts.waits_above(a, 49));
  counts.replace(&same, nullptr);
  CHECK_FALSE(counts.waits_above(a, 0));
  CHECK(counts.waits_above(a, -1));
  counts.replace(&low, nullptr);
  CHECK_FALSE(counts.waits_above(a, -1));
}

}  // namespace
}  // namespace dray::engine::queue_counts_test

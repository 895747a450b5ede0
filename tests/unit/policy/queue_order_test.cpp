#include "dray/policy/queue_order.h"

#include <catch2/catch.hpp>
#include <functional>
#include <optional>

#include "trees.h"

namespace dray::policy::queue_order_test {

namespace {

/// A queue that holds something of two resources, within its fair share and above its quota.
Queue plain() {
  Queue queue;
  queue.quota = amounts({1, 1});
  queue.limit = amounts({unlimited, unlimited});
  queue.fair_share = amounts({10, 10});
  queue.allocated = amounts({5, 5});
  return queue;
}

}  // namespace

TEST_CASE("what a queue may hold: the larger of quota and fair share, up to the limit") {
  auto queue = plain();
  queue.quota = amounts({12, unlimited});
  queue.limit = amounts({11, 7});
  CHECK(allocatable(queue) == amounts({11, 7}));
  queue.limit = amounts({unlimited, unlimited});
  CHECK(allocatable(queue) == amounts({12, unlimited}));
}

TEST_CASE("the dominant share is that of the resource used most") {
  auto queue = plain();
  CHECK(dominant_share(queue, amounts({2, 5}), amounts({100, 100})) == 0.5);
  queue.quota = amounts({unlimited, 1});
  CHECK(dominant_share(queue, amounts({80, 5}), amounts({100, 100})) == 0.8);
  queue.quota = queue.fair_share = amounts({0, 10});
  CHECK(dominant_share(queue, amounts({2, 5}), amounts({100, 100})) == 2000);
  CHECK(dominant_share(queue, amounts({-1, -5}), amounts({100, 100})) == 0);
}

struct Difference {
  std::string name;
  std::function<void(Queue&, Queue&)> change;  ///< makes the left one the first
  Amounts next = amounts({1, 1});
  std::vector<Amounts> taken_left{};
};

/// One rule each that puts the left queue first.
std::vector<Difference> differences() {
  return {
      {"over its fair share of everything: second",
       [](Queue&, Queue& r) { r.allocated = amounts({11, 11}); }},
      {"over in one resource only does not count; the dominant share does",
       [](Queue&, Queue& r) { r.allocated = amounts({5, 11}); }},
      {"exactly its fair share of one resource is not over it",
       [](Queue& l, Queue& r) {
         l.allocated = amounts({11, 10});
         l.priority = 101;
         r.priority = 100;
       }},
      {"over everything comes before any priority",
       [](Queue&, Queue& r) {
         r.allocated = amounts({11, 11});
         r.priority = 999;
       }},
      {"within its quota comes before any priority",
       [](Queue& l, Queue& r) {
         l.quota = amounts({6, 6});
         r.priority = 999;
       }},
      {"within its quota with the job: first",
       [](Queue& l, Queue& r) {
         l.quota = amounts({6, 6});
         r.quota = amounts({6, 5});
       }},
      {"higher priority",
       [](Queue& l, Queue& r) {
         l.priority = 101;
         l.allocated = amounts({9, 9});
         r.priority = 100;
       }},
      {"would hold what it has no share of: second",
       [](Queue& l, Queue& r) {
         l.allocated = amounts({9, 9});
         r.fair_share = r.quota = r.allocated = amounts({10, 0});
       }},
      {"smaller dominant share with the job",
       [](Queue& l, Queue&) { l.allocated = amounts({4, 4}); }, amounts({0, 0})},
      {"what was taken already makes its share smaller",
       [](Queue&, Queue&) {},
       amounts({1, 1}),
       {amounts({2, 2})}},
      {"the weaker queue",
       [](Queue& l, Queue&) {
         l.fair_share = amounts({10, 9});
         l.allocated = amounts({5, 4.5});
       },
       amounts({0, 0})},
      {"the older queue", [](Queue&, Queue& r) { r.created = Time(std::chrono::seconds(1)); }},
  };
}

TEST_CASE("the first rule that tells two queues apart orders them") {
  const auto row = GENERATE(from_range(differences()));
  DYNAMIC_SECTION(row.name) {
    auto left = plain();
    auto right = plain();
    row.change(left, right);
    const QueueTurn l{left, &row.next, row.taken_left};
    const QueueTurn r{right, &row.next, {}};
    const auto total = amounts({100, 100});
    CHECK((compare_turns(l, r, total) < 0));
    CHECK((compare_turns(r, l, total) > 0));
  }
}

TEST_CASE("two queues of one kind are equal, and so is a missing job to an empty one") {
  const auto left = plain();
  const auto right = plain();
  const auto nothing = amounts({0, 0});
  CHECK((compare_turns({left, nullptr, {}}, {right, &nothing, {}}, amounts({9, 9})) == 0));
}

}  // namespace dray::policy::queue_order_test

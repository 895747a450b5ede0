#include "engine/books/unreadable_book.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/engine/benches.h"

namespace dray::engine::unreadable_book_test {
namespace {

const Time start = Time(std::chrono::hours(500'000));
const std::string problem = "spec.devices.requests[0]: too large";

cluster::ObjectUnreadable bad_claim(const std::string& name = "bad",
                                    const std::string& why = problem) {
  ResourceClaim claim;
  claim.meta = make_claim(name, 1).meta;
  claim.spec.unreadable = why;
  return {claim, why};
}

std::size_t claims(const UnreadableBook& book) {
  return book.counts()[std::to_underlying(Kind::resource_claim)];
}

TEST_CASE("an object that cannot be read is counted, and told once") {
  UnreadableBook book;
  CHECK(book.tell_all(start).empty());
  const auto told = book.put(bad_claim(), start);
  const auto event = std::get<RecordEvent>(told.at(0));
  CHECK(event.pod.to_string() == "default/bad");
  CHECK(event.uid == Uid("uid-bad"));
  CHECK(event.regarding == Kind::resource_claim);
  CHECK(event.event.reason == "Unreadable");
  CHECK_THAT(event.event.note, Catch::EndsWith(problem));
  CHECK(book.put(bad_claim(), start).empty());
  CHECK(book.put(bad_claim("bad", "another problem"), start).size() == 1);
  auto namesake = bad_claim("bad", "another problem");
  meta_of(namesake.object).uid = Uid("uid-of-another");
  CHECK(book.put(namesake, start).size() == 1);
  CHECK(claims(book) == 1);
}

TEST_CASE("what can be read again, or is gone, does not count") {
  UnreadableBook book;
  static_cast<void>(book.put(bad_claim("a"), start));
  static_cast<void>(book.put(bad_claim("b"), start));
  const auto first = bad_claim("a");
  book.erase(Kind::resource_claim, meta_of(first.object));
  CHECK(claims(book) == 1);
  book.erase(cluster::ObjectGone{Kind::resource_claim, "default", "b", Uid("uid-b")});
  CHECK(claims(book) == 0);
}

cluster::ObjectUnreadable bad_claim_in(const std::string& space, int number) {
  auto made = bad_claim("c" + std::to_string(number));
  meta_of(made.object).namespace_name = space;
  return made;
}

TEST_CASE("only a leader tells, and a new one tells again, but not of thousands") {
  UnreadableBook book;
  for (int i = 0; i < 5000; ++i) {
    CHECK(book.put(bad_claim_in("team-" + std::to_string(i % 50), i), start).empty());
  }
  CHECK(book.tell_all(start).size() == 100);
  CHECK(claims(book) == 5000);
  book.quiet();
  CHECK(book.put(bad_claim("late"), start).empty());
}

TEST_CASE("a namespace takes no other's Events on unreadable objects") {
  UnreadableBook book;
  for (int i = 0; i < 5000; ++i) static_cast<void>(book.put(bad_claim_in("hostile", i), start));
  static_cast<void>(book.put(bad_claim_in("victim", 1), start));
  const auto told = book.tell_all(start);
  CHECK(told.size() == 21);
  CHECK(std::get<RecordEvent>(told.back()).pod.to_string() == "victim/c1");
}

TEST_CASE("an object that is unreadable in ever new ways makes few Events, and its like as well") {
  UnreadableBook book;
  static_cast<void>(book.tell_all(start));
  std::size_t told = 0;
  for (int i = 0; i < 1000; ++i) {
    told += book.put(bad_claim("bad", "problem " + std::to_string(i)), start).size();
  }
  CHECK(told == 20);
  CHECK(book.put(bad_claim("bad", "x"), start + std::chrono::seconds(4)).empty());
  CHECK(book.put(bad_claim("bad", "y"), start + std::chrono::seconds(5)).size() == 1);
  CHECK(book.put(bad_claim("bad", "z"), start + std::chrono::seconds(5)).empty());
  // From anywhere: a hundred at once, then one a second.
  told = 0;
  const auto later = start + std::chrono::hours(1);
  for (int i = 0; i < 1000; ++i) {
    told += book.put(bad_claim_in("team-" + std::to_string(i), i), later).size();
  }
  CHECK(told == 100);
  CHECK(book.put(bad_claim_in("more", 1), later).empty());
  CHECK(book.put(bad_claim_in("more", 2), later + std::chrono::seconds(1)).size() == 1);
  CHECK(book.put(bad_claim_in("more", 3), later + std::chrono::seconds(1)).empty());
}

TEST_CASE("a note is no longer than the API server takes, and no character is cut") {
  UnreadableBook book;
  static_cast<void>(book.tell_all(start));
  std::string text;
  while (text.size() < 4000) text += "\xc3\xa9";
  const auto note = std::get<RecordEvent>(book.put(bad_claim("bad", text), start).at(0)).event.note;
  CHECK(note.size() <= 1024);
  CHECK(note.size() >= 1022);
  CHECK(note.ends_with("\xc3\xa9"));
}

// ---- What the engine makes of it

TEST_CASE("an unreadable claim holds its devices, its pod is told why, and others are placed") {
  Bench bench;
  bench.add_nodes(1, 2);
  auto bad = bad_claim("c-held");
  std::get<ResourceClaim>(bad.object).allocation = place("x", "n0").claims[0].allocation;
  bench.apply(bad);
  CHECK(bench.engine.status().devices_allocated == 1);
  bench.apply(bad_claim("c-bad"));
  bench.tell(make_pod("bad", "c-bad"));
  bench.tell(make_claim("c-good", 1));
  bench.tell(make_pod("good", "c-good"));
  const auto good = bench.engine.pod({"default", "good"});
  REQUIRE(good);
  REQUIRE(good->placement);
  CHECK(good->placement->claims[0].allocation.devices[0].device.device == DeviceName("gpu-1"));
  const auto waits = bench.engine.pod({"default", "bad"});
  REQUIRE(waits);
  CHECK_FALSE(waits->placement);
  CHECK_THAT(waits->detail, Catch::Contains("claim \"gpus\" cannot be read: " + problem));
  CHECK(bench.engine.status().unreadable[std::to_underlying(Kind::resource_claim)] == 2);
  bench.tell(make_claim("c-bad", 1));
  CHECK(bench.engine.status().unreadable[std::to_underlying(Kind::resource_claim)] == 1);
}

TEST_CASE("of an unreadable object of another kind, what was known stays") {
  Bench bench;
  bench.add_nodes(1, 1);
  Node bad;
  bad.meta = make_node("n0").meta;
  bench.apply(cluster::ObjectUnreadable{bad, problem});
  CHECK(bench.engine.status().nodes == 1);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.regarding == Kind::node);
}

}  // namespace
}  // namespace dray::engine::unreadable_book_test

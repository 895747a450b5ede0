#include "engine/books/unreadable_book.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/benches.h"

namespace dray::engine::unreadable_book_test {
namespace {

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
  CHECK(book.tell_all().empty());
  const auto told = book.put(bad_claim());
  const auto event = std::get<RecordEvent>(told.at(0));
  CHECK(event.pod.to_string() == "default/bad");
  CHECK(event.uid == Uid("uid-bad"));
  CHECK(event.regarding == Kind::resource_claim);
  CHECK(event.event.reason == "Unreadable");
  CHECK_THAT(event.event.note, Catch::EndsWith(problem));
  CHECK(book.put(bad_claim()).empty());
  CHECK(book.put(bad_claim("bad", "another problem")).size() == 1);
  auto namesake = bad_claim("bad", "another problem");
  meta_of(namesake.object).uid = Uid("uid-of-another");
  CHECK(book.put(namesake).size() == 1);
  CHECK(claims(book) == 1);
}

TEST_CASE("what can be read again, or is gone, does not count") {
  UnreadableBook book;
  static_cast<void>(book.put(bad_claim("a")));
  static_cast<void>(book.put(bad_claim("b")));
  const auto first = bad_claim("a");
  book.erase(Kind::resource_claim, meta_of(first.object));
  CHECK(claims(book) == 1);
  book.erase(cluster::ObjectGone{Kind::resource_claim, "default", "b", Uid("uid-b")});
  CHECK(claims(book) == 0);
}

TEST_CASE("only a leader tells, and a new one tells again, but not of thousands") {
  UnreadableBook book;
  for (int i = 0; i < 500; ++i) {
    CHECK(book.put(bad_claim("c" + std::to_string(i))).empty());
  }
  CHECK(book.tell_all().size() == 100);
  book.quiet();
  CHECK(book.put(bad_claim("late")).empty());
}

TEST_CASE("a note is no longer than the API server takes, and no character is cut") {
  UnreadableBook book;
  static_cast<void>(book.tell_all());
  std::string text;
  while (text.size() < 4000) text += "\xc3\xa9";
  const auto note = std::get<RecordEvent>(book.put(bad_claim("bad", text)).at(0)).event.note;
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

#include "net/session_set.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

namespace dray::net::session_set_test {
namespace {

struct Bench {
  boost::asio::io_context io;
  SessionSet set;
  std::uint64_t number = 0;

  void add(const std::string& network) {
    auto session = std::make_shared<Session>(Connection::Socket(io));
    session->number = ++number;
    session->network = network;
    set.add(session);
  }
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::shared_ptr<Session>> all;
    set.append_to(all);
    std::vector<std::uint64_t> found;
    for (const auto& session : all) found.push_back(session->number);
    return found;
  }
};

using Numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("the oldest connections make room, of all or of one network") {
  Bench bench;
  for (const auto* network : {"a", "b", "a", "a", "c"}) bench.add(network);
  CHECK(bench.set.count_of("a") == 3);
  bench.set.make_room_of("a", 3);
  CHECK(bench.numbers() == Numbers{2, 3, 4, 5});
  bench.set.make_room_of("a", 3);
  bench.set.make_room_of("unknown", 1);
  CHECK(bench.numbers() == Numbers{2, 3, 4, 5});
  bench.set.make_room(3);
  CHECK(bench.numbers() == Numbers{4, 5});
  CHECK(bench.set.count_of("a") == 1);
  CHECK(bench.set.count_of("b") == 0);
}

TEST_CASE("who has gone counts no more, and goes once") {
  Bench bench;
  bench.add("a");
  CHECK(bench.set.remove(1));
  CHECK_FALSE(bench.set.remove(1));
  CHECK(bench.set.size() == 0);
  CHECK(bench.set.count_of("a") == 0);
}

}  // namespace dray::net::session_set_test

#include "dray/engine/standby.h"

#include <catch2/catch.hpp>
#include <map>

namespace dray::engine::standby_test {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;
constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));

/// The Leases of an API server, by name.
struct Server {
  std::map<std::string, Lease> leases;
  int version = 0;
  bool reachable = true;
  std::string forbidden;  ///< a verb
  Names asked;

  WriteOutcome serve(const Write& write) {
    if (!reachable) return fail(ErrorCode::unavailable, "no answer");
    if (forbidden == verb_of(write)) return fail(ErrorCode::denied, "forbidden");
    if (const auto* put = std::get_if<PutLease>(&write)) return take(*put);
    const auto& name = std::get<ReadLease>(write).lease.name;
    asked.push_back("get " + name);
    const auto found = leases.find(name);
    if (found == leases.end()) return fail(ErrorCode::not_found, "no such lease");
    return found->second;
  }

  static std::string verb_of(const Write& write) {
    const auto* put = std::get_if<PutLease>(&write);
    if (put == nullptr) return "get";
    return put->expected.get().empty() ? "create" : "update";
  }

  WriteOutcome take(const PutLease& put) {
    asked.push_back("put " + put.lease.name);
    if (put.expected != leases[put.lease.name].meta.resource_version) {
      return fail(ErrorCode::conflict, "changed");
    }
    auto& lease = leases[put.lease.name];
    lease = put.value;
    lease.meta.resource_version = ResourceVersion(std::to_string(++version));
    return lease;
  }
};

struct Replica {
  explicit Replica(Server& api, const std::string& name)
      : server(api), keeper({{"dray-system", "dray"}, name}) {}

  void round(Time now, bool stands_by) {
    auto commands = keeper.tick(now, stands_by);
    while (!commands.empty()) {
      REQUIRE(commands.size() == 1);
      commands = keeper.step(server.serve(commands.front()), now);
    }
  }

  Server& server;
  StandbyKeeper keeper;
};

}  // namespace

TEST_CASE("a replica that stands by is named to every other, and a leader is not") {
  Server server;
  Replica leader(server, "a");
  Replica standby(server, "b");
  Replica third(server, "c");
  for (auto now = t0; now <= t0 + 60s; now += 5s) {
    leader.round(now, false);
    standby.round(now, true);
    third.round(now + 1s, true);
  }
  CHECK(leader.keeper.standbys(t0 + 60s) == Names{"b", "c"});
  CHECK(standby.keeper.standbys(t0 + 60s) == Names{"b", "c"});
  const auto& lease = server.leases.at("dray-standby-1");
  CHECK(lease.holder == "b");
  CHECK(lease.acquired == t0);
  CHECK(lease.renewed == t0 + 60s);
  CHECK(lease.meta.namespace_name == "dray-system");
}

TEST_CASE("one that takes the lead, or falls ill, gives its Lease back") {
  Server server;
  Replica replica(server, "b");
  replica.round(t0, true);
  CHECK(replica.keeper.standbys(t0) == Names{"b"});
  replica.round(t0 + 5s, false);
  CHECK(replica.keeper.standbys(t0 + 5s).empty());
  CHECK(server.leases.at("dray-standby-1").holder.empty());
}

TEST_CASE("one that is gone is no longer named once its Lease has run out, whatever its clock") {
  Server server;
  Replica gone(server, "gone");
  gone.round(t0 + 10h, true);  // a clock that is ahead
  Replica leader(server, "a");
  for (auto now = t0; now <= t0 + 10s; now += 5s) leader.round(now, false);
  CHECK(leader.keeper.standbys(t0 + 14s) == Names{"gone"});
  CHECK(leader.keeper.standbys(t0 + 15s).empty());
  Replica next(server, "next");
  for (auto now = t0; now <= t0 + 15s; now += 5s) next.round(now, true);
  CHECK(next.keeper.standbys(t0 + 14s) == Names{"gone", "next"});
  CHECK(next.keeper.standbys(t0 + 15s) == Names{"next"});
  CHECK(server.leases.at("dray-standby-2").holder == "next");
  Replica after(server, "after");
  for (auto now = t0 + 20s; now <= t0 + 35s; now += 5s) {
    next.round(now, true);
    after.round(now, true);
  }
  CHECK(server.leases.at("dray-standby-3").holder == "after");
}

TEST_CASE("a place that nobody renews is taken by who needs one") {
  Server server;
  for (const auto* name : {"x", "y", "z"}) Replica(server, name).round(t0, true);
  REQUIRE(server.leases.size() == 3);
  Replica late(server, "late");
  late.round(t0, true);
  CHECK(late.keeper.standbys(t0) == Names{"x", "y", "z"});
  late.round(t0 + 10s, true);
  CHECK(late.keeper.standbys(t0 + 10s) == Names{"x", "y", "z"});
  late.round(t0 + 15s, true);
  CHECK(late.keeper.standbys(t0 + 15s) == Names{"late"});
}

TEST_CASE("a restarted replica takes its place back, and needs no second one") {
  Server server;
  Replica(server, "b").round(t0, true);
  Replica again(server, "b");
  again.round(t0 + 1s, true);
  CHECK(server.leases.size() == 1);
  CHECK(again.keeper.standbys(t0 + 1s) == Names{"b"});
}

TEST_CASE("two that take one place at a time: one is late, and takes the next") {
  Server server;
  Replica first(server, "a");
  Replica second(server, "b");
  auto slow = second.keeper.tick(t0, true);
  slow = second.keeper.step(server.serve(slow.front()), t0);
  first.round(t0, true);
  CHECK(second.keeper.step(server.serve(slow.front()), t0).empty());
  CHECK(server.leases.at("dray-standby-1").holder == "a");
  second.round(t0 + 5s, true);
  CHECK(second.keeper.standbys(t0 + 5s) == Names{"a", "b"});
}

TEST_CASE("a right that dray has not got is told, until it has") {
  Server server;
  Replica replica(server, "b");
  const LeaseKey first{"dray-system", "dray-standby-1"};
  const auto verb = GENERATE(as<std::string>{}, "get", "create", "update");
  if (verb == "update") replica.round(t0, true);
  server.forbidden = verb;
  auto now = t0 + 5s;
  replica.round(now, true);
  CHECK(replica.keeper.refused() == StandbyKeeper::Refused{verb, first});
  server.reachable = false;
  replica.round(now += 5s, true);
  CHECK(replica.keeper.refused());
  server.reachable = true;
  server.forbidden.clear();
  replica.round(now += 5s, true);
  CHECK_FALSE(replica.keeper.refused());
  CHECK(replica.keeper.standbys(now) == Names{"b"});
}

TEST_CASE("who leads misses no right to say that it stands by") {
  Server server;
  server.forbidden = "create";
  Replica replica(server, "b");
  replica.round(t0, true);
  CHECK(replica.keeper.refused());
  replica.round(t0 + 5s, false);
  CHECK_FALSE(replica.keeper.refused());
}

TEST_CASE("an API server that does not answer ends the round, and names stay for a while") {
  Server server;
  Replica replica(server, "b");
  replica.round(t0, true);
  server.reachable = false;
  replica.round(t0 + 5s, true);
  CHECK(replica.keeper.standbys(t0 + 10s) == Names{"b"});
  CHECK(replica.keeper.standbys(t0 + 15s).empty());
  server.reachable = true;
  replica.round(t0 + 10s, true);
  CHECK(replica.keeper.standbys(t0 + 15s) == Names{"b"});
}

TEST_CASE("a leader without standbys asks once a round, and writes nothing") {
  Server server;
  Replica leader(server, "a");
  for (auto now = t0; now < t0 + 10s; now += 1s) leader.round(now, false);
  CHECK(server.asked == Names{"get dray-standby-1", "get dray-standby-1"});
  CHECK(leader.keeper.next_tick() == t0 + 10s);
}

}  // namespace dray::engine::standby_test

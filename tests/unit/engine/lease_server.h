#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "dray/engine/lease.h"

// A Lease object, and candidates for it.

namespace dray::engine::lease_testing {

using namespace std::chrono_literals;
inline constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));

/// One Lease object and who holds it.
struct Server {
  std::optional<Lease> lease;
  int version = 0;
  bool reachable = true;
  bool answers_puts = true;  ///< else they happen, and nobody is told
  int puts = 0;

  void carry(LeaseKeeper& keeper, LeaseKeeper::Commands commands, Time now) {
    while (!commands.empty()) {
      const auto command = commands.front();
      commands.erase(commands.begin());
      const auto more = keeper.step(serve(command), now);
      commands.insert(commands.end(), more.begin(), more.end());
    }
  }

  [[nodiscard]] WriteOutcome serve(const Write& write) {
    if (!reachable) return fail(ErrorCode::unavailable, "no answer");
    if (const auto* lease_put = std::get_if<PutLease>(&write)) return put(*lease_put);
    if (!lease) return fail(ErrorCode::not_found, "no such lease");
    return *lease;
  }

  WriteOutcome put(const PutLease& put) {
    const auto current = lease ? lease->meta.resource_version : ResourceVersion();
    if (put.expected != current) return fail(ErrorCode::conflict, "changed");
    lease = put.value;
    lease->meta.resource_version = ResourceVersion(std::to_string(++version));
    ++puts;
    if (!answers_puts) return fail(ErrorCode::unavailable, "no answer");
    return *lease;
  }

  void renew_unanswered(LeaseKeeper& keeper, Time now) {
    answers_puts = false;
    carry(keeper, keeper.tick(now), now);
    answers_puts = true;
  }

  /// Ticks at every due time until `end`.
  void run(LeaseKeeper& keeper, Time from, Time end) {
    for (auto now = from; now <= end; now = std::max(now + 1ms, keeper.next_tick())) {
      carry(keeper, keeper.tick(now), now);
    }
  }
};

inline LeaseKeeper keeper(const std::string& identity) {
  return LeaseKeeper({.lease = {"dray-system", "dray"}, .identity = identity});
}

struct Led {
  Server server;
  LeaseKeeper a = keeper("a");
};

/// Keeper `a` has acquired an absent Lease at t0.
inline Led led() {
  Led made;
  made.server.run(made.a, t0, t0 + 1s);
  return made;
}

}  // namespace dray::engine::lease_testing

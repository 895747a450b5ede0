#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/lease.h"

namespace dray::engine {

/// Which replicas stand by, for who looks: each that could take over at once holds one of a few
/// Leases beside the leader's, and every replica reads them. They fence nothing, and nothing is
/// decided by them; more replicas than Leases stand by all the same, without being named. A holder
/// that has not renewed its Lease for the duration, by the reader's clock, is no longer named.
class StandbyKeeper {
 public:
  struct Options {
    LeaseKey leader;  ///< the leader's Lease
    std::string identity;
    Duration duration = std::chrono::seconds(15);
    Duration every = std::chrono::seconds(5);  ///< between rounds
  };

  /// How many Leases there are: each is named in manifests/rbac.yaml.
  static constexpr std::size_t places = 3;
  /// The name of one of them: `dray-standby-1`.
  [[nodiscard]] static LeaseKey lease(const LeaseKey& leader, std::size_t place);

  using Commands = std::vector<Write>;  ///< ReadLease and PutLease only, one at a time

  explicit StandbyKeeper(Options options);

  /// Begins a round: reads the Leases, and takes, renews or gives back one of them by whether this
  /// replica could take over now. Call at next_tick().
  [[nodiscard]] Commands tick(Time now, bool stands_by);
  /// The outcome of the command that is under way.
  [[nodiscard]] Commands step(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Time next_tick() const { return next_tick_; }

  /// Who stands by, this replica too, sorted.
  [[nodiscard]] std::vector<std::string> standbys(Time now) const;

  /// What the API server does not let dray do with one of these Leases.
  struct Refused {
    std::string verb;  ///< as RBAC calls it: get, update, create
    LeaseKey lease;

    bool operator==(const Refused&) const = default;
  };
  /// Why standbys() lacks names: others', or else this replica's; nothing: it does not.
  [[nodiscard]] const std::optional<Refused>& refused() const {
    return read_refused_ ? read_refused_ : write_refused_;
  }

 private:
  struct Place {
    Lease lease;  ///< as last read or written; without a version: there is none
    Time seen;    ///< when this state of it was first seen

    void see(const Lease& now_there, Time now);
    [[nodiscard]] bool is_held(Time now) const;
  };
  enum class Busy : std::uint8_t { no, reading, writing };

  [[nodiscard]] Commands read(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands end_round(Time now);
  [[nodiscard]] Commands put(std::size_t place, std::string holder, Time now);

  /// The verb if it is a right that dray has not got.
  void note(std::optional<Refused>& refused, const WriteOutcome& outcome, const char* verb) const;

  Options options_;
  std::array<Place, places> places_;
  std::size_t at_ = 0;  ///< the place of the command that is under way
  Busy busy_ = Busy::no;
  bool stands_by_ = false;
  std::optional<Refused> read_refused_;
  std::optional<Refused> write_refused_;
  Time next_tick_{};
};

}  // namespace dray::engine

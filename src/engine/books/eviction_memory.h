#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/planner/job.h"

namespace dray::engine {

/// Which jobs were evicted, and for whom, by workload (planner::Job::lineage): a pod that a
/// controller makes anew under another name takes the place of the one that was evicted. Of a
/// workload whose pods are jobs by themselves, as many of the pods made since count as evicted as
/// were evicted; the others do not. Bounded; one step costs a search, whatever is remembered.
class EvictionMemory {
 public:
  /// With more, what was evicted longest ago is forgotten.
  static constexpr std::size_t most = 65'536;

  struct Past {
    Time evicted;                                  ///< for the last time
    std::vector<planner::EvictedFor> evicted_for;  ///< sorted by beneficiary
  };

  /// The job was evicted, by what was decided at `since`; for `beneficiary` if that is a lineage,
  /// which is remembered until `until`.
  void evicted(const planner::Job& job, const std::string& beneficiary, Time since, Time until,
               Time now);
  /// What counts for the job of that lineage and uid; null: nothing. It takes the place of one that
  /// was evicted; where `made` says when its pod was made, of one that was evicted before. Good
  /// until the next call of another function.
  [[nodiscard]] const Past* past_of(const std::string& lineage, const Uid& job,
                                    std::optional<Time> made);
  /// The job is gone: another one of its workload may take its place.
  void gone(const std::string& lineage, const Uid& job);
  /// Other rules: who made room for whom was right by the rules of then.
  void forget_beneficiaries();

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Id = std::uint64_t;
  struct Place {
    Past past;
    Time since;
    Uid victim;  ///< that was evicted last
    Uid heir;    ///< that was made in its stead; empty: nobody yet
  };
  struct Workload {
    std::map<Id, Place> places;
    std::set<std::pair<Time, Id>> open;  ///< places without an heir, by `since`
    std::map<Uid, Id> jobs;              ///< victims and heirs
  };

  void forget_oldest();
  void forget_expired(Time now);
  static void leave(Workload& workload, const Uid& job);

  std::map<std::string, Workload> workloads_;
  std::deque<std::pair<std::string, Id>> by_age_;  ///< as they were first evicted
  std::size_t size_ = 0;
  Id next_ = 1;
};

}  // namespace dray::engine

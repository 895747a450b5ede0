#include "simulate/jobs/by_strategy.h"

#include <list>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "simulate/jobs/arrivals.h"
#include "simulate/jobs/recorder.h"

namespace dray::simulate {
namespace {

class StrategyRun {
 public:
  StrategyRun(const Setting& setting, Strategy strategy, std::uint64_t seed, JobsRun& run)
      : setting_(setting),
        fleet_(setting.nodes(), ranks(setting.nodes().size()), setting.data().shapes, strategy,
               seed),
        arrivals_(setting.workload()),
        recorder_(setting, run),
        spots_(setting.workload().jobs.size()) {}

  void play(const JobsOptions& options) {
    while (const auto at = arrivals_.next()) {
      if (options.until && *at > *options.until) break;
      now_ = *at;
      bool room = false;
      while (arrivals_.next() == at) room = take(arrivals_.take()) || room;
      serve(room);
    }
    recorder_.finish(options.until ? std::max(now_, *options.until) : now_);
  }

 private:
  static std::vector<std::uint32_t> ranks(std::size_t nodes) {
    std::vector<std::uint32_t> all(nodes);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  /// Whether room came.
  bool take(const Arrivals::Event& event) {
    if (event.arrives) {
      recorder_.arrived(event.job, now_);
      new_.push_back(event.job);
      return false;
    }
    recorder_.ended(event.job, now_);
    for (const auto& spot : spots_[event.job]) fleet_.give_back(shape(event.job), spot);
    spots_[event.job].clear();
    return true;
  }

  [[nodiscard]] ShapeIndex shape(std::size_t job) const {
    return setting_.data().shapes.of_jobs[job];
  }

  /// All that wait where there is more room than before, else those that are new.
  void serve(bool room) {
    if (room) {
      std::set<std::pair<ShapeIndex, std::int32_t>>
          refused;  // no room for one is none for its like
      for (auto job = waiting_.begin(); job != waiting_.end();) {
        const std::pair like{shape(*job), setting_.workload().jobs[*job].pods};
        if (!refused.contains(like) && start(*job)) {
          job = waiting_.erase(job);
        } else {
          refused.insert(like);
          ++job;
        }
      }
    }
    for (const auto job : new_) {
      if (!start(job)) waiting_.push_back(job);
    }
    new_.clear();
  }

  bool start(std::size_t job) {
    auto& spots = spots_[job];
    for (std::int32_t i = 0; i < setting_.workload().jobs[job].pods; ++i) {
      const auto spot = fleet_.place(shape(job));
      if (!spot) {
        for (const auto& one : spots) fleet_.give_back(shape(job), one);
        spots.clear();
        return false;
      }
      spots.push_back(*spot);
    }
    recorder_.started(job, now_);
    arrivals_.started(job, now_);
    return true;
  }

  const Setting& setting_;
  Fleet fleet_;
  Arrivals arrivals_;
  Recorder recorder_;
  std::vector<std::vector<Spot>> spots_;  ///< by job
  std::list<std::size_t> waiting_;        ///< in the order of their arrival
  std::vector<std::size_t> new_;
  Duration now_{0};
};

}  // namespace

void run_by_strategy(const Setting& setting, Strategy strategy, std::uint64_t seed,
                     const JobsOptions& options, JobsRun& run) {
  StrategyRun(setting, strategy, seed, run).play(options);
}

}  // namespace dray::simulate

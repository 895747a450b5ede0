#include "simulate/jobs/by_strategy.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "simulate/jobs/arrivals.h"
#include "simulate/jobs/churn_queue.h"
#include "simulate/jobs/gang_domains.h"
#include "simulate/jobs/lacks.h"
#include "simulate/jobs/recorder.h"

namespace dray::simulate {
namespace {

class StrategyRun {
 public:
  StrategyRun(const Setting& setting, Strategy strategy, std::uint64_t seed,
              const JobsOptions& options, JobsRun& run)
      : setting_(setting),
        run_(run),
        fleet_(setting.nodes(), ranks(setting.nodes().size()), setting.data().shapes, strategy,
               seed),
        arrivals_(setting.workload()),
        recorder_(setting, run, options, Recorder::Measured::by_caller),
        churn_(options.churn, setting.nodes()),
        spots_(setting.workload().jobs.size()),
        turns_(setting.workload().jobs.size()) {
    find_kinds();
    recorder_.measured(fleet_.fragmentation(), now_);
  }

  void play(const JobsOptions& options) {
    while (const auto at = next()) {
      if (options.until && *at >= *options.until) break;
      now_ = *at;
      while (arrivals_.next() == at) take(arrivals_.take());
      while (const auto* one = churn_.take_until(now_)) take(*one);
      serve();
      recorder_.measured(fleet_.fragmentation(), now_);
    }
    recorder_.finish(options.until ? std::max(now_, *options.until) : now_);
    tell_lacks();
  }

 private:
  [[nodiscard]] std::optional<Duration> next() const {
    const bool waits = std::ranges::any_of(kinds_, [](const auto& kind) { return !kind.empty(); });
    return churn_.next_of(arrivals_.next(), waits);
  }

  /// Why those that wait in the end do.
  void tell_lacks() {
    Lacks lacks;
    for (const auto& kind : kinds_) {
      if (kind.empty()) continue;
      const auto job = kind.front().job;
      lacks.count(fleet_, shape(job), setting_.workload().jobs[job].pods, kind.size());
    }
    run_.waiting = lacks.take();
  }

  static std::vector<std::uint32_t> ranks(std::size_t nodes) {
    std::vector<std::uint32_t> all(nodes);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  /// Jobs of one shape and as many pods: no room for one is none for its like.
  void find_kinds() {
    const auto& jobs = setting_.workload().jobs;
    std::map<std::pair<ShapeIndex, std::int32_t>, std::size_t> known;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      kind_of_.push_back(
          known.emplace(std::pair(shape(job), jobs[job].pods), known.size()).first->second);
    }
    kinds_.resize(known.size());
  }

  void take(const Arrivals::Event& event) {
    if (event.arrives) {
      recorder_.arrived(event.job, now_);
      auto& kind = kinds_[kind_of_[event.job]];
      if (kind.empty()) open_.emplace(arrived_, kind_of_[event.job]);
      turns_[event.job] = arrived_++;
      kind.push_back({turns_[event.job], event.job});
      return;
    }
    recorder_.ended(event.job, now_);
    give_back(event.job);
  }

  void give_back(std::size_t job) {
    for (const auto& spot : spots_[job]) fleet_.give_back(shape(job), spot);
    spots_[job].clear();
    room_ = true;
  }

  void take(const Churn& churn) {
    const auto node = churn_.place_of(churn.node);
    const bool open = churn.kind == ChurnKind::returns || churn.kind == ChurnKind::uncordoned;
    fleet_.set_open(node, open);
    room_ = room_ || open;
    if (churn.kind != ChurnKind::fails) return;
    for (std::size_t job = 0; job < spots_.size(); ++job) {
      if (std::ranges::find(spots_[job], node, &Spot::node) != spots_[job].end()) begin_anew(job);
    }
  }

  /// It waits again, in its old turn.
  void begin_anew(std::size_t job) {
    arrivals_.stopped(job);
    recorder_.failed(job, now_);
    give_back(job);
    auto& kind = kinds_[kind_of_[job]];
    kind.insert(std::ranges::lower_bound(kind, turns_[job], {}, &Waiting::turn),
                {turns_[job], job});
  }

  [[nodiscard]] ShapeIndex shape(std::size_t job) const {
    return setting_.data().shapes.of_jobs[job];
  }

  /// All that wait where there is more room than before, else those of whose kind none waited;
  /// the first of each kind in the order of arrival.
  void serve() {
    if (room_) {
      open_ = {};
      for (std::size_t at = 0; at < kinds_.size(); ++at) {
        if (!kinds_[at].empty()) open_.emplace(kinds_[at].front().turn, at);
      }
      room_ = false;
    }
    while (!open_.empty()) {
      const auto at = open_.top().second;
      open_.pop();
      auto& kind = kinds_[at];
      if (!start(kind.front().job)) continue;
      kind.pop_front();
      if (!kind.empty()) open_.emplace(kind.front().turn, at);
    }
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
    if (spots.size() > 1) {
      const bool apart = std::ranges::adjacent_find(spots, std::ranges::not_equal_to(),
                                                    &Spot::node) != spots.end();
      count_gang(run_.gangs, !apart);
    }
    std::vector<Place> places;
    if (recorder_.wants_places()) {
      for (const auto& spot : spots) places.push_back({spot.node, spot.gpus});
    }
    recorder_.started(job, now_, places);
    arrivals_.started(job, now_);
    return true;
  }

  const Setting& setting_;
  JobsRun& run_;
  Fleet fleet_;
  Arrivals arrivals_;
  Recorder recorder_;
  ChurnQueue churn_;
  std::vector<std::vector<Spot>> spots_;  ///< by job
  std::vector<std::size_t> turns_;        ///< by job, of those that arrived
  struct Waiting {
    std::size_t turn;  ///< in the order of arrivals
    std::size_t job;
  };
  std::vector<std::size_t> kind_of_;        ///< by job
  std::vector<std::deque<Waiting>> kinds_;  ///< those that wait
  /// Kinds that may find room, by the turn of their first.
  using Turn = std::pair<std::size_t, std::size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> open_;
  std::size_t arrived_ = 0;
  bool room_ = false;  ///< something ended
  Duration now_{0};
};

}  // namespace

void run_by_strategy(const Setting& setting, Strategy strategy, std::uint64_t seed,
                     const JobsOptions& options, JobsRun& run) {
  StrategyRun(setting, strategy, seed, options, run).play(options);
}

}  // namespace dray::simulate

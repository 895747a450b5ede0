#include <algorithm>

#include "engine/router.h"

namespace dray::engine {

Engine::Picture Engine::picture() {
  return router_->picture();
}

std::vector<Engine::JobRow> Engine::jobs_after(const std::optional<Uid>& last, std::size_t at_most,
                                               Time now) {
  return router_->jobs_after(last, at_most, now);
}

std::vector<Engine::UnformedPod> Engine::unformed(const std::optional<Uid>& last,
                                                  std::size_t at_most) const {
  return router_->unformed(last, at_most);
}

Engine::Picture Engine::Router::picture() {
  return {cluster_.snapshot(), admission_.policy(), figures()};
}

std::vector<Engine::JobRow> Engine::Router::jobs_after(const std::optional<Uid>& last,
                                                       std::size_t at_most, Time now) {
  const auto& jobs = admission_.jobs().jobs(now);
  std::vector<JobRow> rows;
  for (auto at = last ? jobs.after(*last) : jobs.begin(); at != jobs.end() && rows.size() < at_most;
       ++at) {
    auto& row = rows.emplace_back();
    row.job = *at;
    const auto waits =
        std::ranges::find_if(row.job->members, planner::is_unplaced, &planner::Member::state);
    if (waits == row.job->members.end()) continue;
    row.pod = waits->pod->key();
    if (const auto* pod = pods_.find(waits->pod->meta.uid); pod != nullptr) {
      row.reason = pod->wait.reason;
      row.detail = pod->wait.detail;
    }
  }
  return rows;
}

std::vector<Engine::UnformedPod> Engine::Router::unformed(const std::optional<Uid>& last,
                                                          std::size_t at_most) const {
  std::vector<UnformedPod> pods;
  for (auto from = last; pods.size() < at_most;) {
    auto some = admission_.jobs().unformed().after(from, at_most - pods.size());
    if (some.empty()) break;
    from = some.back().first;
    for (auto& [uid, lacks] : some) {
      const auto* pod = pods_.find(uid);
      if (pod != nullptr) pods.push_back({uid, pod->key, lacks.reason, std::move(lacks.detail)});
    }
  }
  return pods;
}

}  // namespace dray::engine

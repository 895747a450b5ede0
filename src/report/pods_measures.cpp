#include <algorithm>
#include <utility>
#include <variant>

#include "dray/policy/policy.h"
#include "dray/simulate/pods_as_jobs.h"
#include "report/fair_shares.h"
#include "report/pods_report.h"

namespace dray::report {
namespace {

std::vector<simulate::PlayedPods> played(const std::vector<PodsRunOfSeed>& runs,
                                         const PodsPlace& place) {
  std::vector<simulate::PlayedPods> all;
  all.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    all.push_back({&runs[i].run, runs[i].seed, place.policies[i]});
  }
  return all;
}

std::vector<MeasuredRun> measured(simulate::PodsAsJobs jobs,
                                  const std::vector<simulate::PlayedPods>& played) {
  std::vector<MeasuredRun> all;
  for (auto& run : jobs.runs) {
    auto measures = simulate::measure(jobs.setting.workload(), run);
    all.push_back({std::move(run), std::move(measures)});
  }
  std::vector<simulate::Scheduler> schedulers;
  for (const auto& one : played) {
    if (one.policy == nullptr) continue;
    // Shares go by the policy's own queues; those of KAI's objects are not known here.
    auto compiled = policy::compile(*one.policy);
    if (!compiled) continue;
    schedulers.push_back(
        {one.run->policy, std::make_shared<const policy::Policy>(*std::move(compiled))});
  }
  add_shares(all, schedulers);
  return all;
}

}  // namespace

Result<void> measure_pods(std::vector<PodsRunOfSeed>& runs, const PodsPlace& place) {
  const auto all = played(runs, place);
  auto jobs = simulate::as_jobs(place.cluster, all, place.gpus, simulate::Apart::each);
  if (!jobs) return std::unexpected(std::move(jobs.error()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].measured = std::move(measured(std::move((*jobs)[i]), {all[i]}).front());
  }
  return {};
}

Result<std::string> pods_page_data(const About& about, const std::vector<PodsRunOfSeed>& runs,
                                   const PodsPlace& place) {
  const auto all = played(runs, place);
  auto jobs = simulate::as_jobs(place.cluster, all, place.gpus, simulate::Apart::compared);
  if (!jobs) return std::unexpected(std::move(jobs.error()));
  if (jobs->empty() || jobs->front().setting.workload().jobs.empty()) {
    return fail(ErrorCode::invalid, "no pod was created: there is nothing to report");
  }
  const auto setting = jobs->front().setting;
  return jobs_page_data(about, setting, measured(std::move(jobs->front()), all));
}

}  // namespace dray::report

#include "engine/books/job_index.h"

namespace dray::engine {
namespace {

std::set<std::string> names_of(const planner::Job& job) {
  std::set<std::string> names;
  const auto& first = job.first();
  if (job.name != first.key().to_string()) names.insert(job.name);
  for (const auto& owner : first.meta.owners) {
    if (owner.controller) names.insert(PodKey{first.meta.namespace_name, owner.name}.to_string());
  }
  return names;
}

}  // namespace

void JobIndex::put(JobPtr job) {
  if (const auto known = find(job->uid)) erase(known);
  for (const auto& name : names_of(*job)) by_name_.emplace(name, job->uid);
  const auto uid = job->uid;
  by_uid_.insert_or_assign(uid, std::move(job));
}

void JobIndex::erase(const JobPtr& job) {
  const auto known = by_uid_.find(job->uid);
  if (known == by_uid_.end() || known->second != job) return;
  for (const auto& name : names_of(*job)) by_name_.erase({name, job->uid});
  by_uid_.erase(known);
}

JobIndex::JobPtr JobIndex::find(const Uid& job) const {
  const auto found = by_uid_.find(job);
  return found == by_uid_.end() ? nullptr : found->second;
}

std::vector<JobIndex::JobPtr> JobIndex::named(const std::string& name) const {
  std::vector<JobPtr> found;
  for (auto at = by_name_.lower_bound({name, Uid()}); at != by_name_.end() && at->first == name;
       ++at) {
    found.push_back(by_uid_.at(at->second));
  }
  return found;
}

}  // namespace dray::engine

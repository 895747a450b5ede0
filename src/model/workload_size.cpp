#include "dray/model/workload_size.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace dray {
namespace {

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<JobDependency> dependencies_of(const ReplicatedJob& job) {
  auto sorted = job.depends_on;
  std::ranges::sort(sorted);
  return sorted;
}

std::int64_t hosts_of(const RayWorkerGroup& group) {
  return std::max(group.hosts.value_or(1), 0);
}

/// KubeRay takes the maximum where the minimum is above it.
std::int64_t clamped(std::int32_t replicas, const RayWorkerGroup& group) {
  const auto least = group.min_replicas.value_or(0);
  const auto most = group.max_replicas.value_or(std::numeric_limits<std::int32_t>::max());
  return std::max(std::min(std::max(replicas, least), most), 0);
}

}  // namespace

std::int32_t pods_at_once(std::optional<std::int32_t> parallelism,
                          std::optional<std::int32_t> completions, std::int32_t finished) {
  const auto most = std::max(parallelism.value_or(1), 0);
  if (!completions) return finished > 0 ? 0 : most;
  return std::min(most, std::max(*completions - finished, 0));
}

std::int32_t count_indexes(std::string_view list) {
  std::int64_t count = 0;
  while (!list.empty()) {
    const auto part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (first && last && *first <= *last) count += std::int64_t{*last} - *first + 1;
  }
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(count, std::numeric_limits<std::int32_t>::max()));
}

std::int64_t workers_of(const RayWorkerGroup& group) {
  if (group.suspend) return 0;
  return clamped(group.replicas.value_or(0), group) * hosts_of(group);
}

std::int64_t least_workers_of(const RayWorkerGroup& group) {
  if (group.suspend) return 0;
  return clamped(0, group) * hosts_of(group);
}

const ReplicatedJob* find_job(const JobSet& set, std::string_view name) {
  const auto found = std::ranges::find(set.jobs, name, &ReplicatedJob::name);
  return found == set.jobs.end() ? nullptr : &*found;
}

std::string stage_of(const JobSet& set, std::string_view job) {
  if (set.in_order) return std::string(job);
  const auto depends = [](const ReplicatedJob& each) { return !each.depends_on.empty(); };
  if (std::ranges::none_of(set.jobs, depends)) return {};
  const auto* known = find_job(set, job);
  if (known == nullptr) return std::string(job);
  return std::ranges::find(set.jobs, dependencies_of(*known), dependencies_of)->name;
}

bool waits_for_others(const JobSet& set, std::string_view job) {
  if (set.in_order) return set.jobs.empty() || set.jobs.front().name != job;
  const auto* known = find_job(set, job);
  return known != nullptr && !known->depends_on.empty();
}

bool starts_with_leader(const JobSet& set, const ReplicatedJob& job) {
  const auto has = [&](const char* key) {
    return job.annotations.contains(key) || set.meta.annotations.contains(key);
  };
  return has(job_set_exclusive_annotation) && !has(job_set_node_selector_annotation);
}

bool starts_with_leader(const LeaderWorkerSet& set) {
  return set.startup_policy == "LeaderReady" ||
         set.meta.annotations.contains(leader_worker_exclusive_annotation);
}

}  // namespace dray

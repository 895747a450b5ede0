#include "planner/state/leaf_sums.h"

#include <algorithm>
#include <cmath>

#include "planner/state/jobs.h"

namespace dray::planner {
namespace {

/// Multiples of a 1024th below 2^43 have 53 bits: they, and what they add up to below that, are
/// doubles.
constexpr double steps = 1024;
constexpr double bound = 8'796'093'022'208.0;

bool exact(const policy::Amounts& amounts) {
  return std::ranges::all_of(amounts.values(), [](double amount) {
    const double scaled = amount * steps;
    return std::abs(amount) < bound && std::trunc(scaled) == scaled;
  });
}

bool exact(const JobAmounts& job) {
  return exact(job.held) && exact(job.requested) && exact(job.present);
}

bool is_small(const policy::Amounts& amounts) {
  return std::ranges::all_of(amounts.values(),
                             [](double amount) { return std::abs(amount) < bound; });
}

}  // namespace

JobAmounts amounts_of(const PlanJob& job) {
  JobAmounts made{.held = job.held,
                  .held_nonpreemptible = policy::Amounts(job.held.size()),
                  .requested = job.held,
                  .present = job.leaving};
  if (!job.job->preemptible) made.held_nonpreemptible = job.held;
  if (job.aside == PlanJob::Aside::yes) return made;
  for (const auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending || task.demand == nullptr) continue;
    made.requested += task.demand->counts;
  }
  return made;
}

LeafSums::LeafSums(std::size_t resources) {
  const policy::Amounts nothing(resources);
  sum_ = {nothing, nothing, nothing, nothing};
}

void LeafSums::come(const JobAmounts& job) {
  if (!exact(job)) ++inexact_;
  add(job);
  judge();
}

void LeafSums::go(const JobAmounts& job) {
  judge();
  if (!exact(job)) --inexact_;
  sum_.held -= job.held;
  sum_.held_nonpreemptible -= job.held_nonpreemptible;
  sum_.requested -= job.requested;
  sum_.present -= job.present;
}

/// Whether what has been added, or is about to be taken away, was so without rounding.
void LeafSums::judge() {
  stale_ = stale_ || inexact_ > 0 || !is_small(sum_.requested) || !is_small(sum_.present);
}

void LeafSums::restart() {
  const policy::Amounts nothing(sum_.held.size());
  sum_ = {nothing, nothing, nothing, nothing};
  stale_ = false;
}

void LeafSums::add(const JobAmounts& job) {
  sum_.held += job.held;
  sum_.held_nonpreemptible += job.held_nonpreemptible;
  sum_.requested += job.requested;
  sum_.present += job.present;
}

}  // namespace dray::planner

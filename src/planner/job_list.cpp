#include "dray/planner/job_list.h"

#include <algorithm>
#include <utility>

namespace dray::planner {

JobList::JobList(Items jobs) : items_(std::make_shared<Items>(std::move(jobs))) {
  std::ranges::sort(*items_, {}, &Job::uid);
}

JobList::Items::iterator JobList::place(Items& items, const Uid& job) {
  return std::ranges::lower_bound(items, job, {}, &Job::uid);
}

JobList::Item JobList::find(const Uid& job) const {
  const auto at = place(*items_, job);
  return at != items_->end() && (*at)->uid == job ? *at : nullptr;
}

void JobList::put(Item job) {
  auto& items = own();
  const auto at = place(items, job->uid);
  if (at != items.end() && (*at)->uid == job->uid) {
    *at = std::move(job);
  } else {
    items.insert(at, std::move(job));
  }
}

JobList::Items& JobList::own() {
  if (items_.use_count() > 1) items_ = std::make_shared<Items>(*items_);
  return *items_;
}

}  // namespace dray::planner

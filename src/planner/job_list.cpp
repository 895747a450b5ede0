#include "dray/planner/job_list.h"

#include <algorithm>
#include <utility>

namespace dray::planner {
namespace {

JobList::Items::const_iterator spot_of(const JobList::Items& items, const Uid& job) {
  return std::ranges::lower_bound(items, job, {}, &Job::uid);
}

}  // namespace

JobList::JobList(Items jobs) {
  if (jobs.empty()) return;
  std::ranges::sort(jobs, {}, &Job::uid);
  chunks_.push_back(std::make_shared<const Items>());
  replace(0, std::move(jobs));
}

const JobList::Item& JobList::operator[](std::size_t at) const {
  auto chunk = chunks_.begin();
  for (; at >= (*chunk)->size(); ++chunk) at -= (*chunk)->size();
  return (**chunk)[at];
}

/// Where the job is or would be; there is a chunk.
std::size_t JobList::chunk_of(const Uid& job) const {
  const auto behind = std::ranges::upper_bound(
      chunks_, job, {}, [](const Chunk& chunk) -> const Uid& { return chunk->front()->uid; });
  return behind == chunks_.begin() ? 0 : static_cast<std::size_t>(behind - chunks_.begin()) - 1;
}

JobList::Item JobList::find(const Uid& job) const {
  if (chunks_.empty()) return nullptr;
  const auto& items = *chunks_[chunk_of(job)];
  const auto at = spot_of(items, job);
  return at != items.end() && (*at)->uid == job ? *at : nullptr;
}

JobList::Iterator JobList::after(const Uid& job) const {
  if (chunks_.empty()) return end();
  const auto chunk = chunk_of(job);
  const auto& items = *chunks_[chunk];
  const auto at =
      static_cast<std::size_t>(std::ranges::upper_bound(items, job, {}, &Job::uid) - items.begin());
  return at < items.size() ? Iterator(chunks_.data() + chunk, at)
                           : Iterator(chunks_.data() + chunk + 1);
}

JobList JobList::first(std::size_t count) const {
  JobList made;
  for (const auto& chunk : chunks_) {
    if (count == 0) break;
    const auto many = std::min(count, chunk->size());
    made.chunks_.push_back(
        many == chunk->size()
            ? chunk
            : std::make_shared<const Items>(chunk->begin(),
                                            chunk->begin() + static_cast<std::ptrdiff_t>(many)));
    made.size_ += many;
    count -= many;
  }
  return made;
}

void JobList::put(Item job) {
  if (chunks_.empty()) {
    chunks_.push_back(std::make_shared<const Items>(Items{std::move(job)}));
    size_ = 1;
    return;
  }
  const auto chunk = chunk_of(job->uid);
  const auto& old = *chunks_[chunk];
  const auto at = spot_of(old, job->uid);
  const bool known = at != old.end() && (*at)->uid == job->uid;
  Items made;
  made.reserve(old.size() + 1);
  made.insert(made.end(), old.begin(), at);
  made.push_back(std::move(job));
  made.insert(made.end(), known ? at + 1 : at, old.end());
  replace(chunk, std::move(made));
}

void JobList::replace(std::size_t chunk, Items items) {
  size_ += items.size() - chunks_[chunk]->size();
  const auto place = chunks_.begin() + static_cast<std::ptrdiff_t>(chunk);
  if (items.empty()) {
    chunks_.erase(place);
    return;
  }
  if (items.size() <= 2 * chunk_size) {
    *place = std::make_shared<const Items>(std::move(items));
    return;
  }
  std::vector<Chunk> parts;
  for (std::size_t from = 0; from < items.size(); from += chunk_size) {
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(from);
    const auto many = std::min(chunk_size, items.size() - from);
    const auto last = first + static_cast<std::ptrdiff_t>(many);
    parts.push_back(std::make_shared<const Items>(std::make_move_iterator(first),
                                                  std::make_move_iterator(last)));
  }
  *place = std::move(parts.front());
  chunks_.insert(place + 1, std::make_move_iterator(parts.begin() + 1),
                 std::make_move_iterator(parts.end()));
}

}  // namespace dray::planner

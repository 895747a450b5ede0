#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "dray/planner/job.h"

namespace dray::planner {

/// Jobs sorted by uid. Copies share their memory: where 20,000 wait, copying pointers that many
/// others count takes a millisecond. A change of one copy is not seen by the others.
class JobList {
 public:
  using Item = std::shared_ptr<const Job>;
  using Items = std::vector<Item>;

  JobList() = default;
  JobList(std::initializer_list<Item> jobs) : JobList(Items(jobs)) {}
  /// In any order; no two of one uid.
  explicit JobList(Items jobs);

  [[nodiscard]] Items::const_iterator begin() const { return items_->begin(); }
  [[nodiscard]] Items::const_iterator end() const { return items_->end(); }
  [[nodiscard]] std::size_t size() const { return items_->size(); }
  [[nodiscard]] bool empty() const { return items_->empty(); }
  [[nodiscard]] const Item& operator[](std::size_t at) const { return (*items_)[at]; }
  /// Throws std::out_of_range.
  [[nodiscard]] const Item& at(std::size_t at) const { return items_->at(at); }
  /// Null: there is none.
  [[nodiscard]] Item find(const Uid& job) const;

  /// Puts the job in place of the one of its uid, or between its neighbours.
  void put(Item job);
  /// Of each of these uids the list then holds what `now` gives: a job, or with null none.
  template <class Now>
  void update(const std::set<Uid>& jobs, const Now& now);

 private:
  /// The jobs, nobody else's.
  [[nodiscard]] Items& own();
  [[nodiscard]] static Items::iterator place(Items& items, const Uid& job);

  std::shared_ptr<Items> items_ = std::make_shared<Items>();
};

template <class Now>
void JobList::update(const std::set<Uid>& jobs, const Now& now) {
  if (jobs.empty()) return;
  Items added;
  auto& items = own();
  std::vector<std::ptrdiff_t> gone;
  for (const auto& uid : jobs) {
    auto job = now(uid);
    const auto at = place(items, uid);
    const bool known = at != items.end() && (*at)->uid == uid;
    if (known && job) {
      *at = std::move(job);
    } else if (known) {
      gone.push_back(at - items.begin());
    } else if (job) {
      added.push_back(std::move(job));
    }
  }
  for (const auto at : gone) items[static_cast<std::size_t>(at)] = nullptr;
  if (!gone.empty()) std::erase(items, nullptr);
  if (added.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(items.size());
  items.insert(items.end(), std::make_move_iterator(added.begin()),
               std::make_move_iterator(added.end()));
  std::ranges::inplace_merge(items, items.begin() + middle, {}, &Job::uid);
}

}  // namespace dray::planner

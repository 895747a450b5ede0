#include "planner/place/node_ranking.h"

#include <algorithm>
#include <utility>

namespace dray::planner {
namespace {

/// So many kinds at most are kept: a ranking is as long as its set.
constexpr std::size_t most_kinds = 16;

}  // namespace

/// std::make_heap takes each candidate down to a leaf and up again; most are ahead of both below
/// them, and all are where nodes are alike.
void NodeRanking::make_heap() {
  for (auto top = heap_.size() / 2; top-- > 0;) {
    auto at = top;
    for (auto below = 2 * at + 1; below < heap_.size(); below = 2 * at + 1) {
      if (below + 1 < heap_.size() && heap_[below + 1].ahead_of(heap_[below])) ++below;
      if (!heap_[below].ahead_of(heap_[at])) break;
      std::swap(heap_[at], heap_[below]);
      at = below;
    }
  }
}

const NodeCandidate* NodeRanking::best(const NodeTable& nodes) {
  while (!heap_.empty() && heap_.front().stamp != nodes.stamp(heap_.front().node)) take_best();
  return heap_.empty() ? nullptr : &heap_.front();
}

NodeCandidate NodeRanking::take_best() {
  std::ranges::pop_heap(heap_, Behind{});
  const auto best = heap_.back();
  heap_.pop_back();
  return best;
}

void NodeRanking::put(const NodeCandidate& candidate) {
  heap_.push_back(candidate);
  std::ranges::push_heap(heap_, Behind{});
}

void NodeRankings::restart(const NodeSet& among, std::size_t limit) {
  among_ = &among;
  by_kind_.clear();
  // Searches begin anew with the same set again and again.
  if (marked_ == among.nodes && members_.size() == limit) return;
  members_.assign(limit, false);
  for (const auto node : among.nodes) members_[node.get()] = true;
  marked_ = among.nodes;
}

void NodeRankings::go_on(const NodeSet& among, std::size_t limit) {
  if (known_ == among.nodes && members_.size() == limit) {
    among_ = &among;
    return;
  }
  restart(among, limit);
  known_ = among.nodes;
}

NodeRanking& NodeRankings::of(const MemberKind& kind) {
  if (by_kind_.size() >= most_kinds && !by_kind_.contains(kind)) by_kind_.clear();
  return by_kind_[kind];
}

}  // namespace dray::planner

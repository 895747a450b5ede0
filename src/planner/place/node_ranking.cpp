#include "planner/place/node_ranking.h"

#include <algorithm>

namespace dray::planner {
namespace {

/// So many kinds at most are kept: a ranking is as long as its set.
constexpr std::size_t most_kinds = 16;

bool behind(const NodeCandidate& a, const NodeCandidate& b) {
  return b.ahead_of(a);
}

}  // namespace

bool NodeCandidate::ahead_of(const NodeCandidate& other) const {
  if (rules != other.rules) return rules > other.rules;
  if (preference != other.preference) return preference > other.preference;
  if (unready != other.unready) return unready < other.unready;
  if (alignment != other.alignment) return alignment > other.alignment;
  if (placement != other.placement) return placement > other.placement;
  return rank < other.rank;
}

void NodeRanking::refresh(const NodeTable& nodes, const NodeSet& among,
                          const std::vector<bool>& members, const Judge& judge) {
  const auto changed = seen_ ? nodes.changed_since(*seen_) : std::nullopt;
  const auto size = among.nodes.size();
  // Whatever was changed and taken back leaves a candidate more.
  if (!changed || changed->size() > size || heap_.size() > 2 * size) {
    heap_.clear();
    for (const auto node : among.nodes) {
      if (const auto found = judge(node)) heap_.push_back(*found);
    }
    std::ranges::make_heap(heap_, behind);
  } else {
    for (const auto node : *changed) {
      if (!members[node.get()]) continue;
      if (const auto found = judge(node)) put(*found);
    }
  }
  seen_ = nodes.changes();
}

const NodeCandidate* NodeRanking::best(const NodeTable& nodes) {
  while (!heap_.empty() && heap_.front().stamp != nodes.stamp(heap_.front().node)) take_best();
  return heap_.empty() ? nullptr : &heap_.front();
}

NodeCandidate NodeRanking::take_best() {
  std::ranges::pop_heap(heap_, behind);
  const auto best = heap_.back();
  heap_.pop_back();
  return best;
}

void NodeRanking::put(const NodeCandidate& candidate) {
  heap_.push_back(candidate);
  std::ranges::push_heap(heap_, behind);
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

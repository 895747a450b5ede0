#include "dray/policy/fair_share.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace dray::policy {

namespace {

/// A claimant while the over-quota part is divided.
struct Entry {
  Claimant* claimant = nullptr;
  double weight = 0;     ///< in this round, usage counted
  double remainder = 0;  ///< cut off when an offer was rounded down
  bool waits = false;    ///< has a remainder
};
using Band = std::span<Entry>;

double requestable(const Claimant& c) {
  return c.limit == unlimited ? c.requested : std::min(c.limit, c.requested);
}

double missing(const Claimant& c) {
  const auto wanted = requestable(c);
  return wanted < c.share ? 0 : wanted - c.share;
}

bool satisfied(const Claimant& c) {
  return c.requested <= c.share || (c.limit != unlimited && c.limit <= c.share);
}

/// Higher priorities first; within one, an order that the names do not decide.
std::vector<Entry> walk_order(std::span<Claimant> claimants) {
  std::vector<Entry> entries;
  entries.reserve(claimants.size());
  for (auto& claimant : claimants) entries.push_back({&claimant, 0, 0, false});
  const auto key = [](const Entry& e) {
    const auto& c = *e.claimant;
    return std::make_tuple(-std::int64_t{c.priority}, c.created, c.quota, c.limit, c.weight,
                           c.requested, c.usage, c.rank);
  };
  std::ranges::sort(entries, {}, key);
  return entries;
}

double give_quotas(double total, std::span<Entry> entries) {
  auto left = total;
  for (auto& [claimant, weight, remainder, waits] : entries) {
    const auto quota = claimant->quota == unlimited ? total : claimant->quota;
    const auto amount = std::min(quota, requestable(*claimant));
    claimant->share = amount;
    left -= amount;
  }
  return left;
}

/// Sets the weights of those who still ask, and returns their sum.
double weigh(Band band, double k) {
  double total_weight = 0;
  for (const auto& entry : band) {
    if (missing(*entry.claimant) > 0) total_weight += entry.claimant->weight;
  }
  if (total_weight == 0) return 0;
  double sum = 0;
  for (auto& entry : band) {
    if (satisfied(*entry.claimant)) continue;
    const auto normal = entry.claimant->weight / total_weight;
    entry.weight = std::max(0.0, normal + k * (normal - entry.claimant->usage));
    sum += entry.weight;
  }
  return sum;
}

/// What the entry takes of an offer: all that it misses, or whole units.
double take(Entry& entry, double offer) {
  const auto wanted = missing(*entry.claimant);
  if (wanted <= offer) {
    entry.waits = false;
    return wanted;
  }
  const auto whole = std::floor(offer);
  const auto given = whole > 0 ? whole : 0;
  if (offer - given > 0) {
    entry.waits = true;
    entry.remainder = offer - given;
  }
  return given;
}

/// One round of offers; true if somebody took less than offered, so that another may help.
bool offer_round(Band band, double weights, double& left) {
  const auto pool = left;
  bool again = false;
  for (auto& entry : band) {
    if (left == 0) break;
    if (satisfied(*entry.claimant) || entry.claimant->weight == 0) continue;
    const auto offer = pool * (entry.weight / weights);
    const auto wanted = missing(*entry.claimant);
    const auto given = take(entry, offer);
    if (given == 0) continue;
    entry.claimant->share += given;
    left -= given;
    again = again || wanted < offer;
  }
  return again;
}

void fill_band(Band band, double k, double& left) {
  for (;;) {
    const auto weights = weigh(band, k);
    if (weights == 0) return;
    if (!offer_round(band, weights, left) || left == 0) return;
  }
}

/// One unit each to those whose offer was cut, the largest cut first. KAI asks neither what is
/// needed nor for the limit here.
void give_remainders(Band band, double& left) {
  std::vector<Entry*> waiting;
  for (auto& entry : band) {
    if (entry.waits) waiting.push_back(&entry);
  }
  const auto key = [](const Entry* e) {
    return std::make_tuple(-e->remainder, e->claimant->created, e->claimant->rank);
  };
  std::ranges::sort(waiting, {}, key);
  for (auto* entry : waiting) {
    if (left == 0) return;
    const auto given = std::min(1.0, left);
    entry->claimant->share += given;
    left -= given;
  }
}

std::vector<Band> bands_of(std::span<Entry> entries) {
  std::vector<Band> bands;
  for (std::size_t from = 0; from < entries.size();) {
    auto to = from;
    while (to < entries.size() &&
           entries[to].claimant->priority == entries[from].claimant->priority) {
      ++to;
    }
    bands.push_back(entries.subspan(from, to - from));
    from = to;
  }
  return bands;
}

Claimant claimant_of(const Queue& queue, std::uint32_t rank, std::size_t r) {
  return {.quota = queue.quota[r],
          .limit = queue.limit[r],
          .weight = queue.over_quota_weight[r],
          .requested = queue.requested[r],
          .usage = queue.usage[r],
          .priority = queue.priority,
          .created = queue.created,
          .rank = rank,
          .share = 0};
}

void divide_among(QueueTree& tree, std::span<const QueueIndex> siblings, const Amounts& total,
                  double k) {
  if (siblings.empty()) return;
  std::vector<Claimant> claimants(siblings.size());
  for (std::size_t r = 0; r < tree.resources(); ++r) {
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      claimants[i] = claimant_of(tree[siblings[i]], siblings[i].get(), r);
    }
    divide(total[r], k, claimants);
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      tree[siblings[i]].fair_share[r] = claimants[i].share;
    }
  }
  for (const auto index : siblings) {
    const auto& queue = tree[index];
    divide_among(tree, queue.children, queue.fair_share, k);
  }
}

}  // namespace

double divide(double total, double k, std::span<Claimant> claimants) {
  auto entries = walk_order(claimants);
  auto left = give_quotas(total, entries);
  if (left <= 0) return 0;
  const auto bands = bands_of(entries);
  for (const auto band : bands) fill_band(band, k, left);
  for (const auto band : bands) {
    if (left <= 0) break;
    give_remainders(band, left);
  }
  return left;
}

void divide(QueueTree& tree, const Amounts& total, double k) {
  for (std::uint32_t i = 0; i < tree.queues().size(); ++i) {
    tree[QueueIndex(i)].fair_share = Amounts(tree.resources());
  }
  divide_among(tree, tree.tops(), total, k);
}

}  // namespace dray::policy

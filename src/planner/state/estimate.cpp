#include "planner/state/estimate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "dray/alloc/consumption.h"

namespace dray::planner {
namespace {

using policy::Amounts;

/// What one request, or one alternative, may take.
struct SpecEstimate {
  Amounts least, most;
  Amounts bound;  ///< no less than `most`: unlimited where nothing is known
  double devices = 0;
  double least_devices = 0;
  bool exact = true;
  bool by_sharing = false, by_offers = false;
};

Amounts times(Amounts amounts, double count) {
  for (std::size_t r = 0; r < amounts.size(); ++r) amounts[r] *= count;
  return amounts;
}

Amounts lower(Amounts a, const Amounts& b) {
  for (std::size_t r = 0; r < a.size(); ++r) a[r] = std::min(a[r], b[r]);
  return a;
}

Amounts upper(Amounts a, const Amounts& b) {
  for (std::size_t r = 0; r < a.size(); ++r) a[r] = std::max(a[r], b[r]);
  return a;
}

/// One device, by what the class has in the cluster.
struct OneDevice {
  Amounts least, most;
  bool known = false;      ///< the class has some that satisfy the request
  bool shareable = false;  ///< of which some may be given to several claims
};

OneDevice one_device(const DeviceRequestSpec& spec, const policy::Counting& counting,
                     const DeviceOffers::OfClass* offer, const alloc::Features& features) {
  OneDevice one{.least = counting.of(spec), .most = counting.of(spec)};
  if (offer == nullptr) return one;
  for (const auto& size : offer->sizes) {
    const auto consumed = alloc::consumption(spec.capacity_requests, *size.traits, features);
    if (!consumed) continue;
    const auto counts =
        counting.of(size.traits->capacity, size.driver, spec.device_class, *consumed);
    one.least = one.known ? lower(one.least, counts) : counts;
    one.most = one.known ? upper(one.most, counts) : counts;
    one.shareable = one.shareable || size.traits->allow_multiple_allocations;
    one.known = true;
  }
  return one;
}

SpecEstimate of_spec(const DeviceRequestSpec& spec, const policy::Counting& counting,
                     const DeviceOffers* offers, const alloc::Features& features) {
  const Amounts nothing(counting.resources().size());
  if (spec.admin_access.value_or(false)) {
    return {.least = nothing, .most = nothing, .bound = nothing};
  }
  const bool counted = counting.counts(spec.device_class);
  const auto* offer = counted && offers != nullptr ? offers->find(spec.device_class) : nullptr;
  const bool all = spec.allocation_mode == "All";
  double fewest = all ? 1 : static_cast<double>(std::max<std::int64_t>(spec.count, 1));
  double most = fewest;
  if (all && offer != nullptr && offer->most > 0) {
    // A selector of its own may leave any number of them.
    if (spec.selectors.empty()) fewest = static_cast<double>(offer->fewest);
    most = static_cast<double>(offer->most);
  }
  const auto one = one_device(spec, counting, offer, features);
  const bool by_amount = counting.whole_devices_alike(spec.device_class);
  SpecEstimate made{.least = times(one.least, fewest),
                    .most = times(one.most, most),
                    .bound = {},
                    .devices = most,
                    .least_devices = fewest};
  made.bound = made.most;
  if ((all && (offer == nullptr || offer->most == 0)) || (!one.known && !by_amount)) {
    for (std::size_t r = 0; r < made.bound.size(); ++r) {
      if (made.most[r] > 0) made.bound[r] = policy::unlimited;
    }
  }
  if (one.shareable || !spec.capacity_requests.empty()) made.least_devices = 0;
  made.exact =
      !all && (!counted || (by_amount && !one.shareable && spec.capacity_requests.empty()) ||
               (one.known && one.least == one.most));
  made.by_sharing = counted;
  made.by_offers =
      counted && (all || !by_amount || one.shareable || !spec.capacity_requests.empty());
  return made;
}

}  // namespace

ClaimEstimate estimate(const ResourceClaim& claim, const policy::Counting& counting,
                       const DeviceOffers* offers, const alloc::Features& features) {
  const Amounts nothing(counting.resources().size());
  ClaimEstimate sum{.asked = nothing, .least = nothing, .most = nothing};
  for (const auto& request : claim.spec.requests) {
    std::optional<SpecEstimate> span;  // of all alternatives
    const auto take = [&](const DeviceRequestSpec& spec) {
      auto made = of_spec(spec, counting, offers, features);
      sum.by_sharing = sum.by_sharing || made.by_sharing;
      sum.by_offers = sum.by_offers || made.by_offers;
      sum.exact = sum.exact && made.exact;
      if (!span) {
        sum.asked += made.most;
        sum.devices += made.devices;
        span = made;
        return;
      }
      sum.exact = false;
      span->least = lower(span->least, made.least);
      span->bound = upper(span->bound, made.bound);
      span->least_devices = std::min(span->least_devices, made.least_devices);
    };
    if (request.exactly) take(*request.exactly);
    std::ranges::for_each(request.first_available, take);
    if (!span) continue;
    sum.least += span->least;
    sum.most += span->bound;
    sum.least_devices += span->least_devices;
  }
  return sum;
}

}  // namespace dray::planner

#include "dray/engine/share_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/cel/device_shape.h"
#include "dray/model/claim_limits.h"
#include "dray/model/pod_claim.h"

namespace dray::engine {
namespace {

/// How much of each capacity a device of that size has to give; nothing where it has not so much.
std::optional<Counters> amounts(const ShareWish& wish, const policy::Fractions& rule,
                                const ShareOffer& offer) {
  const double total = offer.memory.as_approximate_double();
  if (total <= 0) return std::nullopt;
  // Whole MiB, so that several parts of a device do not need more than all of it.
  const double memory =
      wish.memory_part
          ? std::max(std::floor(*wish.memory_part * total / mebibyte + 1e-6), 1.0) * mebibyte
          : wish.memory;
  if (memory > total) return std::nullopt;
  const double part = wish.others_part.value_or(wish.memory_part.value_or(memory / total));
  Counters amounts;
  amounts[rule.memory] = Quantity(static_cast<std::int64_t>(memory), Quantity::Format::binary_si);
  for (std::size_t i = 0; i < rule.others.size(); ++i) {
    const double whole = offer.others[i].as_approximate_double();
    amounts[rule.others[i]] = Quantity(static_cast<std::int64_t>(std::ceil(part * whole - 1e-6)));
  }
  return amounts;
}

/// Devices of just that size.
std::string size_selector(const policy::Fractions& rule, const ShareOffer& offer) {
  auto text = fmt::format("device.driver == \"{}\"", offer.driver.get());
  const auto same = [&](const std::string& name, const Quantity& total) {
    const auto split = cel::split_name(cel::Half::capacity, name, offer.driver.get());
    text += fmt::format(" && device.capacity[\"{}\"][\"{}\"].compareTo(quantity(\"{}\")) == 0",
                        split.domain, split.id, total.to_string());
  };
  same(rule.memory, offer.memory);
  for (std::size_t i = 0; i < rule.others.size(); ++i) same(rule.others[i], offer.others[i]);
  return text;
}

/// What has to be asked for of devices of one size.
struct Alternative {
  Counters amounts;
  const ShareOffer* offer;
};

/// One, where all devices need the same.
Result<std::vector<Alternative>> alternatives_for(const ShareWish& wish,
                                                  const policy::Fractions& rule,
                                                  const std::vector<ShareOffer>& offers) {
  std::vector<Alternative> alternatives;
  for (const auto& offer : offers) {
    if (auto needed = amounts(wish, rule, offer)) {
      alternatives.push_back({std::move(*needed), &offer});
    }
  }
  if (alternatives.empty()) {
    return fail(
        ErrorCode::not_found,
        fmt::format("no device that may be shared has a capacity {} of that size", rule.memory));
  }
  const bool alike = std::ranges::all_of(
      alternatives, [&](const auto& each) { return each.amounts == alternatives.front().amounts; });
  if (alike) alternatives.erase(alternatives.begin() + 1, alternatives.end());
  if (std::cmp_greater(alternatives.size(), max_alternatives)) {
    return fail(ErrorCode::unsupported,
                fmt::format("devices of {} sizes, more than the {} alternatives of a request",
                            alternatives.size(), max_alternatives));
  }
  return alternatives;
}

DeviceRequest request_for(const ShareWish& wish, const policy::Fractions& rule,
                          const std::vector<Alternative>& alternatives) {
  DeviceRequest request{.name = wish.request, .exactly = {}, .first_available = {}};
  for (const auto& alternative : alternatives) {
    DeviceRequestSpec spec;
    spec.device_class = rule.device_class;
    spec.allocation_mode = "ExactCount";
    spec.count = wish.devices;
    spec.has_capacity = true;
    spec.capacity_requests = alternative.amounts;
    if (alternatives.size() == 1) {
      request.exactly = std::move(spec);
      break;
    }
    spec.name = fmt::format("size-{}", request.first_available.size());
    spec.selectors.push_back({size_selector(rule, *alternative.offer)});
    request.first_available.push_back(std::move(spec));
  }
  return request;
}

}  // namespace

Result<ClaimSpec> share_spec(std::span<const ShareWish> wishes, const policy::Fractions& rule,
                             const std::vector<ShareOffer>& offers) {
  const auto devices =
      std::accumulate(wishes.begin(), wishes.end(), std::int64_t{0},
                      [](std::int64_t sum, const ShareWish& wish) { return sum + wish.devices; });
  if (devices > max_results) {
    return fail(ErrorCode::invalid, fmt::format("parts of {} devices, more than the {} of a claim",
                                                devices, max_results));
  }
  ClaimSpec spec;
  std::vector<std::string> together;
  for (const auto& wish : wishes) {
    const auto alternatives = alternatives_for(wish, rule, offers);
    if (!alternatives) return std::unexpected(alternatives.error());
    spec.requests.push_back(request_for(wish, rule, *alternatives));
    if (wish.together) together.push_back(wish.request);
    if (wish.devices > 1) {
      spec.constraints.push_back(
          {.requests = wishes.size() > 1 ? std::vector{wish.request} : std::vector<std::string>{},
           .kind = ConstraintKind::distinct_attribute,
           .attribute = rule.distinct});
    }
  }
  if (together.size() > 1) {
    spec.constraints.push_back({.requests = std::move(together),
                                .kind = ConstraintKind::match_attribute,
                                .attribute = rule.distinct});
  }
  if (!spec.constraints.empty() && rule.distinct.empty()) {
    return fail(ErrorCode::unsupported,
                "the policy's fractions name no attribute `distinct`, by which several devices are "
                "told from one");
  }
  return spec;
}

Result<ResourceClaim> share_claim(const Pod& pod, const policy::Fractions& rule,
                                  const std::vector<ShareOffer>& offers) {
  const auto wishes = wishes_of(pod);
  if (!wishes) return std::unexpected(wishes.error());
  auto spec = share_spec(*wishes, rule, offers);
  if (!spec) return std::unexpected(std::move(spec.error()));
  ResourceClaim claim;
  const auto key = alloc::generated_claim_key(pod, share_entry);
  claim.meta.namespace_name = key.namespace_name;
  claim.meta.name = key.name;
  claim.meta.annotations = {{pod_claim_annotation, share_entry}};
  claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  claim.spec = std::move(*spec);
  return claim;
}

}  // namespace dray::engine

#include "dray/engine/share_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/cel/device_shape.h"
#include "dray/model/claim_limits.h"
#include "dray/model/pod_claim.h"

namespace dray::engine {
namespace {

constexpr double mebi = 1024.0 * 1024.0;

/// What the annotations say.
struct Wish {
  std::optional<double> fraction;
  double memory = 0;  ///< bytes, where no fraction is said
  std::int64_t devices = 1;
};

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

Result<Wish> read_wish(const Pod& pod) {
  const auto& marks = pod.meta.annotations;
  const auto wrong = [](const char* mark, const std::string& text, const std::string& right) {
    return fail(ErrorCode::invalid, fmt::format("annotation {}: {} is no {}", mark, text, right));
  };
  Wish wish;
  if (const auto mark = marks.find(fraction_annotation); mark != marks.end()) {
    wish.fraction = number_in<double>(mark->second);
    if (!wish.fraction || !(*wish.fraction > 0) || *wish.fraction > 1) {
      return wrong(fraction_annotation, mark->second, "number above 0 and at most 1");
    }
  } else if (const auto memory = marks.find(gpu_memory_annotation); memory != marks.end()) {
    const auto mebibytes = number_in<std::int64_t>(memory->second);
    if (!mebibytes || *mebibytes <= 0) {
      return wrong(gpu_memory_annotation, memory->second, "positive number of MiB");
    }
    wish.memory = static_cast<double>(*mebibytes) * mebi;
  }
  if (const auto count = marks.find(fraction_devices_annotation); count != marks.end()) {
    const auto devices = number_in<std::int64_t>(count->second);
    if (!devices || *devices <= 0 || *devices > max_results) {
      return wrong(fraction_devices_annotation, count->second,
                   fmt::format("number of devices from 1 to {}", max_results));
    }
    wish.devices = *devices;
  }
  return wish;
}

/// How much of each capacity a device of that size has to give; nothing where it has not so much.
std::optional<Counters> amounts(const Wish& wish, const policy::Fractions& rule,
                                const ShareOffer& offer) {
  const double total = offer.memory.as_approximate_double();
  if (total <= 0) return std::nullopt;
  // Whole MiB, so that several parts of a device do not need more than all of it.
  const double memory = wish.fraction
                            ? std::max(std::floor(*wish.fraction * total / mebi + 1e-6), 1.0) * mebi
                            : wish.memory;
  if (memory > total) return std::nullopt;
  const double part = wish.fraction ? *wish.fraction : memory / total;
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
Result<std::vector<Alternative>> alternatives_for(const Wish& wish, const policy::Fractions& rule,
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

DeviceRequest request_for(const Wish& wish, const policy::Fractions& rule,
                          const std::vector<Alternative>& alternatives) {
  DeviceRequest request{.name = "share", .exactly = {}, .first_available = {}};
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

bool asks_for_share(const Pod& pod) {
  const auto& marks = pod.meta.annotations;
  return marks.contains(fraction_annotation) || marks.contains(gpu_memory_annotation);
}

void add_share_entry(Pod& pod) {
  if (!asks_for_share(pod) || !pod.resource_claims.empty() || pod.containers.empty()) return;
  pod.resource_claims.push_back(
      {.name = share_entry, .claim_name = {}, .template_name = share_entry});
  auto container = pod.containers.begin();
  const auto& marks = pod.meta.annotations;
  if (const auto mark = marks.find(fraction_container_annotation); mark != marks.end()) {
    container = std::ranges::find(pod.containers, mark->second, &Container::name);
    if (container == pod.containers.end()) return;
  }
  container->claims.emplace_back(share_entry);
}

bool has_share_entry(const Pod& pod) {
  return std::ranges::any_of(pod.resource_claims, [](const auto& entry) {
    return entry.name == share_entry && entry.template_name == share_entry;
  });
}

Result<ResourceClaim> share_claim(const Pod& pod, const policy::Fractions& rule,
                                  const std::vector<ShareOffer>& offers) {
  const auto wish = read_wish(pod);
  if (!wish) return std::unexpected(wish.error());
  if (wish->devices > 1 && rule.distinct.empty()) {
    return fail(ErrorCode::unsupported,
                "the policy's fractions name no attribute `distinct`, which several devices need");
  }
  const auto alternatives = alternatives_for(*wish, rule, offers);
  if (!alternatives) return std::unexpected(alternatives.error());
  ResourceClaim claim;
  const auto key = alloc::generated_claim_key(pod, share_entry);
  claim.meta.namespace_name = key.namespace_name;
  claim.meta.name = key.name;
  claim.meta.annotations = {{pod_claim_annotation, share_entry}};
  claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  claim.spec.requests.push_back(request_for(*wish, rule, *alternatives));
  if (wish->devices > 1) {
    claim.spec.constraints.push_back(
        {.requests = {}, .kind = ConstraintKind::distinct_attribute, .attribute = rule.distinct});
  }
  return claim;
}

}  // namespace dray::engine

#include "dray/policy/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace dray::policy {

namespace {

/// The first resource of which `held` and `requested` together exceed `bounds`.
std::optional<std::size_t> exceeded(const Amounts& bounds, const Amounts& held,
                                    const Amounts& requested) {
  for (std::size_t r = 0; r < requested.size(); ++r) {
    if (requested[r] != 0 && bounds[r] < held[r] + requested[r]) return r;
  }
  return std::nullopt;
}

/// All digits of a number, as Go's %v prints it: 0.88, 1.2000000000000002, 1e+06.
std::string all_digits(double value) {
  std::array<char, 32> buffer{};
  const auto print = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return std::string_view(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  };
  const auto scientific = print(std::chars_format::scientific);
  const auto e = scientific.find('e');
  int exponent = 0;
  const auto* digits = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, scientific.data() + scientific.size(), exponent);
  const bool fixed = exponent >= -4 && exponent < 6;
  return std::string(fixed ? print(std::chars_format::fixed) : scientific);
}

std::string limit_message(const CapacityRefusal& refusal, const Queue& queue,
                          const Resource& resource) {
  const auto unit = display_unit(resource);
  return fmt::format(
      "{} quota has reached the allowable limit of {}. Limit is {} {}, currently {} {} allocated "
      "and workload requested {} {}",
      queue.name.get(), display_name(resource), humanize(refusal.bound, resource.unit), unit,
      humanize(refusal.held, resource.unit), unit, humanize(refusal.requested, resource.unit),
      unit);
}

std::string quota_message(const CapacityRefusal& refusal, const Queue& queue,
                          const Resource& resource) {
  const auto unit = display_unit(resource);
  const bool devices = resource.unit == ResourceUnit::devices;
  const auto wanted =
      devices ? all_digits(refusal.requested) : humanize(refusal.requested, resource.unit);
  const auto wanted_unit =
      resource.unit == ResourceUnit::bytes ? std::string("GB memory") : display_name(resource);
  return fmt::format(
      "Non-preemptible workload is over quota. Workload requested {} {}, but {} quota is {} {}, "
      "while {} {} are already allocated for non-preemptible pods. Use a preemptible workload to "
      "go over quota.",
      wanted, wanted_unit, queue.name.get(), humanize(refusal.bound, resource.unit), unit,
      humanize(refusal.held, resource.unit), unit);
}

}  // namespace

std::optional<CapacityRefusal> over_limit(const QueueTree& tree, QueueIndex leaf,
                                          const Amounts& requested) {
  for (std::optional at = leaf; at; at = tree[*at].parent_index) {
    const auto& queue = tree[*at];
    if (const auto r = exceeded(queue.limit, queue.allocated, requested)) {
      return CapacityRefusal{CapacityRule::limit, *at,          *r, queue.limit[*r],
                             queue.allocated[*r], requested[*r]};
    }
  }
  return std::nullopt;
}

std::optional<CapacityRefusal> over_quota(const QueueTree& tree, QueueIndex leaf,
                                          const Amounts& requested) {
  for (std::optional at = leaf; at; at = tree[*at].parent_index) {
    const auto& queue = tree[*at];
    const auto& held = queue.allocated_nonpreemptible;
    if (const auto r = exceeded(queue.quota, held, requested)) {
      return CapacityRefusal{
          CapacityRule::nonpreemptible_quota, *at, *r, queue.quota[*r], held[*r], requested[*r]};
    }
  }
  return std::nullopt;
}

std::optional<CapacityRefusal> check_capacity(const QueueTree& tree, QueueIndex leaf,
                                              const Amounts& requested, bool preemptible) {
  if (const auto refusal = over_limit(tree, leaf, requested)) return refusal;
  if (preemptible) return std::nullopt;
  return over_quota(tree, leaf, requested);
}

Amounts headroom(const QueueTree& tree, QueueIndex leaf, bool preemptible) {
  Amounts left(tree.resources(), unlimited);
  for (std::optional at = leaf; at; at = tree[*at].parent_index) {
    const auto& queue = tree[*at];
    for (std::size_t r = 0; r < left.size(); ++r) {
      left[r] = std::min(left[r], queue.limit[r] - queue.allocated[r]);
      if (preemptible) continue;
      left[r] = std::min(left[r], queue.quota[r] - queue.allocated_nonpreemptible[r]);
    }
  }
  return left;
}

std::string message(const CapacityRefusal& refusal, const QueueTree& tree,
                    const ResourceTable& resources) {
  const auto& queue = tree[refusal.queue];
  const auto& resource = resources[refusal.resource];
  switch (refusal.rule) {
    case CapacityRule::limit:
      return limit_message(refusal, queue, resource);
    case CapacityRule::nonpreemptible_quota:
      break;
  }
  return quota_message(refusal, queue, resource);
}

}  // namespace dray::policy

#include <algorithm>
#include <utility>

#include "alloc/search/search.h"

namespace dray::alloc {
namespace {

/// Gives each unit of need a device of its own (Kuhn's augmenting paths).
class Matching {
 public:
  explicit Matching(std::size_t devices) : owner_(devices, none) {}

  /// False: there is no device left for one more unit that may have any of `devices`.
  [[nodiscard]] bool add(const Bits& devices) {
    units_.push_back(&devices);
    seen_ = Bits(owner_.size());
    return augment(static_cast<std::uint32_t>(units_.size() - 1));
  }

 private:
  static constexpr auto none = UINT32_MAX;

  [[nodiscard]] bool augment(std::uint32_t unit) {  // NOLINT(misc-no-recursion)
    const auto& devices = *units_[unit];
    for (auto d = devices.next(0); d < devices.end(); d = devices.next(d + 1)) {
      if (owner_[d] != none) continue;
      owner_[d] = unit;
      return true;
    }
    for (auto d = devices.next(0); d < devices.end(); d = devices.next(d + 1)) {
      if (seen_.test(d)) continue;
      seen_.set(d);
      if (!augment(owner_[d])) continue;
      owner_[d] = unit;
      return true;
    }
    return false;
  }

  std::vector<const Bits*> units_;
  std::vector<std::uint32_t> owner_;
  Bits seen_;
};

}  // namespace

/// Whether the requests that are yet to be served cannot all have devices of their own.
bool Search::no_matching(const At& at, const std::vector<Pending>& todo,
                         const std::vector<Bits>& open) const {
  Bits shareable(view_.devices.size());
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    if (tables_.shareable(d)) shareable.set(d);
  }
  struct Wanted {
    Bits devices;
    std::int64_t units = 0;
  };
  std::vector<Wanted> wanting;
  for (const auto& request : todo) {
    Wanted one{.devices = Bits(view_.devices.size()), .units = INT64_MAX};
    for (auto s = request.first; s < request.last; ++s) {
      const auto units = need(at, s);
      const auto there = static_cast<std::int64_t>(open[s].count());
      if (units > there || (prepared_.specs[s].all && wanted({.spec = s}) == 0)) continue;
      one.devices |= open[s];
      const auto shares = static_cast<std::int64_t>(open[s].count_common(shareable));
      const bool free = prepared_.specs[s].admin;
      one.units = std::min(one.units, free ? 0 : std::max<std::int64_t>(0, units - shares));
    }
    if (one.units == INT64_MAX) return true;
    if (one.units > 0) wanting.push_back(std::move(one));
  }
  if (wanting.size() < 2) return false;
  std::ranges::stable_sort(wanting, {}, [](const Wanted& one) { return one.devices.count(); });
  Matching matching(view_.devices.size());
  for (auto& one : wanting) {
    one.devices -= shareable;
    for (std::int64_t i = 0; i < one.units; ++i) {
      if (!matching.add(one.devices)) return true;
    }
  }
  return false;
}

}  // namespace dray::alloc

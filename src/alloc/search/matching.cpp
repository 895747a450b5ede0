#include "alloc/search/matching.h"

#include <algorithm>

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

bool all_can_have_their_own(std::vector<DevicesWanted> wanted, std::size_t devices) {
  std::ranges::stable_sort(wanted, {},
                           [](const DevicesWanted& one) { return one.devices.count(); });
  Matching matching(devices);
  for (const auto& one : wanted) {
    for (std::int64_t i = 0; i < one.units; ++i) {
      if (!matching.add(one.devices)) return false;
    }
  }
  return true;
}

}  // namespace dray::alloc

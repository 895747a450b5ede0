#include "simulate/place/share_prices.h"

#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace dray::simulate {
namespace {

/// How often each item goes into one GPU.
using Pattern = std::vector<double>;

/// What pods ask of a GPU, in thousandths, and how often.
struct Item {
  std::size_t size = 0;
  double often = 0;
};

constexpr std::size_t whole = whole_gpu;
/// A pattern that saves less than this part of a GPU is not looked for.
constexpr double good_enough = 1e-9;
/// Each step packs better; a few dozen reach the best packing of traces. What comes out after the
/// last one is a price list all the same, of a packing that is less good.
constexpr int most_steps = 1000;

std::vector<Item> items_of(std::span<const TypicalShape> typical) {
  std::map<std::size_t, double> sizes;
  for (const auto& [shape, weight] : typical) {
    if (shape.gpus == 1 && shape.gpu_milli > 0 && shape.gpu_milli < whole_gpu) {
      sizes[static_cast<std::size_t>(shape.gpu_milli)] += weight;
    }
  }
  std::vector<Item> items;
  items.reserve(sizes.size());
  for (const auto& [size, often] : sizes) items.push_back({size, often});
  return items;
}

/// The dearest items that fit into so much of a GPU together.
struct Dearest {
  std::vector<double> worth;
  std::vector<std::size_t> last;  ///< an item of them; as many as there are items: none
};
Dearest dearest(const std::vector<Item>& items, const std::vector<double>& prices) {
  Dearest best{std::vector<double>(whole + 1), std::vector<std::size_t>(whole + 1, items.size())};
  for (std::size_t free = 1; free <= whole; ++free) {
    best.worth[free] = best.worth[free - 1];
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].size > free) break;
      const auto worth = best.worth[free - items[i].size] + prices[i];
      if (worth <= best.worth[free] + good_enough / 10) continue;
      best.worth[free] = worth;
      best.last[free] = i;
    }
  }
  return best;
}

Pattern pattern_of(const std::vector<Item>& items, const Dearest& best) {
  Pattern pattern(items.size());
  for (std::size_t free = whole; free > 0;) {
    const auto item = best.last[free];
    if (item == items.size()) {
      --free;
    } else {
      pattern[item] += 1;
      free -= items[item].size;
    }
  }
  return pattern;
}

/// A packing of all items, as a basis of the linear program: as many patterns as items, each for
/// some part of the GPUs. The simplex method with the inverse at hand.
class Packing {
 public:
  /// Each item by itself, as often as it fits.
  explicit Packing(const std::vector<Item>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto times = whole / items[i].size;
      const auto fit = static_cast<double>(times);
      inverse_.emplace_back(items.size());
      inverse_[i][i] = 1 / fit;
      gpus_.push_back(items[i].often / fit);
    }
  }

  [[nodiscard]] std::vector<double> prices() const {
    std::vector<double> prices(gpus_.size());
    for (const auto& row : inverse_) {
      for (std::size_t i = 0; i < row.size(); ++i) prices[i] += row[i];
    }
    return prices;
  }

  /// Takes the pattern in for another one, so that fewer GPUs are used. False: it cannot.
  bool take_in(const Pattern& pattern) {
    std::vector<double> instead;  // of each pattern, for one GPU of the new one
    instead.reserve(inverse_.size());
    for (const auto& row : inverse_) {
      instead.push_back(std::inner_product(row.begin(), row.end(), pattern.begin(), 0.0));
    }
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < instead.size(); ++i) {
      if (instead[i] <= good_enough) continue;
      if (!out || gpus_[i] * instead[*out] < gpus_[*out] * instead[i]) out = i;
    }
    if (!out) return false;
    for (auto& cell : inverse_[*out]) cell /= instead[*out];
    gpus_[*out] /= instead[*out];
    for (std::size_t i = 0; i < instead.size(); ++i) {
      if (i == *out) continue;
      gpus_[i] -= instead[i] * gpus_[*out];
      for (std::size_t j = 0; j < instead.size(); ++j) {
        inverse_[i][j] -= instead[i] * inverse_[*out][j];
      }
    }
    return true;
  }

 private:
  std::vector<std::vector<double>> inverse_;
  std::vector<double> gpus_;  ///< packed by each pattern
};

}  // namespace

SharePrices::SharePrices(std::span<const TypicalShape> typical) {
  const auto items = items_of(typical);
  Packing packing(items);
  auto best = dearest(items, packing.prices());
  for (int step = 0; step < most_steps && best.worth[whole] > 1 + good_enough; ++step) {
    if (!packing.take_in(pattern_of(items, best))) break;
    best = dearest(items, packing.prices());
  }
  worth_ = std::move(best.worth);
  // No GPU holds more than a GPU is worth, also where the last step was not the best one.
  const auto scale = worth_[whole] > 0 ? whole_gpu / worth_[whole] : 0;
  for (auto& worth : worth_) worth *= scale;
}

}  // namespace dray::simulate

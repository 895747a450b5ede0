#include "simulate/place/share_prices.h"

#include <catch2/catch.hpp>

#include <map>

#include "simulate/trace/random.h"
#include "tests/unit/simulate/place/nodes.h"

namespace dray::simulate::share_prices_test {

using namespace testing;
namespace {

std::vector<TypicalShape> parts(const std::map<std::int32_t, double>& often) {
  std::vector<TypicalShape> typical;
  typical.reserve(often.size());
  for (const auto& [size, weight] : often) typical.push_back({shape(1000, 1, size), weight});
  return typical;
}

}  // namespace

TEST_CASE("what there is less of costs more") {
  // Each 400 goes beside a 600, of which some are alone: a 600 costs a GPU, a 400 nothing.
  const SharePrices few(parts({{400, 0.25}, {600, 0.75}}));
  CHECK(few.worth(400) == Approx(0).margin(1e-9));
  CHECK(few.worth(599) == Approx(0).margin(1e-9));
  CHECK(few.worth(600) == Approx(1000));
  CHECK(few.lost(400, 400) == Approx(0).margin(1e-9));
  // Some 400 share a GPU with another: half a GPU, and so is what goes beside one.
  const SharePrices many(parts({{400, 0.75}, {600, 0.25}}));
  CHECK(many.worth(399) == Approx(0).margin(1e-9));
  CHECK(many.worth(400) == Approx(500));
  CHECK(many.worth(799) == Approx(500));
  CHECK(many.worth(800) == Approx(1000));
  CHECK(many.lost(1000, 600) == Approx(500));
}

TEST_CASE("GPUs that a packing fills to the last thousandth are worth what is in them") {
  // Cut into parts at random, so that a packing without waste is known: by its prices every GPU of
  // it is worth a GPU, neither more nor less, or it would not be one of the best.
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  Random random(seed);
  std::vector<std::vector<std::int32_t>> packed;
  std::map<std::int32_t, double> often;
  for (int gpu = 0; gpu < 12; ++gpu) {
    auto& pods = packed.emplace_back();
    for (std::int32_t left = 100; left > 0;) {
      auto size = static_cast<std::int32_t>(5 + random.below(60));
      if (left - size < 5) size = left == 100 ? 50 : left;
      pods.push_back(size * 10);
      left -= size;
    }
    for (const auto size : pods) often[size] += 1 / 40.0;
  }
  const SharePrices prices(parts(often));
  CHECK(prices.worth(1000) == Approx(1000));
  for (const auto& pods : packed) {
    double sum = 0;
    for (const auto size : pods) sum += prices.worth(size);
    CHECK(sum == Approx(1000));
  }
  for (int free = 1; free <= 1000; ++free) CHECK(prices.lost(free, 1) >= 0);
}

TEST_CASE("whole GPUs and pods without any have no price") {
  auto typical = parts({{1000, 0.5}});
  typical.push_back({shape(1000, 0, 0), 0.25});
  typical.push_back({shape(1000, 2, 1000), 0.25});
  const SharePrices prices(typical);
  CHECK(prices.worth(1000) == 0);
  CHECK(SharePrices().lost(1000, 500) == 0);
}

TEST_CASE("very many sizes still have a price each") {
  std::map<std::int32_t, double> often;
  for (std::int32_t size = 201; size < 1000; size += 7) often[size] = 1 / 115.0;
  const SharePrices prices(parts(often));
  CHECK(prices.worth(1000) == Approx(1000));
  // Nothing goes beside 803 and more.
  CHECK(prices.worth(803) == Approx(1000));
  CHECK(prices.worth(200) == 0);
}

}  // namespace dray::simulate::share_prices_test

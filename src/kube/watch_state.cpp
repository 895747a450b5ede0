#include "kube/watch_state.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dray::kube {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_back_off = 800ms;
constexpr Duration longest_back_off = 30s;
constexpr Duration absent_retry = 60s;
constexpr auto least_watch = std::chrono::seconds(300);

}  // namespace

WatchState::WatchState(Options options) : options_(options), random_state_(options.seed) {}

WatchState::Command WatchState::next() {
  progress_ = false;
  listing_rest_ = false;
  if (!watch_from_) return List{version_, "", in_chunks_};
  const auto spread = static_cast<std::int64_t>(random() % 300);
  return Watch{version_, *watch_from_, least_watch + std::chrono::seconds(spread)};
}

WatchState::Command WatchState::listed(ResourceVersion version, std::string continue_token) {
  versions_missed_ = 0;
  failures_in_a_row_ = 0;
  if (!continue_token.empty()) {
    listing_rest_ = true;
    return List{version_, std::move(continue_token), in_chunks_};
  }
  in_chunks_ = true;
  watch_from_ = std::move(version);
  return next();
}

void WatchState::saw(const ResourceVersion& version) {
  progress_ = true;
  expired_in_a_row_ = 0;
  failures_in_a_row_ = 0;
  watch_from_ = version;
}

WatchState::Command WatchState::ended() {
  // A server that ends streams as soon as they begin is not asked in a circle.
  if (!progress_) return back_off(std::nullopt);
  return next();
}

WatchState::Command WatchState::silent() {
  failures_in_a_row_ = 0;
  return next();
}

WatchState::Command WatchState::failed(ErrorCode code, std::optional<Duration> retry_after) {
  // A list in one piece may be more than the server or the deadline allows: it is one attempt.
  in_chunks_ = true;
  if (code == ErrorCode::gone) return list_again();
  if (code == ErrorCode::not_found) {
    watch_from_.reset();
    return try_next_version();
  }
  if (progress_ && !retry_after) return next();
  return back_off(retry_after);
}

WatchState::Command WatchState::relist() {
  watch_from_.reset();
  return next();
}

/// What we go on from is older than what the server keeps.
WatchState::Command WatchState::list_again() {
  // A token that expired between chunks: the next list is asked for in one piece.
  if (listing_rest_) in_chunks_ = false;
  watch_from_.reset();
  if (++expired_in_a_row_ > 1) return back_off(std::nullopt);
  return next();
}

WatchState::Command WatchState::try_next_version() {
  version_ = (version_ + 1) % options_.versions;
  if (++versions_missed_ < options_.versions) return next();
  versions_missed_ = 0;
  if (options_.required) return back_off(std::nullopt);
  return Absent{jittered(absent_retry)};
}

WatchState::Command WatchState::back_off(std::optional<Duration> at_least) {
  const int doublings = std::min(failures_in_a_row_++, 6);
  const auto base = std::min(first_back_off * (1 << doublings), longest_back_off);
  return Wait{std::max(jittered(base), at_least.value_or(Duration{}))};
}

/// From `base` to twice that.
Duration WatchState::jittered(Duration base) {
  return base + Duration(static_cast<Duration::rep>(random() % 1000) * base.count() / 1000);
}

/// splitmix64.
std::uint64_t WatchState::random() {
  random_state_ += 0x9E3779B97F4A7C15ULL;
  auto z = random_state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

}  // namespace dray::kube

#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace dray::net {

/// Since when TLS has kept clients from their server: a certificate that is not accepted, by either
/// side. A server that cannot be reached at all, or does not answer, is not a failure of TLS. Any
/// thread.
class TlsFailures {
 public:
  using Clock = std::chrono::steady_clock;
  struct Failing {
    Clock::time_point since;  ///< the first failure after the last success
    std::string what;         ///< the last one
  };

  void failed(Clock::time_point now, std::string what) {
    const std::lock_guard lock(mutex_);
    if (!failing_) failing_ = Failing{now, {}};
    failing_->what = std::move(what);
  }
  /// An answer came, or something else than TLS prevented it.
  void ended() {
    const std::lock_guard lock(mutex_);
    failing_.reset();
  }
  [[nodiscard]] std::optional<Failing> failing() const {
    const std::lock_guard lock(mutex_);
    return failing_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Failing> failing_;
};

}  // namespace dray::net

#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace dray {

/// A slot with one current immutable value: any thread loads, one stores. A mutex rather than
/// std::atomic<std::shared_ptr>, whose libstdc++ 12 form is a spin lock that ThreadSanitizer
/// reports.
template <class T>
class Published {
 public:
  Published() = default;
  explicit Published(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  [[nodiscard]] std::shared_ptr<const T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  void store(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace dray

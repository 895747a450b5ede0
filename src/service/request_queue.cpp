#include "service/request_queue.h"

#include <array>
#include <atomic>
#include <utility>

namespace dray::service {

namespace asio = boost::asio;

std::string_view name(Shed shed) {
  static constexpr std::array<std::string_view, 3> names{"full", "late", "left"};
  return names.at(static_cast<std::size_t>(shed));
}

struct RequestQueue::Shared {
  Shared(asio::io_context& io, std::size_t at_a_time) : gate(io, at_a_time) {}

  net::Gate gate;
  std::atomic<std::size_t> inside = 0;   ///< worked on or waiting
  std::atomic<std::size_t> working = 0;  ///< of these
};

RequestQueue::RequestQueue(asio::io_context& io, RequestQueueOptions options)
    : options_(options), shared_(std::make_shared<Shared>(io, options.at_a_time)) {}

std::size_t RequestQueue::size() const {
  return shared_->inside.load();
}

std::size_t RequestQueue::working() const {
  return shared_->working.load();
}

asio::awaitable<std::expected<RequestQueue::Turn, Shed>> RequestQueue::enter(
    std::function<bool()> has_left) {
  const auto shared = shared_;
  if (shared->inside.fetch_add(1) >= options_.at_a_time + options_.waiting) {
    --shared->inside;
    co_return std::unexpected(Shed::full);
  }
  const auto deadline = std::chrono::steady_clock::now() + options_.wait_time;
  if (!co_await shared->gate.enter(deadline)) {
    --shared->inside;
    co_return std::unexpected(Shed::late);
  }
  ++shared->working;
  // Weak: what is left of a request when the service is gone frees nothing.
  Turn turn(shared.get(), [weak = std::weak_ptr<Shared>(shared)](const void*) {
    const auto held = weak.lock();
    if (!held) return;
    --held->working;
    --held->inside;
    held->gate.leave();
  });
  if (has_left && has_left()) co_return std::unexpected(Shed::left);
  co_return turn;
}

}  // namespace dray::service

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string_view>

#include "net/gate.h"

namespace dray::service {

struct RequestQueueOptions {
  std::size_t at_a_time = 2;  ///< requests that are worked on: each takes a thread at most
  std::size_t waiting = 256;  ///< beside these; more are refused at once
  /// kube-scheduler's default httpTimeout: a caller that has waited longer has given up.
  std::chrono::milliseconds wait_time = std::chrono::seconds(5);
};

/// Why a request is not worked on.
enum class Shed : std::uint8_t {
  full,  ///< too many wait already
  late,  ///< its turn did not come in time
  left,  ///< its caller closed the connection before its turn came
};
[[nodiscard]] std::string_view name(Shed shed);

/// Lets requests be worked on in order of arrival, few at a time: what waits costs no CPU, the
/// engine's strand never has more than these few ahead of another question, and what nobody waits
/// for any more is dropped before it is read. Any thread.
class RequestQueue {
 public:
  /// A request is worked on as long as one of these lives; the last may go on any thread.
  using Turn = std::shared_ptr<const void>;

  RequestQueue(boost::asio::io_context& io, RequestQueueOptions options);
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  /// Waits for its turn. `has_left` is asked once when that has come, on the caller's executor;
  /// empty: never.
  boost::asio::awaitable<std::expected<Turn, Shed>> enter(std::function<bool()> has_left);
  /// Requests that are worked on or wait.
  [[nodiscard]] std::size_t size() const;
  /// Of these, those that are worked on.
  [[nodiscard]] std::size_t working() const;

 private:
  struct Shared;

  RequestQueueOptions options_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace dray::service

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <functional>
#include <optional>
#include <string>

#include "dray/engine/engine.h"
#include "dray/engine/lease.h"
#include "kube/cluster_api.h"
#include "net/async_event.h"
#include "net/own_thread.h"
#include "net/published.h"
#include "service/clock.h"
#include "service/fence.h"

namespace dray::service {

/// Carries a LeaseKeeper's commands, keeps the fence by its word, and tells when leadership is won
/// and lost, on a thread of its own: no step of the engine, and no request, may slow a renewal.
/// Public functions from any thread.
class Leadership {
 public:
  using Told = std::function<void(engine::LeadershipChanged)>;
  /// Waits until the writes that are under way have ended, or for as long as is given to them.
  using WritesEnd = std::function<boost::asio::awaitable<void>()>;

  Leadership(engine::LeaseKeeper::Options options, kube::ClusterApi& api, const Clock& clock,
             Fence& fence, Told told, WritesEnd writes_end);
  ~Leadership() { thread_.stop(); }
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  void start();
  /// Stops, waits for the read or write of the Lease that is under way, and gives the Lease back if
  /// it is held. It is not taken again. Other writes are the caller's to wait for, before.
  boost::asio::awaitable<void> release();
  /// Gives the Lease back once the writes under way have ended, whom the next leader must not meet,
  /// and tries for it again after `rest`: this replica cannot serve now.
  void step_down(Duration rest);
  /// Who held the Lease when it was last read or written; empty: nobody, or it is not read yet.
  [[nodiscard]] std::string holder() const;

 private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> release_here();
  boost::asio::awaitable<void> carry(engine::LeaseKeeper::Commands commands);
  void tell();

  // Fixed after construction.
  net::OwnThread thread_;
  kube::ClusterApi& api_;
  const Clock& clock_;
  Fence& fence_;
  Told told_;
  WritesEnd writes_end_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  engine::LeaseKeeper keeper_;
  boost::asio::steady_timer timer_;
  net::AsyncEvent ended_;  ///< notified when run() is over
  bool running_ = false;
  bool leading_ = false;
  bool stopping_ = false;
  std::optional<Duration> rest_;  ///< asked to step down
  // Published.
  Published<std::string> holder_;
};

}  // namespace dray::service

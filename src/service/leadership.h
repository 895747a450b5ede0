#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <functional>

#include "dray/engine/engine.h"
#include "dray/engine/lease.h"
#include "kube/cluster_api.h"
#include "service/clock.h"
#include "service/fence.h"

namespace dray::service {

/// Carries a LeaseKeeper's commands, keeps the fence by its word, and tells when leadership is won
/// and lost, on a strand of its own. Public functions from any thread.
class Leadership {
 public:
  using Told = std::function<void(engine::LeadershipChanged)>;

  Leadership(boost::asio::io_context& io, engine::LeaseKeeper::Options options,
             kube::ClusterApi& api, const Clock& clock, Fence& fence, Told told);

  void start();
  /// Stops, waits for the read or write of the Lease that is under way, and gives the Lease back if
  /// it is held. It is not taken again.
  boost::asio::awaitable<void> release();

 private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> release_here();
  boost::asio::awaitable<void> carry(engine::LeaseKeeper::Commands commands);
  void tell();

  // Fixed after construction.
  kube::ClusterApi& api_;
  const Clock& clock_;
  Fence& fence_;
  Told told_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  engine::LeaseKeeper keeper_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer ended_;  ///< never rings: cancelled when run() is over
  bool running_ = false;
  bool leading_ = false;
  bool stopping_ = false;
};

}  // namespace dray::service

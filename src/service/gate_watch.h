#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "dray/alloc/feature_gates.h"
#include "kube/cluster_api.h"
#include "net/published.h"

namespace dray::service {

/// What is known of the API server's feature gates.
struct GateReport {
  std::string unknown;  ///< why nothing is known of them; empty: it is known
  std::vector<alloc::GateDifference> differences;

  /// One line; empty: they stand there as here.
  [[nodiscard]] std::string to_string() const;

  bool operator==(const GateReport&) const = default;
};

/// Reads the API server's feature gates at the start and once an hour (it may be started anew with
/// others), and says in the log where they are not dray's. That they cannot be read is said once,
/// and is tried again every ten minutes. Any thread.
class GateWatch {
 public:
  GateWatch(boost::asio::io_context& io, kube::ClusterApi& api, const alloc::Features& ours);
  ~GateWatch();
  GateWatch(const GateWatch&) = delete;
  GateWatch& operator=(const GateWatch&) = delete;

  void start();
  void stop();
  /// As of the last reading; before the first nothing is known.
  [[nodiscard]] GateReport report() const;

 private:
  struct State;
  static boost::asio::awaitable<void> run(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace dray::service

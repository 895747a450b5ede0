#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dashboard/simulation.h"
#include "kube/cluster_api.h"
#include "net/http.h"
#include "service/admin_routes.h"
#include "service/clock.h"
#include "service/partition.h"

namespace dray::dashboard {

/// What the process holds of real memory; 0 where the system does not say.
[[nodiscard]] std::uint64_t resident_bytes();

struct SimulationsOptions {
  SimulationLimits limits;
  engine::Options engine;
  service::PartitionOptions partition;  ///< the part of the cluster that the service decides about
  std::function<std::uint64_t()> memory = resident_bytes;
};

/// Answers POST /v1/simulate: plays what is asked on a copy of the live cluster, on threads of its
/// own that yield to all others, and streams the answer as JSON lines. Nothing of the service waits
/// for it, and nothing is written or reserved. Lives on the one thread of its `io`.
class Simulations {
 public:
  /// `api` and `readiness` outlive it, or its end().
  Simulations(boost::asio::io_context& io, SimulationsOptions options, kube::ClusterApi& api,
              const service::Readiness& readiness);
  /// As end() does.
  ~Simulations();
  Simulations(const Simulations&) = delete;
  Simulations& operator=(const Simulations&) = delete;

  /// The answer, or a refusal: 400 for what cannot be read, 415 for what is no JSON, 429 while as
  /// many run as may.
  net::HttpResponse answer(const net::HttpRequest& request);
  /// Those under way end soon.
  void stop();
  /// None runs any more, and none will. Blocks; not on one of its own threads.
  void end();

 private:
  struct Run;
  struct Shared;
  static boost::asio::awaitable<void> stream(std::shared_ptr<Run> run,
                                             std::shared_ptr<net::BodySink> sink);
  void play(const std::shared_ptr<Run>& run);

  boost::asio::io_context& io_;
  SimulationsOptions options_;
  kube::ClusterApi& api_;
  const service::Readiness& readiness_;
  std::shared_ptr<Shared> shared_;
  boost::asio::thread_pool threads_;  ///< the last, so that it ends first
};

}  // namespace dray::dashboard

#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "kube/config.h"
#include "kube/kube_api.h"
#include "kube/throttle.h"
#include "kube/write_request.h"
#include "net/http_client.h"

namespace dray::kube {

/// Carries writes to the API server, each within its deadline. Any thread.
class Writer : public std::enable_shared_from_this<Writer> {
 public:
  using Clock = std::chrono::steady_clock;

  Writer(boost::asio::io_context& io, std::shared_ptr<net::HttpClient> client,
         std::shared_ptr<TokenSource> tokens, const KubeApiOptions& options);

  /// See ClusterApi::write().
  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write, Permit permit);
  /// Cuts off what is under way.
  void abandon() { client_->close_all(); }
  /// Which of the versions of their KindInfo the claims are served under.
  void set_claim_version(std::size_t version) { claim_version_ = version; }

 private:
  /// What holds for each request of a write.
  struct Terms {
    Permit permit;
    Clock::time_point deadline;
    bool may_wait = true;  ///< when the server asks for patience (429)
  };

  static boost::asio::awaitable<engine::WriteOutcome> perform(std::shared_ptr<Writer> self,
                                                              engine::Write write, Permit permit);
  boost::asio::awaitable<engine::WriteOutcome> carry(engine::Write write, Terms terms);
  boost::asio::awaitable<engine::WriteOutcome> release(engine::ReleaseClaim release, Terms terms);
  boost::asio::awaitable<Result<net::HttpResponse>> send(net::HttpRequest request, Terms terms);
  [[nodiscard]] WriteContext context() const;

  // Fixed after construction.
  boost::asio::io_context& io_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<TokenSource> tokens_;
  KubeApiOptions options_;
  // Shared.
  Throttle throttle_;
  std::atomic<std::size_t> claim_version_ = 0;
};

}  // namespace dray::kube

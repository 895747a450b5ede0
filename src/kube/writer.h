#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "dray/model/provisioning_request.h"
#include "kube/kube_api.h"
#include "kube/outbox_carrier.h"
#include "kube/token_source.h"
#include "kube/write_request.h"
#include "net/http_client.h"

namespace dray::kube {

/// Carries writes to the API server, each when the outbox says that it is its turn, and within its
/// deadline from then. The Lease's do not wait for a turn. Any thread.
class Writer : public std::enable_shared_from_this<Writer> {
 public:
  using Clock = std::chrono::steady_clock;

  Writer(boost::asio::io_context& io, std::shared_ptr<net::HttpClient> client,
         std::shared_ptr<TokenSource> tokens, const KubeApiOptions& options);

  /// See ClusterApi::write().
  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write, WriteTerms terms);
  /// Cuts off what is under way, and drops what waits.
  void abandon() {
    outbox_.drop_waiting();
    client_->close_all();
  }
  /// See ClusterApi::backlog().
  boost::asio::awaitable<engine::Outbox::Status> backlog();
  /// Which of the versions of their KindInfo the claims are served under.
  void set_claim_version(std::size_t version) { claim_version_ = version; }

 private:
  using SharedWrite = std::shared_ptr<const engine::Write>;
  /// What holds for each request of a write.
  struct Terms {
    Permit permit;
    std::string field_manager;
    Clock::time_point deadline;
  };
  /// What came of a write that was sent.
  struct Done {
    engine::WriteOutcome outcome;
    engine::Outbox::Answer answer;
  };

  static boost::asio::awaitable<engine::WriteOutcome> perform(std::shared_ptr<Writer> self,
                                                              SharedWrite write, WriteTerms terms);
  boost::asio::awaitable<engine::WriteOutcome> in_turn(SharedWrite write, WriteTerms terms);
  boost::asio::awaitable<Done> carry(SharedWrite write, WriteTerms terms);
  boost::asio::awaitable<Done> release(engine::ReleaseClaim release, Terms terms);
  boost::asio::awaitable<Done> request_nodes(engine::RequestNodes wanted, Terms terms);
  boost::asio::awaitable<Done> requested(const engine::RequestNodes& wanted, const Terms& terms,
                                         ProvisioningRequest& there);
  boost::asio::awaitable<Done> templated(const engine::RequestNodes& wanted, std::size_t place,
                                         const ProvisioningRequest& there, const Terms& terms);
  boost::asio::awaitable<Result<net::HttpResponse>> send(net::HttpRequest request, Terms terms);
  [[nodiscard]] WriteContext context() const;

  // Fixed after construction.
  boost::asio::io_context& io_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<TokenSource> tokens_;
  KubeApiOptions options_;
  // Shared.
  OutboxCarrier outbox_;
  std::atomic<std::size_t> claim_version_ = 0;
};

}  // namespace dray::kube

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "dray/sim/api_server.h"
#include "dray/sim/claim_controller.h"
#include "dray/sim/kubelet.h"
#include "kube/cluster_api.h"
#include "service/clock.h"

namespace dray::service {

/// A cluster kept in memory, with the controllers that a pod needs on its way: what
/// `dray serve --cluster` and `dray demo` stand on. Its state lives on a strand of its own; public
/// functions may be called from any thread once watch() has been called.
class EmbeddedApi : public kube::ClusterApi {
 public:
  EmbeddedApi(boost::asio::io_context& io, const Clock& clock, sim::ApiServerOptions options);

  /// Before watch(): objects as they are in the manifests.
  void load(KubeObject object);
  /// Before watch(): is told every change, on the strand, in order.
  void add_observer(std::function<void(const sim::WatchEvent&)> observer);
  /// Before watch(): is told every Event that is recorded, on the strand, in order.
  void on_event(std::function<void(const sim::RecordedEvent&)> observer);

  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write,
                                                     kube::WriteTerms terms) override;
  /// Nothing ever waits.
  boost::asio::awaitable<engine::Outbox::Status> backlog() override;
  boost::asio::awaitable<std::vector<kube::WatchFigures>> watches() override {
    co_return std::vector<kube::WatchFigures>();
  }
  void watch(kube::WatchSink sink) override;
  void stop() override;
  /// What is told is told at once: there is nothing to refresh.
  boost::asio::awaitable<Result<void>> refresh_claims(std::chrono::milliseconds at_most) override;
  /// The copy of what is there is made on the calling thread.
  Result<kube::Listed> list_now(const std::function<bool()>& go_on) override;
  void abandon_writes() override {}
  /// It keeps every field.
  boost::asio::awaitable<Result<std::optional<alloc::FeatureGates>>> feature_gates() override {
    co_return std::nullopt;
  }
  [[nodiscard]] std::string trouble() const override { return ""; }

  /// POST of a new object.
  boost::asio::awaitable<Result<KubeObject>> create(KubeObject object);
  /// Runs `work` on the strand, with the server, and then whatever follows from it.
  void post(std::function<void(sim::ApiServer&, Time)> work);

 private:
  boost::asio::awaitable<engine::WriteOutcome> write_here(engine::Write write,
                                                          kube::WriteTerms terms);
  boost::asio::awaitable<Result<KubeObject>> create_here(KubeObject object);
  void start(kube::WatchSink sink);
  void settle();
  void tell(const sim::WatchEvent& event);
  void arm_timer();

  const Clock& clock_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  sim::ApiServer server_;
  sim::ClaimController controller_;
  sim::Kubelet kubelet_;
  std::deque<sim::WatchEvent> untold_;
  std::vector<std::function<void(const sim::WatchEvent&)>> observers_;
  kube::WatchSink sink_;
  boost::asio::steady_timer timer_;
  bool stopped_ = false;
};

}  // namespace dray::service

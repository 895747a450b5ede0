#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dray/sim/kube_scheduler.h"
#include "net/http_client.h"
#include "service/clock.h"
#include "service/embedded_api.h"

namespace dray::service {

/// Plays kube-scheduler for the embedded cluster: the model decides when to ask, the questions go
/// to the extender as real HTTP. Lives on a strand of its own.
class EmbeddedScheduler {
 public:
  /// Before api.watch(); extender calls go to `extender` (http://127.0.0.1:port).
  EmbeddedScheduler(boost::asio::io_context& io, const Clock& clock, EmbeddedApi& api,
                    sim::KubeSchedulerOptions options);

  /// Where the extender listens; before this, pods wait. Any thread.
  Result<void> start(const net::Url& extender);
  void stop();

 private:
  void saw(const sim::WatchEvent& event);
  void step(const sim::SchedulerInput& input);
  void carry(sim::SchedulerCommands commands);
  void carry(const sim::CallFilter& command);
  void carry(const sim::CallPrioritize& command);
  void carry(const sim::CallPreempt& command);
  void carry(const sim::CallBind& command);
  void carry(sim::PatchPodStatus command) { write(std::move(command)); }
  void carry(sim::DeleteVictim command) { write(std::move(command)); }
  void carry(engine::RecordEvent command) { write(std::move(command)); }
  void write(sim::SchedulerCommand command);
  template <class Answered, class Decode>
  boost::asio::awaitable<void> call(std::string verb, std::string body, sim::CallId id,
                                    std::chrono::milliseconds timeout, Decode decode);
  void arm_timer();

  boost::asio::io_context& io_;
  const Clock& clock_;
  EmbeddedApi& api_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  sim::KubeScheduler scheduler_;
  std::shared_ptr<net::HttpClient> client_;  ///< none: not started
  std::vector<sim::WatchEvent> before_start_;
  boost::asio::steady_timer timer_;
  bool stopped_ = false;
};

}  // namespace dray::service

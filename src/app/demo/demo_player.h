#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/demo/demo_expectation.h"
#include "app/demo/demo_table.h"
#include "app/demo/outcome_log.h"
#include "dray/model/object.h"
#include "service/embedded_api.h"
#include "service/service.h"

namespace dray::app {

/// Creates a workload, object after object, and shows what becomes of each pod: a row when it is
/// bound or told why it waits, and another one if that changes later (room that is freed). The next
/// pod comes when what the last one set off has settled, and rows say what was decided, not what is
/// so when they are written: the same workload has the same rows in the same order.
class DemoPlayer {
 public:
  using Show = std::function<void(const DemoRow&)>;

  /// Before api.watch(). `show` is called on strand(), for each row.
  DemoPlayer(boost::asio::io_context& io, service::EmbeddedApi& api, service::Service& service,
             const service::Clock& clock, Show show);

  /// On strand(): what was declared and is not so, a line each.
  boost::asio::awaitable<std::vector<std::string>> play(std::vector<KubeObject> workload,
                                                        Expectations expectations);

  [[nodiscard]] auto strand() const { return strand_; }

 private:
  void saw(const sim::WatchEvent& event);
  void tell_news();
  boost::asio::awaitable<void> play_pod(Pod pod);
  boost::asio::awaitable<void> settle();
  boost::asio::awaitable<void> show(Outcome outcome);
  boost::asio::awaitable<void> describe_placement(DemoRow& row);
  boost::asio::awaitable<bool> wait_for_news();
  void refused(const PodKey& pod, const std::string& reason);
  void tell(const DemoRow& row);

  service::EmbeddedApi& api_;
  service::Service& service_;
  const service::Clock& clock_;
  Show show_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  boost::asio::steady_timer news_;
  OutcomeLog log_;
  Expectations expectations_;
};

}  // namespace dray::app

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/demo/demo_table.h"
#include "dray/model/object.h"
#include "service/embedded_api.h"
#include "service/service.h"

namespace dray::app {

/// Creates a workload, object after object, and shows what becomes of each pod: a row when it is
/// bound or told why it waits, and another one if that changes later (room that is taken back).
class DemoPlayer {
 public:
  DemoPlayer(boost::asio::io_context& io, service::EmbeddedApi& api, service::Service& service,
             const service::Clock& clock, bool json);

  /// From the api's strand.
  void saw(const sim::WatchEvent& event);
  /// On strand().
  boost::asio::awaitable<void> play(std::vector<KubeObject> workload);

  [[nodiscard]] auto strand() const { return strand_; }

 private:
  /// A pod whose row is not true any more.
  struct Change {
    PodKey pod;
    bool evicted = false;
    Time at;
  };
  struct Shown {
    Time created;
    bool bound = false;
    bool in_gang = false;
    bool evicted = false;
  };

  void saw_pod(const Pod& pod, Time at);
  boost::asio::awaitable<DemoRow> play_pod(Pod pod);
  boost::asio::awaitable<void> play_changes();
  boost::asio::awaitable<void> describe(DemoRow& row);
  boost::asio::awaitable<std::string> last_event(PodKey pod);
  boost::asio::awaitable<void> wait(std::chrono::milliseconds at_most);
  [[nodiscard]] bool gangs_wait() const;
  void show(const DemoRow& row) const;

  service::EmbeddedApi& api_;
  service::Service& service_;
  const service::Clock& clock_;
  bool json_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  boost::asio::steady_timer woken_;
  PodKey awaited_;
  std::optional<Pod> outcome_;
  Time settled_at_{};
  std::map<PodKey, Shown> shown_;
  std::vector<Change> changes_;
};

}  // namespace dray::app

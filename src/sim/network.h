#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dray/base/time.h"
#include "dray/engine/flight_window.h"
#include "dray/engine/write.h"
#include "dray/model/lease.h"
#include "dray/sim/api_server.h"
#include "sim/process.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"
#include "sim/weather.h"

namespace dray::sim {

/// One request of dray to the API server.
struct ApiRequest {
  engine::Write write;
  std::string field_manager;  ///< of what leadership it is
  std::size_t replica = 0;
  /// Of a ReleaseClaim: what was read, and must be there still.
  ResourceVersion read_at = {};
};

/// Its answer, or that there is none.
struct ApiReply {
  engine::WriteOutcome outcome;
  engine::Load load = engine::Load::fine;
  std::optional<Duration> retry_after = std::nullopt;
};

/// The way from dray's replicas to the API server and back, and the admission policy `dray-epoch`
/// of manifests/exclusion.yaml, which sees the Lease some moments late.
class Network {
 public:
  using Done = std::function<void(const ApiReply&)>;
  /// What the sender waits for.
  struct Exchange {
    Done done;
    bool over = false;
  };
  /// Is told what a replica decides, what is sent, and every answer that reaches its sender.
  struct Observer {
    std::function<void(const ApiRequest&)> decided = [](const ApiRequest&) {};
    std::function<void(const ApiRequest&)> sent = [](const ApiRequest&) {};
    std::function<void(const ApiRequest&, const ApiReply&)> told = [](const ApiRequest&,
                                                                      const ApiReply&) {};
  };

  Network(VirtualTime& time, ApiServer& server, Weather& weather, Trace& trace)
      : time_(time), server_(server), weather_(weather), trace_(trace) {}

  /// The answer comes on `thread` of `client`; after `timeout` by its clock, that there is none.
  std::shared_ptr<Exchange> send(Process& client, Process::Thread thread, ApiRequest request,
                                 Duration timeout, Done done);
  /// The connection is cut: no answer will come, whatever becomes of the request.
  static void cut(Exchange& exchange);

  /// The API server's store has changed.
  void committed(const WatchEvent& event);
  void set_observer(Observer observer) { observer_ = std::move(observer); }
  [[nodiscard]] const Observer& observer() const { return observer_; }
  /// What was sent and has not arrived, but may.
  [[nodiscard]] const std::list<ApiRequest>& under_way() const { return under_way_; }
  /// The request whose effect is being committed; null: somebody else's.
  [[nodiscard]] const ApiRequest* serving() const { return serving_; }
  /// Requests that were refused because their epoch is not the Lease's, as the policy sees it.
  [[nodiscard]] std::uint64_t fenced_off() const { return fenced_off_; }
  /// Requests that took effect after their sender was told that there is no answer.
  [[nodiscard]] std::uint64_t landed_late() const { return landed_late_; }

 private:
  void arrive(Process& client, Process::Thread thread, std::list<ApiRequest>::iterator sent,
              Fate fate, const std::shared_ptr<Exchange>& exchange);
  ApiReply serve(const ApiRequest& request, Fate fate);
  [[nodiscard]] bool admits(const ApiRequest& request) const;
  static void answer(Exchange& exchange, const ApiReply& reply);

  VirtualTime& time_;
  ApiServer& server_;
  Weather& weather_;
  Trace& trace_;
  std::optional<Lease> lease_;  ///< as the policy sees it
  Time last_seen_{};
  std::list<ApiRequest> under_way_;
  Observer observer_;
  const ApiRequest* serving_ = nullptr;
  std::uint64_t fenced_off_ = 0;
  std::uint64_t landed_late_ = 0;
};

}  // namespace dray::sim

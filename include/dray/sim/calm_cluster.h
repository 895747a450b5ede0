#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/policy/config.h"
#include "dray/sim/api_server.h"
#include "dray/sim/kube_scheduler.h"

namespace dray::sim {

/// A step of dray's engine, for who records it: what it was given, and what it asked for then.
struct EngineStep {
  struct Tick {};
  struct Filter {
    const extender::FilterRequest& request;
    const extender::FilterResponse& answer;
  };
  struct Bind {
    engine::RequestId id;
    const extender::BindRequest& request;
  };
  using Input = std::variant<const engine::Event*, Tick, Filter, Bind>;

  Time at;
  Input input;
  const engine::Effects& effects;
};

/// What a calm cluster is made with.
struct CalmOptions {
  ApiServerOptions server;
  KubeSchedulerOptions scheduler;
  engine::Options engine;
  Time start = Time(std::chrono::hours(24 * 20'000));
};

/// A whole cluster in virtual time in which nothing fails, with one dray: what fault simulations
/// have, in fair weather. Deterministic; one thread.
class CalmCluster {
 public:
  /// dray does not run yet.
  explicit CalmCluster(const CalmOptions& options);
  ~CalmCluster();
  CalmCluster(const CalmCluster&) = delete;
  CalmCluster& operator=(const CalmCluster&) = delete;

  /// Its API server.
  [[nodiscard]] ApiServer& server();
  /// Virtual time.
  [[nodiscard]] Time now() const;
  /// Things that have happened so far.
  [[nodiscard]] std::uint64_t events() const;
  /// Does something at a time.
  void at(Time time, std::function<void()> action);
  /// Lets time pass.
  void run_until(Time end);
  /// The policy that dray reads; before start_dray().
  void set_policy(std::shared_ptr<const policy::PolicyConfig> policy);
  /// dray starts, and knows nothing yet.
  void start_dray();
  /// Its engine, once it is started.
  [[nodiscard]] const engine::Engine& engine();
  /// Is told every commit of the API server right after it.
  void set_observer(std::function<void(const WatchEvent&)> observer);
  /// Is told every step of dray's engine that decides something; before start_dray().
  void set_step_observer(std::function<void(const EngineStep&)> observer);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Names of the claims that the pod uses and that were made, in its order.
[[nodiscard]] std::vector<std::string> claims_made_for(const Pod& pod);

}  // namespace dray::sim

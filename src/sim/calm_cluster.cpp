#include "dray/sim/calm_cluster.h"

#include <utility>

#include "sim/claim_names.h"
#include "sim/cluster_loop.h"
#include "sim/weather.h"

namespace dray::sim {

struct CalmCluster::Parts {
  explicit Parts(LoopOptions options) : loop(std::move(options), weather) {}
  Weather weather;
  ClusterLoop loop;
};

CalmCluster::CalmCluster(const CalmOptions& options) {
  LoopOptions made;
  made.server = options.server;
  made.scheduler = options.scheduler;
  made.engine = options.engine;
  made.start = options.start;
  parts_ = std::make_unique<Parts>(std::move(made));
}

CalmCluster::~CalmCluster() = default;

ApiServer& CalmCluster::server() {
  return parts_->loop.server();
}

Time CalmCluster::now() const {
  return parts_->loop.now();
}

std::uint64_t CalmCluster::events() const {
  return parts_->loop.events();
}

void CalmCluster::at(Time time, std::function<void()> action) {
  parts_->loop.at(time, std::move(action));
}

void CalmCluster::run_until(Time end) {
  (void)parts_->loop.run_until(end);
}

void CalmCluster::set_policy(std::shared_ptr<const policy::PolicyConfig> policy) {
  parts_->loop.set_policy(std::move(policy));
}

void CalmCluster::start_dray() {
  parts_->loop.start_replica(0, {});
}

const engine::Engine& CalmCluster::engine() {
  return parts_->loop.replica(0)->engine();
}

void CalmCluster::set_observer(std::function<void(const WatchEvent&)> observer) {
  parts_->loop.set_observer(std::move(observer));
}

void CalmCluster::set_step_observer(std::function<void(const EngineStep&)> observer) {
  parts_->loop.set_step_observer(std::move(observer));
}

std::vector<std::string> claims_made_for(const Pod& pod) {
  std::vector<std::string> names;
  for (const auto& reference : pod.resource_claims) {
    const auto claim = claim_name(pod, reference);
    if (claim && claim->name) names.push_back(*claim->name);
  }
  if (pod.extended_resource_claim) names.push_back(*pod.extended_resource_claim);
  return names;
}

}  // namespace dray::sim

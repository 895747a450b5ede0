#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "dray/base/time.h"
#include "dray/sim/api_server.h"

namespace dray::sim {

/// How long a pod runs before it is Succeeded, in seconds; without it it runs until it is deleted.
inline constexpr const char* run_seconds_annotation = "sim.dray.dev/run-seconds";
/// What it says; nothing: it is not there, or no number.
[[nodiscard]] std::optional<std::int64_t> run_seconds(const Pod& pod);

/// How long things take on a node.
struct KubeletOptions {
  Duration start_delay = std::chrono::milliseconds(50);
  Duration stop_delay = std::chrono::milliseconds(20);
};

/// The kubelets of all nodes, as far as the API server sees them: a bound pod runs once its claims
/// are allocated and reserved for it (pkg/kubelet/cm/dra/manager.go), ends after its time or at its
/// activeDeadlineSeconds, and is gone some time after it is marked for deletion.
class Kubelet {
 public:
  /// All nodes' kubelets in one.
  explicit Kubelet(KubeletOptions options = {}) : options_(options) {}

  /// A change of a pod, as its watch tells it.
  void observe(const WatchEvent& event, Time now);
  /// Does one due piece of work; false if none is due.
  bool work(ApiServer& server, Time now);
  /// When work() has something to do next, if ever.
  [[nodiscard]] std::optional<Time> due(Time now) const;

  /// Whether the kubelet would start the pod with the claims that the server holds.
  [[nodiscard]] static bool may_start(const Pod& pod, const ApiServer& server);

 private:
  void act(const std::string& key, ApiServer& server, Time now);
  void at(Time time, const std::string& key) { timers_.emplace(time, key); }

  KubeletOptions options_;
  std::map<std::string, std::shared_ptr<const KubeObject>> pods_;  ///< those with a node
  std::multimap<Time, std::string> timers_;
  std::map<Uid, Time> started_;
};

}  // namespace dray::sim

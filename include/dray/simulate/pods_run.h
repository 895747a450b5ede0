#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/model/claim.h"
#include "dray/model/object.h"
#include "dray/policy/config.h"
#include "dray/simulate/churn.h"

namespace dray::simulate {

/// Pods as Kubernetes has them, and what they name.
struct PodWorkload {
  /// Groups, templates, claims: there from the beginning, in the order in which they were given.
  std::vector<KubeObject> objects;
  struct Arrival {
    Pod pod;         ///< as somebody creates it: with no node and no status
    Duration at{0};  ///< since the beginning
    /// Of a Job of which only so many are there at a time (sim::at_once_annotation): it comes when
    /// one of those before it has ended.
    bool later = false;
    /// Its controller creates it when others are that far (sim::after_annotation).
    bool staged = false;
  };
  std::vector<Arrival> pods;  ///< in the order of their times
};

/// The pods among the objects that are not of a DaemonSet or of their node, and what is needed for
/// them. They come when they were created, from the first one on; those that do not say so come at
/// once, in the order of the list. Pods that ran wait again; what Kubernetes makes for them, as
/// claims of templates, is left out.
/// `apart`: they come in that order, so long one after the other, but for those of Jobs that come
/// when others have ended.
[[nodiscard]] PodWorkload pods_of(const std::vector<KubeObject>& objects,
                                  std::optional<Duration> apart = {});

/// A cluster without what the workload is to bring, the pods of what it brings, and the objects of
/// those who served it. What else runs or waits there stays.
[[nodiscard]] std::vector<KubeObject> cluster_without(const std::vector<KubeObject>& objects,
                                                      const PodWorkload& workload);

/// So many devices of a DeviceClass, or of a device plugin's resource.
struct DeviceAsk {
  std::string name;
  std::int64_t count = 0;

  bool operator==(const DeviceAsk&) const = default;
};

/// What became of one pod.
struct PodRecord {
  PodKey pod;
  Duration created{0};                   ///< times since the beginning
  std::optional<Duration> bound;         ///< to a node
  std::optional<Duration> ended;         ///< it finished, or was deleted
  bool evicted = false;                  ///< deleted, though it had not finished
  bool failed = false;                   ///< its node failed under it
  NodeName node;                         ///< of a bound one
  std::vector<AllocatedDevice> devices;  ///< that it had when it was bound
  std::vector<DeviceAsk> asks;           ///< as far as its claims are made, by name
  std::string queue;                     ///< of its job, as far as dray knows one
  std::string job;                       ///< namespace/name of its group, or its own
  Reason reason = Reason::none;          ///< why it waits in the end
  std::string detail;                    ///< counts and names with it, for people

  bool operator==(const PodRecord&) const = default;
};

/// One run of pods in virtual time.
struct PodsRun {
  std::string policy;
  std::vector<PodRecord> pods;  ///< by arrival; then those of the cluster that waited there
  Duration span{0};             ///< to the last that happened to a pod
  Duration length{0};           ///< to the end of the run
  std::uint64_t events = 0;     ///< of all parts of the simulated cluster
  std::uint64_t plans = 0;
  bool cut = false;  ///< PodsOptions::at_most ended it

  bool operator==(const PodsRun&) const = default;
};

/// How far a run is.
struct PodsProgress {
  Duration time{0};  ///< virtual
  std::size_t created = 0;
  std::size_t bound = 0;
};

/// How a run goes.
struct PodsOptions {
  engine::Options engine;
  /// Before this; absent: until nothing has happened to a pod for some minutes, and none is to end.
  std::optional<Duration> until;
  /// Not after this in any case.
  std::optional<Duration> at_most;
  /// dray's pods that do not say how long they run end after so long. Those that run in the
  /// cluster have run since they were bound; one that has run longer than that runs as long again.
  std::optional<Duration> run_time;
  /// What the clock shows when the run begins; absent: right after all that is there was made.
  std::optional<Time> start;
  /// dray starts when all pods are there, and plans them together.
  bool backlog = false;
  std::vector<Churn> churn;  ///< in the order of its times; its nodes are of the cluster
  std::uint64_t seed = 0;    ///< of kube-scheduler's choice among equals, and of generated names
  /// Is asked after each virtual second whether to go on; absent: yes.
  std::function<bool(const PodsProgress&)> go_on;
};

/// Plays the pods on the whole service in virtual time: API server, controller of claims,
/// kube-scheduler, kubelets and dray in mode allocate, as fault simulations do, but with nothing
/// that fails beside what `churn` says. What comes at the beginning is there when dray starts. A
/// pod with the annotation sim.dray.dev/run-seconds ends after so long. `policy`: null: none is in
/// force. An Error says why that policy cannot be used, or that the run was told not to go on.
[[nodiscard]] Result<PodsRun> run_pods(const std::vector<KubeObject>& cluster,
                                       const PodWorkload& workload,
                                       std::shared_ptr<const policy::PolicyConfig> policy,
                                       const PodsOptions& options);

}  // namespace dray::simulate

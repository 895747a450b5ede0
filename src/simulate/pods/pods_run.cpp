#include "dray/simulate/pods_run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "dray/sim/calm_cluster.h"
#include "dray/sim/kubelet.h"
#include "dray/sim/owned_pods.h"
#include "simulate/pods/job_turns.h"
#include "simulate/pods/pod_churn.h"
#include "simulate/pods/pod_log.h"
#include "simulate/pods/staged_pods.h"

namespace dray::simulate {
namespace {

/// What is there at the beginning is settled so long before dray starts: claims of templates are
/// made.
constexpr Duration before_dray = std::chrono::seconds(5);
constexpr Duration step = std::chrono::seconds(1);
/// So long nothing happens to a pod only where nothing will: kube-scheduler's back-off and dray's
/// reservations are shorter.
constexpr Duration quiet = std::chrono::minutes(3);

sim::CalmOptions loop_options(const PodsOptions& options, Time start) {
  sim::CalmOptions made;
  made.server.gate_pods = true;
  made.server.protect_claims = true;
  made.server.keep_uids = true;
  made.server.scheduler_name = options.engine.scheduler_name;
  made.server.gate = options.engine.gate;
  made.server.seed = options.seed;
  made.scheduler.scheduler_name = options.engine.scheduler_name;
  made.scheduler.seed = options.seed;
  made.engine = options.engine;
  made.start = start;
  return made;
}

/// After all that is there was made.
Time start_after(const std::vector<KubeObject>& cluster) {
  auto start = sim::CalmOptions().start;
  for (const auto& object : cluster) {
    const auto created = meta_of(object).created;
    if (created) start = std::max(start, *created + step);
  }
  return start;
}

/// As far as the pod says it.
Time bound_at(const Pod& pod, Time now) {
  const auto condition = std::ranges::find(pod.conditions, "PodScheduled", &Condition::type);
  if (condition != pod.conditions.end() && condition->last_transition) {
    return *condition->last_transition;
  }
  return pod.meta.created.value_or(now);
}

/// Of a pod for whose end others wait.
std::optional<Duration> assumed_run_time(const Pod& pod) {
  const auto found = pod.meta.annotations.find(sim::assumed_seconds_annotation);
  if (found == pod.meta.annotations.end()) return std::nullopt;
  return std::chrono::seconds(std::strtoll(found->second.c_str(), nullptr, 10));
}

/// A pod that says how long it runs in the simulation keeps its word, and dray may know it.
KubeObject with_deadline(const KubeObject& object) {
  auto made = object;
  auto* pod = std::get_if<Pod>(&made);
  if (pod != nullptr && !pod->active_deadline_seconds) {
    pod->active_deadline_seconds = sim::run_seconds(*pod);
  }
  return made;
}

/// The object with what it says of its end; a pod of dray's that says nothing with an end as
/// PodsOptions::run_time has it, of which dray knows nothing.
KubeObject with_end(const KubeObject& given, const PodsOptions& options, Time now) {
  auto object = with_deadline(given);
  const auto* pod = std::get_if<Pod>(&object);
  if (pod == nullptr || pod->finished()) return object;
  const bool ours = pod->scheduler_name == options.engine.scheduler_name;
  const auto run_time = ours && options.run_time ? options.run_time : assumed_run_time(*pod);
  if (!run_time) return object;
  const auto time = *run_time;
  const auto ran = pod->node_name ? std::max(Duration(0), now - bound_at(*pod, now)) : Duration(0);
  const auto left = std::chrono::ceil<std::chrono::seconds>(ran < time ? time - ran : ran);
  auto ending = *pod;
  ending.meta.annotations.emplace(sim::run_seconds_annotation, std::to_string(left.count()));
  return ending;
}

class PodsPlayer {
 public:
  PodsPlayer(const std::vector<KubeObject>& cluster, const PodWorkload& workload,
             const PodsOptions& options)
      : workload_(workload),
        options_(options),
        loop_(
            loop_options(options, std::max(options.start.value_or(Time()), start_after(cluster)))),
        origin_(loop_.now() + before_dray),
        log_(loop_.server(), origin_),
        churn_(loop_, log_) {
    for (const auto& object : cluster) {
      auto made = with_end(object, options_, loop_.now());
      if (const auto* pod = std::get_if<Pod>(&made)) log_.runs_already(*pod);
      loop_.server().restore(std::move(made), loop_.now());
    }
    add_waiting();
    loop_.set_observer([this](const sim::WatchEvent& event) {
      if (auto* bound = log_.saw(event, loop_.now())) tell_job(*bound);
      if (const auto* next = later_.next_after(event)) create_at(loop_.now(), *next);
      for (const auto* next : staged_.next_after(event)) create_at(loop_.now(), *next);
    });
  }

  Result<PodsRun> play(std::shared_ptr<const policy::PolicyConfig> policy) {
    if (auto created = create_all(); !created) return std::unexpected(created.error());
    for (const auto& one : options_.churn) {
      loop_.at(origin_ + one.at, [this, &one] { churn_.carry_out(one); });
    }
    if (policy) loop_.set_policy(std::move(policy));
    const auto start = origin_ + (options_.backlog ? last_arrival() + before_dray : Duration(0));
    while (loop_.now() < start) {
      if (auto gone_on = go_on_until(std::min(start, loop_.now() + step)); !gone_on) {
        return std::unexpected(std::move(gone_on.error()));
      }
    }
    loop_.start_dray();
    started_ = true;
    while (!over()) {
      if (auto gone_on = go_on_until(loop_.now() + step); !gone_on) {
        return std::unexpected(std::move(gone_on.error()));
      }
      const auto problem = engine().status().policy_problem;
      if (!problem.empty()) return fail(ErrorCode::invalid, problem);
    }
    return result();
  }

 private:
  [[nodiscard]] const engine::Engine& engine() { return loop_.engine(); }

  Result<void> go_on_until(Time time) {
    loop_.run_until(time);
    if (failed_) return std::unexpected(*failed_);
    if (!options_.go_on || options_.go_on(progress())) return {};
    return fail(ErrorCode::unavailable, "the simulation was ended before its end");
  }

  /// Those of the cluster that wait there are told of, too.
  void add_waiting() {
    for (const auto& object : loop_.server().list(Kind::pod).items) {
      const auto& pod = std::get<Pod>(*object);
      if (pod.node_name || pod.finished() || pod.scheduler_name != options_.engine.scheduler_name) {
        continue;
      }
      log_.saw({.type = sim::WatchEvent::Type::added,
                .kind = Kind::pod,
                .revision = 0,
                .object = object},
               loop_.now());
    }
  }

  [[nodiscard]] Duration last_arrival() const {
    return workload_.pods.empty() ? Duration(0) : workload_.pods.back().at;
  }

  Result<void> create_all() {
    for (const auto& object : workload_.objects) {
      if (auto made = create(object); !made) return made;
    }
    for (const auto& arrival : workload_.pods) {
      if (arrival.later) {
        later_.add(arrival);
      } else if (arrival.staged) {
        staged_.add(arrival);
      } else if (arrival.at > Duration(0)) {
        create_at(origin_ + arrival.at, arrival);
      } else if (auto made = create(arrival.pod); !made) {
        return made;
      }
    }
    return {};
  }

  void create_at(Time time, const PodWorkload::Arrival& arrival) {
    loop_.at(time, [this, &arrival] {
      if (auto made = create(arrival.pod); !made && !failed_) failed_ = made.error();
    });
  }

  Result<void> create(const KubeObject& object) {
    ++created_;
    auto made = loop_.server().create(with_end(object, options_, loop_.now()), loop_.now());
    if (!made) return std::unexpected(std::move(made.error()).within(describe(object)));
    return {};
  }

  [[nodiscard]] bool over() {
    const auto now = loop_.now() - origin_;
    if (options_.at_most && now >= *options_.at_most) return cut_ = true;
    if (options_.until) return now >= *options_.until;
    const bool all_came = created_ + later_.count() + staged_.count() ==
                          workload_.objects.size() + workload_.pods.size();
    const auto last_churn = options_.churn.empty() ? Duration(0) : options_.churn.back().at;
    return all_came && log_.to_end() == 0 && now >= std::max(log_.last(), last_churn) + quiet;
  }

  [[nodiscard]] PodsProgress progress() const {
    return {.time = loop_.now() - origin_, .created = log_.created(), .bound = log_.bound()};
  }

  /// While dray knows it, which it does not for ever.
  void tell_job(PodRecord& record) {
    const auto view = started_ ? engine().pod(record.pod) : std::nullopt;
    if (!view) return;
    record.queue = view->queue;
    record.job = view->job;
  }

  PodsRun result() {
    PodsRun run;
    run.span = log_.last();
    run.length = loop_.now() - origin_;
    run.events = loop_.events();
    run.plans = engine().status().plans_made;
    run.cut = cut_;
    run.pods = log_.take();
    for (auto& record : run.pods) {
      if (record.bound || record.ended) continue;
      const auto view = engine().pod(record.pod);
      if (!view) continue;
      tell_job(record);
      record.reason = view->reason;
      record.detail = view->detail;
    }
    return run;
  }

  const PodWorkload& workload_;
  const PodsOptions& options_;
  sim::CalmCluster loop_;
  Time origin_;
  PodLog log_;
  LaterPods later_;
  StagedPods staged_;
  PodChurn churn_;
  std::size_t created_ = 0;
  bool cut_ = false;
  bool started_ = false;
  std::optional<Error> failed_;
};

}  // namespace

Result<PodsRun> run_pods(const std::vector<KubeObject>& cluster, const PodWorkload& workload,
                         std::shared_ptr<const policy::PolicyConfig> policy,
                         const PodsOptions& options) {
  return PodsPlayer(cluster, workload, options).play(std::move(policy));
}

}  // namespace dray::simulate

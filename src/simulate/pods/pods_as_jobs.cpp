#include "dray/simulate/pods_as_jobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "dray/planner/together.h"
#include "simulate/jobs/gang_domains.h"
#include "simulate/jobs/recorder.h"
#include "simulate/jobs/waiting_reasons.h"
#include "simulate/pods/inventory.h"

namespace dray::simulate {
namespace {

/// At one time what ends makes room before others come.
enum class Step : std::uint8_t { end, arrive, start };
using Happening = std::tuple<Duration, Step, std::size_t, const PodRecord*>;

class Conversion {
 public:
  Conversion(const Inventory& inventory, const std::vector<PlayedPods>& played)
      : inventory_(inventory) {
    for (const auto& one : played) {
      for (const auto& pod : one.run->pods) add(pod);
    }
  }

  Result<Setting> setting() const { return Setting::make(inventory_.nodes(), workload_); }

  JobsRun convert(const Setting& setting, const PlayedPods& played) const {
    const auto& pods = *played.run;
    JobsRun run;
    run.policy = pods.policy;
    run.seed = played.seed;
    JobsOptions options;
    options.keep_stays = true;
    Recorder recorder(setting, run, options);
    for (const auto& [at, step, job, pod] : happenings(pods)) tell(recorder, at, step, job, *pod);
    recorder.finish(measured_until(pods));
    run.plans = pods.plans;
    run.waiting = waiting_for(pods);
    run.classes = inventory_.use_of(pods);
    count_all_gpus(run);
    count_together(run, played);
    return run;
  }

 private:
  void add(const PodRecord& pod) {
    const auto [known, added] = jobs_.emplace(pod.pod, workload_.jobs.size());
    if (added) {
      auto& job = workload_.jobs.emplace_back();
      job.name = pod.pod.namespace_name + "/" + pod.pod.name;
      job.queue = pod.queue;
      job.submitted = pod.created;
      job.ask.gpu_milli = whole_gpu;
    }
    auto& job = workload_.jobs[known->second];
    if (job.queue.empty()) job.queue = pod.queue;
    job.ask.gpus = std::max(job.ask.gpus, static_cast<std::int32_t>(inventory_.gpus_of(pod)));
    if (!job.run_time && pod.bound && pod.ended && !pod.evicted && !pod.failed) {
      job.run_time = *pod.ended - *pod.bound;
    }
  }

  [[nodiscard]] std::vector<Happening> happenings(const PodsRun& run) const {
    std::vector<Happening> all;
    for (const auto& pod : run.pods) {
      const auto job = jobs_.at(pod.pod);
      all.emplace_back(pod.created, Step::arrive, job, &pod);
      if (pod.bound) all.emplace_back(*pod.bound, Step::start, job, &pod);
      // What ends in the moment in which it came comes after that.
      const auto begun = pod.bound.value_or(pod.created) + Duration(1);
      if (pod.ended) all.emplace_back(std::max(*pod.ended, begun), Step::end, job, &pod);
    }
    std::ranges::sort(all);
    return all;
  }

  void tell(Recorder& recorder, Duration at, Step step, std::size_t job,
            const PodRecord& pod) const {
    if (step == Step::arrive) return recorder.arrived(job, at);
    if (step == Step::start) {
      std::vector<Place> places;
      if (const auto node = inventory_.place_of(pod.node)) {
        places.push_back({*node, inventory_.bits_of(pod)});
      }
      return recorder.started(job, at, places);
    }
    if (pod.evicted || pod.failed || !pod.bound) return recorder.removed(job, at, pod.failed);
    recorder.ended(job, at);
  }

  static std::vector<WaitingFor> waiting_for(const PodsRun& run) {
    WaitingReasons waiting;
    for (const auto& pod : run.pods) {
      if (!pod.bound && !pod.ended) waiting.add(pod.reason);
    }
    return waiting.list();
  }

  /// Also those that a node has beyond what a node of a trace may have.
  void count_all_gpus(JobsRun& run) const {
    for (std::size_t i = 0; i < inventory_.nodes().size(); ++i) {
      const auto& node = inventory_.nodes()[i];
      const auto more = static_cast<double>(inventory_.all_gpus()[i] - node.gpus);
      run.gpus += more;
      const auto model = std::ranges::find(run.models, node.model, &ModelUse::model);
      if (model != run.models.end()) model->gpus += more;
    }
  }

  void count_together(JobsRun& run, const PlayedPods& played) const {
    const auto config = played.policy ? *played.policy : policy::PolicyConfig();
    std::map<std::string, std::vector<NodeName>> gangs;
    for (const auto& pod : played.run->pods) {
      if (!pod.bound) continue;
      if (!pod.job.empty()) gangs[pod.job].push_back(pod.node);
      Placement placement;
      placement.node = pod.node;
      placement.claims.emplace_back().allocation.devices = pod.devices;
      const auto how = planner::together(inventory_.snapshot(), placement, config);
      if (how != planner::Together::alone) ++run.pods_of_several;
      if (how == planner::Together::together) ++run.pods_together;
    }
    for (const auto& [job, nodes] : gangs) {
      if (nodes.size() > 1) {
        count_gang(run.gangs, nodes, inventory_.snapshot(), config.topology);
      }
    }
  }

  const Inventory& inventory_;
  std::map<PodKey, std::size_t> jobs_;
  Workload workload_;
};

}  // namespace

Result<std::vector<PodsAsJobs>> as_jobs(const std::vector<KubeObject>& cluster,
                                        const std::vector<PlayedPods>& played,
                                        const std::string& gpus, Apart apart) {
  std::set<DeviceId> held;
  for (const auto& one : played) {
    for (const auto& pod : one.run->pods) {
      for (const auto& each : pod.devices) held.insert(each.device);
    }
  }
  const auto inventory = Inventory::of(cluster, gpus, held);
  if (!inventory) return std::unexpected(inventory.error());
  std::vector<PodsAsJobs> all;
  const auto count = apart == Apart::each ? 1 : std::max<std::size_t>(played.size(), 1);
  for (std::size_t first = 0; first < played.size(); first += count) {
    const std::vector<PlayedPods> some(played.begin() + static_cast<std::ptrdiff_t>(first),
                                       played.begin() + static_cast<std::ptrdiff_t>(first + count));
    const Conversion conversion(*inventory, some);
    auto setting = conversion.setting();
    if (!setting) return std::unexpected(std::move(setting.error()));
    auto& made = all.emplace_back(*std::move(setting), std::vector<JobsRun>());
    for (const auto& one : some) made.runs.push_back(conversion.convert(made.setting, one));
  }
  return all;
}

}  // namespace dray::simulate

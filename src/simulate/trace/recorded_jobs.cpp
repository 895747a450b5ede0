#include "simulate/trace/recorded_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "dray/cluster/node_facts.h"
#include "dray/engine/share_wish.h"
#include "dray/simulate/cluster.h"

namespace dray::simulate {
namespace {

/// What is left out, by the reason.
struct LeftOut {
  std::size_t without_gpus = 0;
  std::size_t parts = 0;
  std::size_t too_many = 0;
  std::size_t withdrawn = 0;

  void tell(std::vector<std::string>& warnings) const {
    const auto say = [&](std::size_t count, const char* what) {
      if (count > 0) warnings.push_back(fmt::format("left out: {} {}", count, what));
    };
    say(without_gpus, "pods that ask for no GPU");
    say(parts, "pods that ask for a part of a GPU by annotation");
    say(too_many, "pods that ask for more GPUs than a node may have here");
    say(withdrawn, "jobs that were gone before they started");
  }
};

std::vector<std::string> models_of(const Pod& pod) {
  const auto selected = pod.node_selector.find(model_label);
  if (selected != pod.node_selector.end()) return {selected->second};
  if (!pod.required_node_affinity || pod.required_node_affinity->terms.size() != 1) return {};
  for (const auto& rule : pod.required_node_affinity->terms.front().match_expressions) {
    if (rule.key == model_label && rule.op == "In") return rule.values;
  }
  return {};
}

PodAsk ask_of(const Pod& pod, std::int64_t gpus) {
  constexpr std::int64_t bytes = 1 << 20;
  const auto requests = cluster::requests_of(pod);
  return {requests.milli_cpu, (requests.memory + bytes - 1) / bytes,
          static_cast<std::int32_t>(gpus), whole_gpu, models_of(pod)};
}

/// Namespace, group or pod, and what each of its pods asks: a group of unequal pods is several.
using JobName = std::tuple<std::string, std::string, PodAsk>;
using Members = std::vector<const PodLife*>;

std::map<JobName, Members> members_of(const RecordedPods& pods, const GpusOf& gpus_of, Time first,
                                      LeftOut& left_out) {
  std::map<JobName, Members> jobs;
  for (const auto& [uid, life] : pods.lives()) {
    const auto& pod = *life.pod;
    if (is_of_node(pod) || (life.ended && *life.ended <= first)) continue;
    const auto gpus = gpus_of(life);
    if (!engine::asked_for_share_by(pod).empty()) {
      ++left_out.parts;
    } else if (gpus <= 0) {
      ++left_out.without_gpus;
    } else if (gpus > static_cast<std::int64_t>(most_gpus)) {
      ++left_out.too_many;
    } else {
      // A pod that is made again under its name is another job.
      const auto name = life.group ? life.group->name : pod.meta.name + "\n" + uid.get();
      jobs[{pod.meta.namespace_name, name, ask_of(pod, gpus)}].push_back(&life);
    }
  }
  return jobs;
}

/// How many of the pods were there at a time, at most.
std::size_t most_at_a_time(const Members& members, Time last) {
  std::vector<std::pair<Time, int>> changes;  // ends before beginnings
  for (const auto* life : members) {
    changes.emplace_back(life->submitted, 1);
    changes.emplace_back(life->ended.value_or(last + Duration(1)), -1);
  }
  std::ranges::sort(changes);
  int now = 0;
  int most = 1;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return static_cast<std::size_t>(most);
}

/// A group starts when as many of its pods have nodes as it needs, and ends with the last of them.
void add_job(const JobName& name, const Members& members, Time first, Time last, RecordedLoad& load,
             LeftOut& left_out) {
  const auto most = most_at_a_time(members, last);
  const auto& lead = *members.front();
  std::vector<Time> bound;
  TraceJob job;
  RecordedRun::Job became;
  auto submitted = lead.submitted;
  bool all_ended = true;
  for (const auto* life : members) {
    submitted = std::min(submitted, life->submitted);
    if (life->bound) bound.push_back(*life->bound);
    if (life->bound && life->pod->node_name) became.nodes.push_back(life->pod->node_name->get());
    all_ended = all_ended && life->ended;
  }
  if (lead.group && lead.group->waiting_since) {
    submitted = std::min(submitted, *lead.group->waiting_since);
  }
  const auto needed = std::clamp<std::size_t>(
      static_cast<std::size_t>(lead.group ? lead.group->minimum : 1), 1, most);
  std::ranges::sort(bound);
  const auto since = [first](Time time) { return std::max(time - first, Duration(0)); };
  job.submitted = since(submitted);
  if (bound.size() >= needed) became.started = since(bound[needed - 1]);
  if (all_ended || became.started) {
    Time end = all_ended ? first : last;
    if (all_ended) {
      for (const auto* life : members) end = std::max(end, *life->ended);
    }
    became.ended = since(end);
  }
  if (all_ended && !became.started) {
    ++left_out.withdrawn;
    return;
  }
  if (became.started) job.run_time = std::max(*became.ended - *became.started, Duration(0));
  const auto& [space, own, ask] = name;
  job.name = space + "/" + own.substr(0, own.find('\n'));
  job.queue = lead.queue;
  job.pods = static_cast<std::int32_t>(most);
  job.ask = ask;
  load.workload.jobs.push_back(std::move(job));
  load.run.jobs.push_back(std::move(became));
}

}  // namespace

void make_jobs(const RecordedPods& pods, const GpusOf& gpus_of, Time first, Time last,
               RecordedLoad& load, std::vector<std::string>& warnings) {
  LeftOut left_out;
  RecordedLoad made;
  for (const auto& [name, members] : members_of(pods, gpus_of, first, left_out)) {
    add_job(name, members, first, last, made, left_out);
  }
  left_out.tell(warnings);
  std::vector<std::size_t> order(made.workload.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return made.workload.jobs[i].submitted; });
  for (const auto i : order) {
    load.workload.jobs.push_back(std::move(made.workload.jobs[i]));
    load.run.jobs.push_back(std::move(made.run.jobs[i]));
  }
  load.run.length = last - first;
}

}  // namespace dray::simulate

#include "simulate/jobs/as_recorded.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulate/jobs/recorder.h"

namespace dray::simulate {
namespace {

/// At one time what ends makes room before others come.
enum class Step : std::uint8_t { end, arrive, start };

struct Happening {
  Duration at;
  Step step;
  std::size_t job;

  auto operator<=>(const Happening&) const = default;
};

std::vector<Happening> happenings(const Workload& workload, const RecordedRun& recorded) {
  std::vector<Happening> all;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const auto& became = recorded.jobs[i];
    const auto submitted = workload.jobs[i].submitted;
    all.push_back({submitted, Step::arrive, i});
    if (!became.started) continue;
    const auto started = std::max(*became.started, submitted);
    all.push_back({started, Step::start, i});
    // What ends in the moment in which it started comes after that.
    if (became.ended) all.push_back({std::max(*became.ended, started + Duration(1)), Step::end, i});
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

void run_as_recorded(const Setting& setting, const RecordedRun& recorded,
                     const JobsOptions& options, JobsRun& run) {
  Recorder recorder(setting, run, options);
  std::map<std::string, std::uint32_t> nodes;
  for (const auto& node : setting.nodes()) {
    nodes.emplace(node.name, static_cast<std::uint32_t>(nodes.size()));
  }
  const auto end = std::min(options.until.value_or(recorded.length), recorded.length);
  for (const auto& [at, step, job] : happenings(setting.workload(), recorded)) {
    if (at > end + Duration(1)) break;
    if (step == Step::arrive) recorder.arrived(job, at);
    if (step == Step::end) recorder.ended(job, at);
    if (step != Step::start) continue;
    std::vector<Place> places;
    for (const auto& name : recorded.jobs[job].nodes) {
      // Of the nodes that the cluster had at other times there is no picture.
      const auto node = nodes.find(name);
      if (node != nodes.end()) places.push_back({node->second, 0});
    }
    recorder.started(
        job, at,
        recorder.wants_places() ? std::span<const Place>(places) : std::span<const Place>());
  }
  recorder.finish(end);
}

}  // namespace dray::simulate

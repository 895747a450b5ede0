#include "app/policy/test_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "dray/base/suggest.h"

namespace dray::app {
namespace {

using simulate::Fate;
using simulate::Fates;
using simulate::PodFate;

TestOutcome outcome_of(Fate fate) {
  switch (fate) {
    case Fate::runs:
      return TestOutcome::runs;
    case Fate::starts:
      return TestOutcome::starts;
    case Fate::gets_room:
      return TestOutcome::starts_later;
    case Fate::waits:
      return TestOutcome::waits;
    case Fate::moves:
      return TestOutcome::moves;
    case Fate::evicted:
      return TestOutcome::evicted;
  }
  std::unreachable();
}

/// What became of one pod; nothing: the plan does not speak of it.
using Got = std::optional<PodFate>;

bool is_one(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// Where, in which queue and why are as expected.
bool is_as_expected(const PodFate& fate, const TestExpectation& want) {
  return outcome_of(fate.fate) == want.outcome && is_one(want.on, fate.node) &&
         (want.queue.empty() || (fate.job && fate.job->queue.get() == want.queue)) &&
         (want.reason.empty() || name(fate.reason) == want.reason) && fate.why.contains(want.says);
}

bool is_device(const std::string& id, const std::string& name) {
  return id == name || id.ends_with("/" + name);
}

/// Every device has its own name among the expected ones, and no name is left.
bool same_devices(std::vector<std::string> got, const std::vector<std::string>& want) {
  for (const auto& name : want) {
    const auto found =
        std::ranges::find_if(got, [&](const auto& id) { return is_device(id, name); });
    if (found == got.end()) return false;
    got.erase(found);
  }
  return got.empty();
}

std::vector<std::string> ids_of(const std::vector<DeviceId>& devices) {
  std::vector<std::string> all;
  all.reserve(devices.size());
  for (const auto& device : devices) all.push_back(device.to_string());
  return all;
}

/// Pods that fared alike, in one.
std::vector<TestGot> grouped(const std::vector<Got>& pods) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, TestGot> groups;
  for (const auto& pod : pods) {
    if (!pod) {
      auto& got = groups[{}];
      ++got.pods;
      got.outcome =
          "not dray's to place: another scheduler's, finished, or without devices, gang "
          "and counted queue";
      continue;
    }
    const auto outcome = std::string(word(outcome_of(pod->fate)));
    const auto queue = pod->job ? pod->job->queue.get() : std::string();
    const auto reason = pod->fate == Fate::waits && pod->reason != Reason::none
                            ? std::string(name(pod->reason))
                            : std::string();
    const bool says_why =
        pod->fate == Fate::waits || pod->fate == Fate::evicted || pod->fate == Fate::moves;
    const auto why = says_why ? pod->why : std::string();
    auto& got = groups[{outcome, queue, reason, why}];
    ++got.pods;
    got.outcome = outcome;
    got.queue = queue;
    got.reason = reason;
    got.why = why;
    if (pod->fate != Fate::waits && std::ranges::find(got.on, pod->node) == got.on.end()) {
      got.on.push_back(pod->node);
    }
    std::ranges::move(ids_of(pod->devices), std::back_inserter(got.devices));
  }
  std::vector<TestGot> all;
  for (auto& [key, got] : groups) {
    std::ranges::sort(got.on);
    std::ranges::sort(got.devices);
    all.push_back(std::move(got));
  }
  std::ranges::stable_sort(all, std::greater<>(), &TestGot::pods);
  return all;
}

std::string pods_text(std::size_t pods) {
  return fmt::format(" ({} {})", pods, pods == 1 ? "pod" : "pods");
}

/// The uids of the job's pods; a plan knows some jobs by names of its own.
std::set<Uid> pods_of(const std::string& job, const TestCluster& cluster, const Fates& fates) {
  const auto key = full_name(job);
  const auto named = cluster.pods.find(key);
  if (named != cluster.pods.end()) return named->second;
  std::set<Uid> pods;
  for (const auto& [uid, fate] : fates) {
    if (fate.job && fate.job->name == key) pods.insert(uid);
  }
  return pods;
}

/// The fate of each; pods that run and that no plan touches run on.
std::vector<Got> fates_of_pods(const std::set<Uid>& uids, const TestCluster& cluster,
                               const Fates& fates) {
  std::vector<Got> all;
  for (const auto& uid : uids) {
    const auto fate = fates.find(uid);
    if (fate != fates.end()) {
      all.emplace_back(fate->second);
      continue;
    }
    const auto object = std::ranges::find_if(cluster.objects, [&](const KubeObject& each) {
      const auto* pod = std::get_if<Pod>(&each);
      return pod != nullptr && pod->meta.uid == uid;
    });
    const auto* pod = object == cluster.objects.end() ? nullptr : std::get_if<Pod>(&*object);
    auto& got = all.emplace_back();
    if (pod == nullptr || !pod->node_name || pod->finished()) continue;
    got.emplace();
    got->fate = Fate::runs;
    got->node = pod->node_name->get();
  }
  return all;
}

std::string unknown_job(const std::string& job, const TestCluster& cluster) {
  std::vector<std::string> known;
  known.reserve(cluster.pods.size());
  for (const auto& [name, pods] : cluster.pods) known.push_back(name);
  return "no such job" + suggest_near(full_name(job), known);
}

}  // namespace

std::string TestGot::to_string() const {
  auto text = outcome;
  if (!on.empty()) text += fmt::format(" on {}", fmt::join(on, ", "));
  if (!reason.empty()) text += ", " + reason;
  if (!queue.empty()) text += " in queue " + queue;
  if (pods > 0) text += pods_text(pods);
  if (!why.empty()) text += ": " + why;
  return text;
}

std::string expectation_text(const TestExpectation& want) {
  auto text = std::string(word(want.outcome));
  if (!want.on.empty()) text += fmt::format(" on {}", fmt::join(want.on, ", "));
  if (!want.reason.empty()) text += ", " + want.reason;
  if (!want.queue.empty()) text += " in queue " + want.queue;
  if (!want.devices.empty()) text += fmt::format(" with {}", fmt::join(want.devices, ", "));
  if (want.pods) text += pods_text(static_cast<std::size_t>(*want.pods));
  if (!want.says.empty()) text += fmt::format(": …{}…", want.says);
  return text;
}

TestCheck check_expectation(const TestExpectation& want, const TestCluster& cluster,
                            const Fates& fates) {
  TestCheck check{.job = want.job, .expected = expectation_text(want), .got = {}};
  const auto uids = pods_of(want.job, cluster, fates);
  if (uids.empty()) {
    check.got.emplace_back().outcome = unknown_job(want.job, cluster);
    return check;
  }
  const auto pods = fates_of_pods(uids, cluster, fates);
  std::vector<std::string> devices;
  std::size_t met = 0;
  for (const auto& pod : pods) {
    if (!pod || !is_as_expected(*pod, want)) continue;
    ++met;
    std::ranges::move(ids_of(pod->devices), std::back_inserter(devices));
  }
  check.passed = met == (want.pods ? static_cast<std::size_t>(*want.pods) : pods.size()) &&
                 (want.devices.empty() || same_devices(std::move(devices), want.devices));
  check.got = grouped(pods);
  if (want.devices.empty()) {
    for (auto& got : check.got) got.devices.clear();
  }
  return check;
}

}  // namespace dray::app

#include "app/doctor/runtime_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "dray/policy/cluster_check.h"
#include "wire/policy/policy_codec.h"

namespace dray::app {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// What a Date header's whole seconds and the way of an answer do not explain.
constexpr auto clock_tolerance = seconds(3);

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string seconds_of(Duration duration) {
  return fmt::format("{} s", duration_cast<seconds>(duration).count());
}

void check_leader(const std::vector<Lease>& leases, Time now, const Installation& where,
                  Findings& findings) {
  const auto ours = std::ranges::find_if(leases, [&](const Lease& lease) {
    return lease.meta.namespace_name == where.namespace_name && lease.meta.name == where.lease;
  });
  std::string what;
  if (ours == leases.end()) {
    what = "there is no such Lease";
  } else if (ours->holder.empty()) {
    what = "nobody holds it";
  } else if (!is_held(*ours, now)) {
    what = fmt::format("{} renewed it {} ago, and it lasts {} s", ours->holder,
                       ours->renewed ? seconds_of(now - *ours->renewed) : "never",
                       ours->duration_seconds);
  }
  if (what.empty()) return;
  findings.push_back({Fault::leader_missing, where.describe("Lease", where.lease), std::move(what),
                      fmt::format("see why no dray runs: kubectl -n {} get pods, and its log",
                                  where.namespace_name)});
}

/// The values of a flag among a container's words: `--kube-api-qps=50`.
std::optional<std::string> flag_of(const Tree& container, std::string_view flag) {
  for (const auto key : {"command", "args"}) {
    const auto& words = items_at(container, {key});
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i].text;
      if (word == flag && i + 1 < words.size()) return words[i + 1].text;
      if (word.starts_with(flag) && word.substr(flag.size()).starts_with('=')) {
        return std::string(word.substr(flag.size() + 1));
      }
    }
  }
  return std::nullopt;
}

void check_manager(const Tree& container, const std::string& object, Findings& findings) {
  constexpr int enough = 100;
  const auto said = flag_of(container, "--kube-api-qps");
  const auto qps = whole_number(said.value_or("20"));
  if (qps && *qps < enough) {
    findings.push_back({Fault::controller_slow, object,
                        said ? fmt::format("--kube-api-qps is {}", *said)
                             : "--kube-api-qps is not set: 20 requests a second",
                        "set --kube-api-qps=500 --kube-api-burst=500"});
  }
  const auto controllers = flag_of(container, "--controllers").value_or("*");
  const auto names = "," + controllers + ",";
  const bool off = names.contains(",-resourceclaim-controller,") ||
                   (!names.contains(",*,") && !names.contains(",resourceclaim-controller,"));
  if (off) {
    findings.push_back({Fault::controller_off, object, "--controllers is " + controllers,
                        "let --controllers name resourceclaim-controller"});
  }
}

}  // namespace

std::optional<Time> parse_http_date(std::string_view text) {
  constexpr auto months = std::to_array<std::string_view>(
      {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
  // Sun, 06 Nov 1994 08:49:37 GMT
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::ranges::find(months, text.substr(8, 3));
  const auto day = whole_number(text.substr(5, 2));
  const auto year = whole_number(text.substr(12, 4));
  const auto hour = whole_number(text.substr(17, 2));
  const auto minute = whole_number(text.substr(20, 2));
  const auto second = whole_number(text.substr(23, 2));
  if (month == months.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(*year),
      std::chrono::month(static_cast<unsigned>(month - months.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return Time(std::chrono::sys_days(date) + std::chrono::hours(*hour) +
              std::chrono::minutes(*minute) + seconds(*second));
}

bool is_held(const Lease& lease, Time now) {
  return !lease.holder.empty() && lease.renewed &&
         *lease.renewed + seconds(lease.duration_seconds) > now;
}

Findings check_leases(const std::vector<Lease>& leases, const Clocks& clocks,
                      const Installation& where) {
  Findings findings;
  const auto now = clocks.api_server.value_or(clocks.here);
  check_leader(leases, now, where, findings);
  for (const auto& lease : leases) {
    if (!lease.renewed || *lease.renewed - now <= clock_tolerance) continue;
    findings.push_back({Fault::clock_of_holder,
                        fmt::format("Lease {}/{}", lease.meta.namespace_name, lease.meta.name),
                        fmt::format("{} renewed it {} ahead of the API server's clock",
                                    lease.holder, seconds_of(*lease.renewed - now)),
                        fmt::format("set the clock of {} by NTP", lease.holder)});
  }
  if (!clocks.api_server) return findings;
  const auto ahead = clocks.here - *clocks.api_server;
  if (std::chrono::abs(ahead) > clock_tolerance) {
    findings.push_back(
        {Fault::clock_here, "this machine",
         fmt::format("its clock is {} {} the API server's", seconds_of(std::chrono::abs(ahead)),
                     ahead.count() > 0 ? "ahead of" : "behind"),
         "set the clock here, or the API server's, by NTP"});
  }
  return findings;
}

std::optional<int> minor_of(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with("1.")) return std::nullopt;
  version.remove_prefix(2);
  return whole_number(version.substr(0, version.find_first_not_of("0123456789")));
}

Findings check_versions(const Versions& versions, const Installation& where) {
  Findings findings;
  const auto server = minor_of(versions.api_server);
  if (server && *server < 36) {
    findings.push_back({Fault::api_server_old, "kube-apiserver",
                        "its version is " + versions.api_server,
                        "upgrade the control plane to Kubernetes 1.36 or later"});
  }
  const auto scheduler = minor_of(versions.scheduler);
  if (server && scheduler && (*scheduler > *server || *scheduler < *server - 1)) {
    findings.push_back({Fault::scheduler_version, where.describe("Deployment", "dray-scheduler"),
                        fmt::format("its image is {}, the API server is {}", versions.scheduler,
                                    versions.api_server),
                        fmt::format("use the image kube-scheduler:{}", versions.api_server)});
  }
  for (const auto& [version, nodes] : versions.kubelets) {
    const auto minor = minor_of(version);
    if (!minor || *minor >= 34) continue;
    findings.push_back(
        {Fault::kubelet_old, "kubelet " + version,
         fmt::format("{} nodes, {} among them", nodes.size(), nodes.front()),
         "upgrade these nodes to Kubernetes 1.34 or later, or keep pods with claims off them"});
  }
  return findings;
}

Findings check_gates(const alloc::FeatureGates& cluster, const alloc::Features& ours) {
  Findings findings;
  for (const auto& difference : alloc::gate_differences(cluster, ours)) {
    findings.push_back(
        {Fault::gate_differs, difference.gate, difference.to_string(),
         difference.known
             ? fmt::format("start dray serve, and this command, with "
                           "--feature-gates {}={}",
                           difference.gate, difference.on_in_cluster)
             : fmt::format("turn {} off in the cluster, or take a newer dray", difference.gate)});
  }
  return findings;
}

Findings check_controller_managers(const std::vector<Tree>& pods) {
  Findings findings;
  for (const auto& pod : pods) {
    const auto object = fmt::format("Pod {}/{}", text_at(pod, {"metadata", "namespace"}),
                                    text_at(pod, {"metadata", "name"}));
    const auto& containers = items_at(pod, {"spec", "containers"});
    if (!containers.empty()) check_manager(containers.front(), object, findings);
  }
  return findings;
}

Findings check_policy_file(std::string_view yaml, const std::string& object) {
  Findings findings;
  for (const auto& problem : wire::read_policy(yaml).problems) {
    if (problem.severity != policy::ConfigProblem::Severity::error) continue;
    findings.push_back({Fault::policy_file, object, problem.to_string(),
                        "mend the line in the policy file and apply it again"});
  }
  return findings;
}

Findings check_policy_of_cluster(std::string_view yaml, const std::string& object,
                                 const cluster::Snapshot& cluster) {
  Findings findings;
  const auto read = wire::read_policy(yaml);
  // Without queues nobody has a quota or a limit: the policy that is installed names the classes of
  // several vendors.
  if (!read.config || read.config->queues.empty()) return findings;
  for (const auto& problem : wire::in_file(yaml, policy::check_against(*read.config, cluster))) {
    findings.push_back({Fault::policy_cluster, object, problem.to_string(),
                        "correct the line in the policy file, or create what it names"});
  }
  return findings;
}

}  // namespace dray::app

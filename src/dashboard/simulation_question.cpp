#include "dashboard/simulation_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "dray/base/suggest.h"
#include "wire/json/json_reader.h"
#include "wire/object/manifests.h"
#include "wire/policy/policy_codec.h"
#include "wire/yaml/duration.h"

namespace dray::dashboard {
namespace {

using wire::Reader;

/// The fields of a request as they were written.
struct Written {
  std::string workload;  ///< JSON: a text of manifests, or an object
  struct Policy {
    std::string name;
    std::string policy;  ///< JSON: a text, an object, or `none`
  };
  std::vector<Policy> policies;
  std::string until;
  std::string apart;
  std::string run_time;
  std::string plan_pause;
  std::string output;
  std::int64_t seed = 42;
  bool backlog = false;
};

void refuse_key(const Reader& member, const std::vector<std::string>& known) {
  member.fail("there is no such field" + suggest(member.key(), known));
}

void read_policy_member(const Reader& member, Written::Policy& policy) {
  if (member.key() == "name") return wire::read(member, policy.name);
  if (member.key() != "policy") return refuse_key(member, {"name", "policy"});
  policy.policy = member.raw();
}

void read_policies(const Reader& list, Written& out) {
  list.items([&](const Reader& item) {
    auto& policy = out.policies.emplace_back();
    item.members([&](const Reader& member) { read_policy_member(member, policy); });
  });
}

void read_member(const Reader& member, Written& out) {
  const auto& key = member.key();
  if (key == "workload") {
    out.workload = member.raw();
  } else if (key == "policies") {
    read_policies(member, out);
  } else if (key == "until") {
    wire::read(member, out.until);
  } else if (key == "apart") {
    wire::read(member, out.apart);
  } else if (key == "runTime") {
    wire::read(member, out.run_time);
  } else if (key == "planPause") {
    wire::read(member, out.plan_pause);
  } else if (key == "output") {
    wire::read(member, out.output);
  } else if (key == "seed") {
    wire::read(member, out.seed);
  } else if (key == "backlog") {
    wire::read(member, out.backlog);
  } else {
    refuse_key(member, {"workload", "policies", "until", "apart", "runTime", "planPause", "output",
                        "seed", "backlog"});
  }
}

Result<Written> read_body(std::string_view body) {
  Written written;
  wire::Document document(body);
  document.visit([&](const Reader& root) {
    root.members([&](const Reader& member) { read_member(member, written); });
  });
  if (!document.problem()) return written;
  return std::unexpected(document.problem()->to_error());
}

/// A text, or an object as it stands.
std::string text_in(const std::string& json) {
  if (!json.starts_with('"')) return json;
  std::string text;
  const auto list = "[" + json + "]";
  wire::Document document(list);
  document.visit(
      [&](const Reader& root) { root.items([&](const Reader& item) { text = item.string(); }); });
  return text;
}

Result<std::optional<Duration>> read_time(std::string_view field, const std::string& text,
                                          Duration least, Duration most) {
  if (text.empty()) return std::nullopt;
  const auto time = wire::parse_duration(text);
  if (!time) {
    return fail(ErrorCode::invalid,
                fmt::format("{}: expected a time, as 90s, 5m or 7d, not {}", field, text));
  }
  if (*time >= least && *time <= most) return time;
  return fail(ErrorCode::invalid,
              fmt::format("{}: {} is not between {} and {}", field, text,
                          wire::format_duration(least), wire::format_duration(most)));
}

Result<TriedPolicy> read_tried(const Written::Policy& written, std::size_t place) {
  TriedPolicy tried;
  if (!written.name.empty()) tried.name = written.name;
  if (written.policy.empty()) return tried;
  if (written.policy == "\"none\"") {
    if (written.name.empty()) tried.name = "none";
    tried.which = TriedPolicy::Which::none;
    return tried;
  }
  if (written.name.empty()) tried.name = fmt::format("policy {}", place + 1);
  auto config = wire::decode_policy(text_in(written.policy));
  if (!config) {
    return std::unexpected(
        std::move(config.error()).within(fmt::format("policies[{}].policy", place)));
  }
  tried.which = TriedPolicy::Which::given;
  tried.config = std::make_shared<const policy::PolicyConfig>(*std::move(config));
  return tried;
}

Result<void> read_all_tried(const Written& written, const SimulationLimits& limits,
                            SimulationQuestion& question) {
  if (written.policies.size() > limits.policies) {
    return fail(ErrorCode::invalid, fmt::format("policies: {} are more than {}",
                                                written.policies.size(), limits.policies));
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < written.policies.size(); ++i) {
    auto tried = read_tried(written.policies[i], i);
    if (!tried) return std::unexpected(std::move(tried.error()));
    if (!names.insert(tried->name).second) {
      return fail(ErrorCode::invalid,
                  fmt::format("policies[{}].name: another has the name {}", i, tried->name));
    }
    question.policies.push_back(*std::move(tried));
  }
  if (question.policies.empty()) question.policies.emplace_back();
  return {};
}

Result<void> read_workload(const Written& written, std::optional<Duration> apart,
                           const SimulationLimits& limits, SimulationQuestion& question) {
  if (written.workload.empty()) return {};
  auto manifests = wire::load_manifests(text_in(written.workload), "workload", wire::Owners::read);
  if (!manifests) return std::unexpected(std::move(manifests.error()));
  if (!manifests->strangers.empty()) return fail(ErrorCode::invalid, manifests->strangers.front());
  if (manifests->objects.size() > limits.objects) {
    return fail(ErrorCode::invalid, fmt::format("workload: {} objects are more than {}",
                                                manifests->objects.size(), limits.objects));
  }
  for (const auto& each : manifests->unknown) {
    question.ignored.push_back(
        fmt::format("workload:{}: {} {} is not read", each.line, each.value.kind, each.value.name));
  }
  std::vector<KubeObject> objects;
  for (auto& each : manifests->objects) objects.push_back(std::move(each.value));
  auto left_out =
      sim::add_owned_pods(objects, manifests->owners, {.most = limits.objects, .later = true});
  if (!left_out) return std::unexpected(std::move(left_out.error()));
  std::ranges::move(*left_out, std::back_inserter(question.ignored));
  question.workload = simulate::pods_of(objects, apart);
  if (question.workload->pods.empty()) {
    const auto read = question.ignored.empty() ? "" : " (" + question.ignored.front() + ")";
    return fail(ErrorCode::invalid, "workload: no pod in it" + read);
  }
  const auto last = question.workload->pods.back().at;
  if (last <= question.until.value_or(limits.virtual_time)) return {};
  return fail(ErrorCode::invalid,
              fmt::format("workload: its last pod comes after {}, when the run has ended: give "
                          "apart, or another until",
                          wire::format_duration(last)));
}

Result<SimulationQuestion::Form> read_form(const std::string& output) {
  using Form = SimulationQuestion::Form;
  if (output.empty() || output == "json") return Form::json;
  if (output == "table") return Form::table;
  if (output == "csv") return Form::csv;
  if (output == "prometheus") return Form::prometheus;
  const std::array<std::string, 4> known{"json", "table", "csv", "prometheus"};
  return fail(ErrorCode::invalid, "output: there is no form " + output + suggest(output, known));
}

}  // namespace

Result<SimulationQuestion> read_question(std::string_view body, const SimulationLimits& limits) {
  const auto written = read_body(body);
  if (!written) return std::unexpected(written.error());
  const auto least = std::chrono::seconds(1);
  SimulationQuestion question;
  const auto form = read_form(written->output);
  if (!form) return std::unexpected(form.error());
  const auto until = read_time("until", written->until, least, limits.virtual_time);
  if (!until) return std::unexpected(until.error());
  const auto apart = read_time("apart", written->apart, Duration(0), limits.virtual_time);
  if (!apart) return std::unexpected(apart.error());
  const auto run_time =
      read_time("runTime", written->run_time, least, std::chrono::hours(24 * 366));
  if (!run_time) return std::unexpected(run_time.error());
  const auto pause = read_time("planPause", written->plan_pause, Duration(0), limits.virtual_time);
  if (!pause) return std::unexpected(pause.error());
  question.form = *form;
  question.until = *until;
  question.run_time = *run_time;
  question.plan_pause = *pause;
  question.backlog = written->backlog;
  question.seed = static_cast<std::uint64_t>(written->seed);
  if (auto read = read_all_tried(*written, limits, question); !read) {
    return std::unexpected(std::move(read.error()));
  }
  if (auto read = read_workload(*written, *apart, limits, question); !read) {
    return std::unexpected(std::move(read.error()));
  }
  if (question.workload || !written->policies.empty()) return question;
  return fail(ErrorCode::invalid, "neither a workload nor policies in it");
}

}  // namespace dray::dashboard

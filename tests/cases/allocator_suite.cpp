#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "alloc/request/capacity.h"
#include "alloc/view/tolerations.h"
#include "dray/alloc/allocator.h"
#include "dray/cluster/allocated_state.h"
#include "dray/cluster/state.h"
#include "tests/cases/runner.h"
#include "wire/object/codecs.h"
#include "wire/object/object_codec.h"

// The structured allocator's cases: answers of Kubernetes' own implementation, compared exactly.
namespace dray::cases {
namespace {

constexpr const char* any_share_id = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

template <class T>
T decode(Json json, const char* version, const char* kind) {
  json["apiVersion"] = version;
  json["kind"] = kind;
  auto object = wire::decode_object(json.dump());
  if (!object) throw std::runtime_error(object.error().message);
  return std::get<T>(std::get<KubeObject>(std::move(*object)));
}

template <class T>
T decode_resource(const Json& json, const char* kind) {
  return decode<T>(json, "resource.k8s.io/v1", kind);
}

Json list(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at == from.end() || at->is_null() ? Json::array() : *at;
}

/// Two slices of one name cannot be in a cluster, but are in the table: the later ones get a name
/// that sorts right behind.
void tell_apart(std::vector<ResourceSlice>& slices) {
  std::set<std::string> names;
  for (auto& slice : slices) {
    while (!names.insert(slice.meta.name).second) slice.meta.name += '\x01';
  }
}

void apply_defaults(DeviceRequestSpec& spec) {
  if (spec.allocation_mode.empty()) spec.allocation_mode = "ExactCount";
  if (spec.allocation_mode == "ExactCount" && spec.count == 0) spec.count = 1;
}

/// A case's cluster and question.
struct Question {
  cluster::ClusterState cluster;
  std::vector<NodeName> nodes;
  std::vector<ResourceClaim> claims;
  alloc::AllocatorOptions options;
  Json allocated;
};

alloc::Features read_features(const Json& json) {
  if (json.contains("featurePreset")) {
    return alloc::Features::preset(json["featurePreset"].get<std::string>()).value();
  }
  auto features = alloc::Features::preset("none").value();
  const auto switches = json.value("features", Json::object());
  for (const auto& [name, on] : switches.items()) {
    if (!features.set(name, on.get<bool>())) throw std::runtime_error("no feature " + name);
  }
  return features;
}

void read_nodes(const Json& json, Question& question) {
  auto nodes = list(json, "nodes");
  if (json.contains("node") && !json["node"].is_null()) nodes.push_back(json["node"]);
  for (const auto& node : nodes) {
    auto made = decode<Node>(node, "v1", "Node");
    question.nodes.emplace_back(made.meta.name);
    question.cluster.apply(cluster::ObjectChanged{std::move(made)});
  }
}

Question read_question(const Json& json, alloc::Compatibility compatibility) {
  Question question;
  question.options.features = read_features(json);
  question.options.compatibility = compatibility;
  // What is right is asked here, not how soon: upstream searches for seconds.
  question.options.step_budget = 20'000'000;
  question.options.next_share_id = [] { return std::string(any_share_id); };
  read_nodes(json, question);
  auto& cluster = question.cluster;
  const auto apply = [&](auto object) { cluster.apply(cluster::ObjectChanged{std::move(object)}); };
  for (const auto& each : list(json, "classes")) {
    apply(decode_resource<DeviceClass>(each, "DeviceClass"));
  }
  std::vector<ResourceSlice> slices;
  for (const auto& each : list(json, "slices")) {
    slices.push_back(decode_resource<ResourceSlice>(each, "ResourceSlice"));
  }
  tell_apart(slices);
  for (auto& slice : slices) apply(std::move(slice));
  for (const auto& each : list(json, "deviceTaintRules")) {
    apply(decode_resource<DeviceTaintRule>(each, "DeviceTaintRule"));
  }
  for (const auto& each : list(json, "allocatedClaims")) {
    apply(decode_resource<ResourceClaim>(each, "ResourceClaim"));
  }
  for (const auto& each : list(json, "claims")) {
    auto claim = decode_resource<ResourceClaim>(each, "ResourceClaim");
    if (json.value("applyDefaults", false)) {
      for (auto& request : claim.spec.requests) {
        if (request.exactly) apply_defaults(*request.exactly);
        for (auto& sub : request.first_available) apply_defaults(sub);
      }
    }
    question.claims.push_back(std::move(claim));
  }
  question.allocated = json.value("allocatedState", Json::object());
  return question;
}

DeviceId read_device(const Json& json) {
  return {DriverName(json.at("driver").get<std::string>()),
          PoolName(json.at("pool").get<std::string>()),
          DeviceName(json.at("device").get<std::string>())};
}

void mark_allocated(const Json& allocated, cluster::AllocatedState& state) {
  for (const auto& each : list(allocated, "devices")) {
    cluster::DeviceUse use;
    use.dedicated = 1;
    state.take(read_device(each), use);
  }
  for (const auto& each : list(allocated, "sharedDeviceIDs")) {
    cluster::DeviceUse use;
    use.shares = 1;
    state.take(read_device(each), use);
  }
  for (const auto& each : list(allocated, "aggregatedCapacity")) {
    cluster::DeviceUse use;
    use.has_consumed = true;
    for (const auto& [name, amount] : each.at("capacity").items()) {
      const auto& text = amount.is_object() ? amount.at("value") : amount;
      use.consumed.emplace(name, Quantity::parse(text.get<std::string>()).value());
    }
    state.take(read_device(each), use);
  }
}

/// As the wire has it, but that amounts which upstream's text spoils (10^21 prints as 1) are exact.
Json encode(const AllocationResult& result) {
  wire::JsonWriter out;
  write(out, result);
  auto json = Json::parse(std::move(out).take());
  for (std::size_t i = 0; i < result.devices.size(); ++i) {
    for (const auto& [name, amount] : result.devices[i].consumed_capacity) {
      if (Quantity::parse(amount.to_string()) == amount) continue;
      json["devices"]["results"][i]["consumedCapacity"][name] = amount.to_decimal();
    }
  }
  return json;
}

/// Upstream's lister in the recordings says it in its own way.
std::string recorded_text(std::string text) {
  const auto at = text.find(": deviceclass.resource.k8s.io \"");
  const auto start = text.find("could not retrieve device class ");
  if (at == std::string::npos || start == std::string::npos || at < start) return text;
  return text.substr(0, at) + ":  \"not found\" not found";
}

struct Answer {
  Json results;  ///< null: does not fit
  std::string error;
  std::string kind;

  [[nodiscard]] std::string text() const {
    return error.empty() ? results.dump() : kind + ": " + error;
  }
};

/// Empty lists and objects are as good as absent ones.
void tidy(Json& json) {
  if (!json.is_structured()) return;
  for (auto at = json.begin(); at != json.end();) {
    tidy(*at);
    const bool empty = at->is_null() || (at->is_structured() && at->empty());
    at = json.is_object() && empty ? json.erase(at) : std::next(at);
  }
}

Answer ask(Question& question, const NodeName& node) {
  cluster::AllocatedState state(question.cluster.snapshot());
  mark_allocated(question.allocated, state);
  alloc::Allocator allocator(question.options);
  std::vector<const ResourceClaim*> claims;
  for (const auto& claim : question.claims) claims.push_back(&claim);
  const auto outcome = allocator.allocate(state, *state.snapshot().node(node), claims);
  if (!outcome) return {Json(), recorded_text(outcome.error().message), "fatal"};
  if (const auto* refusal = std::get_if<alloc::Unsatisfied>(&*outcome)) {
    if (refusal->reason == Reason::pool_invalid) return {Json(), refusal->detail, "node"};
    if (refusal->reason == Reason::search_budget) return {Json(), refusal->detail, "budget"};
    return {};
  }
  Answer answer{.results = Json::array(), .error = {}, .kind = {}};
  for (const auto& result : std::get<alloc::Allocation>(*outcome).results) {
    answer.results.push_back(encode(result));
  }
  return answer;
}

Answer recorded(const Json& json) {
  Answer answer;
  if (json.contains("results")) answer.results = json["results"];
  answer.error = json.value("error", "");
  answer.kind = json.value("errorKind", "");
  return answer;
}

bool same(Answer got, Answer want) {
  if (!got.error.empty() || !want.error.empty()) {
    return got.error == want.error && got.kind == want.kind;
  }
  if (got.results.is_null() != want.results.is_null()) return false;
  for (auto* answer : {&got, &want}) {
    for (auto& result : answer->results) tidy(result);
  }
  return got.results == want.results;
}

/// The implementation that dray is like: incubating, experimental where only that has the features.
std::optional<Json> upstream_answer(const Json& upstream) {
  for (const char* implementation : {"incubating", "experimental"}) {
    if (upstream.contains(implementation) && !upstream[implementation].is_null()) {
      return upstream[implementation];
    }
  }
  return std::nullopt;
}

void run_recorded(const Case& one, Report& report) {
  const bool later = one.file.filename().string().find("0.37.2") != std::string::npos;
  auto question = read_question(
      one.json, later ? alloc::Compatibility::v0_37_2 : alloc::Compatibility::v0_37_0);
  Json answers = Json::array();
  if (one.json.contains("oracle")) {
    answers = one.json["oracle"]["nodes"];
  } else if (one.json.contains("upstream")) {
    const auto answer = upstream_answer(one.json["upstream"]);
    if (!answer) return report.skip("only the stable implementation answered");
    answers.push_back(*answer);
  } else {
    return report.skip("no recorded answer");
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto node = answers[i].contains("node") ? NodeName(answers[i]["node"].get<std::string>())
                                                  : question.nodes.front();
    const auto got = ask(question, node);
    const auto want = recorded(answers[i]);
    if (!same(got, want)) return report.fail(one.id(), got.text(), want.text());
  }
  report.pass();
}

// ---- single rules

std::optional<Quantity> read_quantity(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Quantity::parse(json.get<std::string>()).value();
}

CapacityRange read_range(const Json& json) {
  return {.min = read_quantity(json.value("min", Json())).value_or(Quantity()),
          .max = read_quantity(json.value("max", Json())),
          .step = read_quantity(json.value("step", Json()))};
}

CapacityRequestPolicy read_policy(const Json& json) {
  CapacityRequestPolicy policy;
  policy.default_value = read_quantity(json.value("default", Json()));
  for (const auto& each : list(json, "validValues")) {
    policy.valid_values.push_back(*read_quantity(each));
  }
  if (json.contains("validRange") && !json["validRange"].is_null()) {
    policy.valid_range = read_range(json["validRange"]);
  }
  return policy;
}

std::string answer_rule(const Json& json) {
  const bool fractional = json.value("fractionalCapacityRange", false);
  const auto rule = json.at("fn").get<std::string>();
  if (rule == "useMilli") {
    return alloc::counts_in_milli(read_range(json.at("validRange")), fractional) ? "true" : "false";
  }
  const auto policy = read_policy(json.at("requestPolicy"));
  const auto asked = read_quantity(json.at("requested"));
  if (rule == "violatesPolicy") {
    return alloc::violates_policy(*asked, policy, fractional) ? "true" : "false";
  }
  DeviceCapacity capacity;
  capacity.value = *read_quantity(json.at("capacityValue"));
  capacity.request_policy = policy;
  const auto consumed = alloc::consumed_capacity(asked ? &*asked : nullptr, capacity, fractional);
  return consumed ? consumed->to_string() : "error";
}

void run_allocator_rule(const Case& one, Report& report) {
  std::string got;
  std::string want;
  if (one.json.contains("fn")) {
    got = answer_rule(one.json);
    const auto& expect = one.json.at("expect");
    want = one.json.value("expectError", false) ? "error"
           : expect.is_boolean()                ? (expect.get<bool>() ? "true" : "false")
                                                : expect.get<std::string>();
  } else {
    const auto& t = one.json.at("toleration");
    const auto& taint = one.json.at("taint");
    const DeviceToleration toleration{.key = t.value("key", ""),
                                      .op = t.value("operator", ""),
                                      .value = t.value("value", ""),
                                      .effect = t.value("effect", ""),
                                      .toleration_seconds = {}};
    const DeviceTaint held{.key = taint.value("key", ""),
                           .value = taint.value("value", ""),
                           .effect = taint.value("effect", ""),
                           .time_added = {}};
    got = alloc::tolerates(toleration, held) ? "true" : "false";
    want = one.json.at("expect").get<bool>() ? "true" : "false";
  }
  got == want ? report.pass() : report.fail(one.id(), got, want);
}

void run_case(const Case& one, Report& report) {
  try {
    const bool rule = one.json.contains("fn") || one.json.contains("toleration");
    rule ? run_allocator_rule(one, report) : run_recorded(one, report);
  } catch (const std::exception& error) {
    report.fail(one.id(), error.what(), "a case that can be read");
  }
}

const Register allocator_registered("allocator", Suite(run_case));

}  // namespace
}  // namespace dray::cases

#include <fmt/format.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dray/engine/engine.h"
#include "dray/model/pod_marks.h"
#include "tests/cases/policy_case.h"
#include "tests/objects/meta.h"
#include "wire/object/object_codec.h"
#include "wire/policy/policy_codec.h"

// What an engine shows to a cluster autoscaler: `policy`, `objects` ({apiVersion, kind, object}),
// `jobs` (pod to job) and what is wanted of each job: `exposed: GROUP,GROUP`, `placed`, `waits`.

namespace dray::cases {
namespace {

KubeObject read_case_object(const Json& json) {
  auto text = json.at("object");
  text["apiVersion"] = json.at("apiVersion");
  text["kind"] = json.at("kind");
  auto decoded = wire::decode_object(text.dump());
  if (!decoded) throw std::runtime_error(decoded.error().message);
  auto* object = std::get_if<KubeObject>(&*decoded);
  if (object == nullptr) throw std::runtime_error("unknown kind " + json.at("kind").dump());
  return std::move(*object);
}

/// An engine alone with the cluster: what it writes is done at once.
class Shown {
 public:
  explicit Shown(const Json& json) : engine_(options()), jobs_(json.at("jobs")) {
    const auto policy = wire::decode_policy(json.at("policy").dump());
    if (!policy) throw std::runtime_error(policy.error().message);
    apply(engine::PolicyChanged{std::make_shared<const policy::PolicyConfig>(*policy)});
    for (const auto& object : json.at("objects")) {
      apply(cluster::ObjectChanged{read_case_object(object)});
    }
    for (const auto& [pod, job] : jobs_.items()) became_[job.get<std::string>()] = "waits";
    apply(engine::Synced{});
    apply(engine::LeadershipChanged{true, 1});
  }

  [[nodiscard]] const std::map<std::string, std::string>& became() const { return became_; }

 private:
  static engine::Options options() {
    engine::Options options;
    options.plan_inline = true;
    return options;
  }

  void apply(const engine::Event& event) { take(engine_.apply(event, testing::start)); }

  void take(const engine::Effects& effects) {
    std::vector<engine::WriteId> done;
    for (const auto& effect : effects) {
      const auto* send = std::get_if<engine::SendWrite>(&effect);
      if (send == nullptr) continue;
      if (const auto* lift = std::get_if<engine::LiftGate>(&send->write)) note(*lift);
      done.push_back(send->id);
    }
    for (const auto id : done) apply(engine::WriteDone{id, engine::WrittenObject{}});
  }

  void note(const engine::LiftGate& lift) {
    const auto group = lift.annotations.find(node_group_annotation);
    became_[jobs_.at(lift.pod.name).get<std::string>()] =
        group == lift.annotations.end() ? "placed" : "exposed: " + group->second;
  }

  engine::Engine engine_;
  Json jobs_;
  std::map<std::string, std::string> became_;
};

const Register autoscaler("autoscaler", [](const Case& one, Report& report) {
  report_case(one, report, [](const Json& json) -> Verdict {
    const Json got = Shown(json).became();
    const auto& want = json.at("want");
    if (got == want) return {};
    return {got.dump(), want.dump()};
  });
});

}  // namespace
}  // namespace dray::cases

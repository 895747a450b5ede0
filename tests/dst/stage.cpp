#include "tests/dst/stage.h"

#include <algorithm>
#include <utility>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/pods.h"

namespace dray::dst {

using namespace testing;
using std::chrono::milliseconds;

void Stage::after(Duration delay, std::function<void()> action) {
  loop_.at(loop_.now() + delay, std::move(action));
}

void Stage::look(Duration most, std::function<bool()> look) {
  if (most <= Duration{} || look()) return;
  after(milliseconds(1),
        [this, most, look = std::move(look)] { this->look(most - milliseconds(1), look); });
}

void Stage::watch(std::function<bool(const sim::WatchEvent&)> sign) {
  signs_.push_back(std::move(sign));
}

void Stage::committed(const sim::WatchEvent& event) {
  if (event.object == nullptr) return;
  // One that has seen enough may have made commits of its own.
  auto signs = std::exchange(signs_, {});
  std::erase_if(signs, [&](const auto& sign) { return sign(event); });
  std::ranges::move(signs, std::back_inserter(signs_));
}

std::string Stage::fresh(const std::string& what) {
  return what + "-" + std::to_string(++names_);
}

void Stage::create(KubeObject object) {
  made(kind_of(object), meta_of(object).name);
  (void)server().create(std::move(object), loop_.now());
}

Pod Stage::pod(const std::string& name, const std::string& queue, std::int32_t priority) {
  claim("c-" + name);
  auto made = pod_of(name, {"c-" + name});
  if (!queue.empty()) made.meta.labels[queue_label] = queue;
  made.priority = priority;
  return made;
}

Pod Stage::pod_of(const std::string& name, const std::vector<std::string>& claims) {
  auto made = make_pod(name);
  for (const auto& each : claims) made = with_claim(std::move(made), each, each);
  return made;
}

void Stage::claim(const std::string& name, std::int64_t gpus) {
  create(make_claim(name, {request("devices", exactly(gpus, gpu_driver))}));
}

const Pod* Stage::find(const std::string& pod) {
  return server().find<Pod>("default", pod);
}

bool Stage::is_bound(const std::string& pod) {
  const auto* found = find(pod);
  return found != nullptr && found->node_name;
}

void Stage::remove(Kind kind, const std::string& name) {
  sim::DeleteOptions options;
  if (kind == Kind::pod) options.grace_seconds = 0;
  (void)server().remove(kind, "default", name, options, loop_.now());
}

void Stage::tear_out(const std::string& claim) {
  const auto* found = server().find<ResourceClaim>("default", claim);
  if (found == nullptr) return;
  for (const auto& user : found->reserved_for) facts().odd.torn.insert(user.uid);
  remove(Kind::resource_claim, claim);
  (void)server().patch(
      Kind::resource_claim, "default", claim, sim::Endpoint::main,
      [](KubeObject& object) -> Result<void> {
        meta_of(object).finalizers.clear();
        return {};
      },
      loop_.now());
}

void Stage::label_node(int node, const std::string& what) {
  (void)server().patch(
      Kind::node, "", node_name(node), sim::Endpoint::main,
      [&what](KubeObject& object) -> Result<void> {
        meta_of(object).labels["for"] = what;
        return {};
      },
      loop_.now());
}

void Stage::cordon(bool on) {
  cordoned_ = on;
  upset_ = loop_.now();
  auto& since = facts().odd.no_node_since;
  since = on ? std::optional(since.value_or(loop_.now())) : std::nullopt;
  for (int i = 0; i < world().nodes; ++i) {
    (void)server().patch(
        Kind::node, "", node_name(i), sim::Endpoint::main,
        [&](KubeObject& object) -> Result<void> {
          std::get<Node>(object).unschedulable = on;
          return {};
        },
        loop_.now());
  }
}

std::shared_ptr<policy::PolicyConfig> Stage::usual_policy() const {
  const auto policy = policy_of(story_.world, 0);
  if (!policy) return nullptr;
  auto made = std::make_shared<policy::PolicyConfig>(*policy);
  if (story_.others_queue) made->queues.front().namespaces = {"others"};
  return made;
}

void Stage::set_policy(std::shared_ptr<const policy::PolicyConfig> policy) {
  other_policy_ = true;
  upset_ = loop_.now();
  facts().odd.policy = policy;
  loop_.set_policy(std::move(policy));
}

std::optional<std::size_t> Stage::leading() {
  for (std::size_t i = 0; i < loop_.replicas(); ++i) {
    if (loop_.replica(i) != nullptr && loop_.replica(i) == loop_.leader()) return i;
  }
  return std::nullopt;
}

void Stage::restart(std::size_t replica, Duration delay) {
  after(delay, [this, replica] { loop_.start_replica(replica, {}); });
}

void Stage::clear() {
  signs_.clear();
  for (const auto& [kind, name] : std::exchange(made_, {})) remove(kind, name);
  storm_.cut_lease(false);
  storm_.cut_wake_ups(std::nullopt);
  storm_.when_renewed(nullptr);
  if (cordoned_) cordon(false);
  if (other_policy_) usual_policy_again();
}

void Stage::usual_policy_again() {
  const auto usual = usual_policy();
  if (usual != nullptr) set_policy(usual);
  other_policy_ = false;
}

}  // namespace dray::dst

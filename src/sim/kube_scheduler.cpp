#include "dray/sim/kube_scheduler.h"

#include <utility>

#include "sim/kube_scheduler_state.h"

namespace dray::sim {

KubeScheduler::State::State(KubeSchedulerOptions given)
    : options(std::move(given)),
      queue(options, [this](const auto& queued, const auto& event) { return hint(queued, event); }),
      random(options.seed) {}

KubeScheduler::KubeScheduler(KubeSchedulerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
KubeScheduler::~KubeScheduler() = default;
KubeScheduler::KubeScheduler(KubeScheduler&&) noexcept = default;
KubeScheduler& KubeScheduler::operator=(KubeScheduler&&) noexcept = default;

SchedulerCommands KubeScheduler::step(const SchedulerInput& input, Time now) {
  auto& state = *state_;
  state.queue.tick(now);
  if (const auto* event = std::get_if<WatchEvent>(&input)) state.observe(*event, now);
  if (const auto* answer = std::get_if<FilterAnswered>(&input)) state.filtered(*answer, now);
  if (const auto* answer = std::get_if<PrioritizeAnswered>(&input)) {
    state.prioritized(*answer, now);
  }
  if (const auto* answer = std::get_if<PreemptAnswered>(&input)) state.preempted(*answer, now);
  if (const auto* answer = std::get_if<BindAnswered>(&input)) state.bound(*answer, now);
  state.schedule_next(now);
  return std::exchange(state.out, {});
}

std::optional<Time> KubeScheduler::next_tick() const {
  return state_->queue.next_tick();
}

KubeScheduler::Queues KubeScheduler::queues() const {
  auto sizes = state_->queue.sizes();
  sizes.binding = state_->binding.size();
  return sizes;
}

namespace {

// Whatever the server answers, kube-scheduler only logs it.

void patch_status(const PatchPodStatus& patch, ApiServer& server, Time now) {
  (void)server.patch(
      Kind::pod, patch.pod.namespace_name, patch.pod.name, Endpoint::status,
      [&](KubeObject& object) -> Result<void> {
        auto& pod = std::get<Pod>(object);
        if (patch.condition) set_condition(pod.conditions, *patch.condition, now);
        if (patch.nominated_node) pod.nominated_node = *patch.nominated_node;
        return {};
      },
      now);
}

void delete_victim(const DeleteVictim& victim, ApiServer& server, Time now) {
  const auto& [space, name] = victim.pod;
  const auto marked = server.patch(
      Kind::pod, space, name, Endpoint::status,
      [&](KubeObject& object) -> Result<void> {
        auto& pod = std::get<Pod>(object);
        if (pod.meta.uid != victim.uid) return fail(ErrorCode::conflict, "another pod");
        set_condition(pod.conditions,
                      {.type = "DisruptionTarget",
                       .status = "True",
                       .reason = "PreemptionByScheduler",
                       .message = victim.message,
                       .last_transition = {}},
                      now);
        return {};
      },
      now);
  if (!marked) return;
  (void)server.remove(Kind::pod, space, name,
                      {.uid = victim.uid, .resource_version = {}, .grace_seconds = {}}, now);
}

}  // namespace

void carry_out(const SchedulerCommand& command, ApiServer& server, Time now) {
  if (const auto* patch = std::get_if<PatchPodStatus>(&command)) patch_status(*patch, server, now);
  if (const auto* victim = std::get_if<DeleteVictim>(&command)) {
    delete_victim(*victim, server, now);
  }
  if (const auto* event = std::get_if<engine::RecordEvent>(&command)) {
    (void)server.write(*event, now);
  }
}

}  // namespace dray::sim

#include "dray/engine/engine.h"

#include <fmt/format.h>

#include <utility>

#include "engine/router.h"

namespace dray::engine {

alloc::AllocatorOptions allocator_options(const Options& options, std::uint64_t stream) {
  auto made = options.allocator;
  if (options.mode == Mode::advise) made.mode = alloc::Mode::predicted;
  // UUIDs of version 8 (RFC 9562): the rest is the seed, the stream and a count.
  made.next_share_id = [seed = options.share_id_seed, stream, count = std::uint64_t{0}]() mutable {
    ++count;
    return fmt::format("{:08x}-{:04x}-8{:03x}-8{:03x}-{:012x}", seed >> 32, (seed >> 16) & 0xffff,
                       (seed >> 4) & 0xfff, stream & 0xfff, count & 0xffffffffffff);
  };
  return made;
}

std::string unfit_policy(Mode mode, const policy::PolicyConfig& config) {
  if (mode == Mode::allocate || !config.fractions) return {};
  return "fractions: in mode advise dray makes no claims; take the section out, or run mode "
         "allocate";
}

Engine::Engine(Options options) : router_(std::make_unique<Router>(std::move(options))) {}
Engine::~Engine() = default;

Effects Engine::apply(const Event& event, Time now) {
  router_->apply(event, now);
  return router_->finish_step(now);
}

Effects Engine::tick(Time now) {
  router_->tick(now);
  return router_->finish_step(now);
}

std::optional<Time> Engine::next_tick() const {
  return router_->next_tick();
}

Engine::FilterAnswer Engine::filter(const extender::FilterRequest& request, Time now) {
  auto response = router_->filter(request, now);
  return {std::move(response), router_->finish_step(now)};
}

extender::PrioritizeResponse Engine::prioritize(const extender::FilterRequest& request,
                                                Time /*now*/) {
  return router_->prioritize(request);
}

Effects Engine::bind(RequestId id, const extender::BindRequest& request, Time now) {
  router_->bind(id, request, now);
  return router_->finish_step(now);
}

extender::PreemptResponse Engine::preempt(const extender::PreemptRequest& request, Time /*now*/) {
  return router_->preempt(request);
}

Engine::Status Engine::status() const {
  auto status = router_->figures();
  static_cast<void>(router_->count_pods({}, SIZE_MAX, status));
  return status;
}

Engine::Status Engine::figures() const {
  return router_->figures();
}

bool Engine::is_settled() const {
  return router_->is_settled();
}

std::optional<Uid> Engine::count_pods(const std::optional<Uid>& last, std::size_t at_most,
                                      Status& into) const {
  return router_->count_pods(last, at_most, into);
}

std::optional<Engine::PodView> Engine::pod(const PodKey& key) const {
  return router_->pod(key);
}

std::shared_ptr<const cluster::Snapshot> Engine::snapshot() {
  return router_->snapshot();
}

std::optional<Uid> Engine::Router::count_pods(const std::optional<Uid>& last, std::size_t at_most,
                                              Status& into) const {
  const auto& pods = pods_.all();
  std::optional<Uid> counted;
  for (auto at = last ? pods.upper_bound(*last) : pods.begin(); at != pods.end(); ++at) {
    if (at_most-- == 0) return counted;
    const auto& [uid, pod] = *at;
    if (pod.state == PodState::waiting && !pod.reservation) {
      ++into.pods_waiting;
      ++into.waiting_for[pod.wait.reason];
    }
    if (pod.reservation) ++into.reservations;
    counted = uid;
  }
  return std::nullopt;
}

Engine::Status Engine::Router::figures() const {
  Status status;
  status.synced = standing_.synced;
  status.leading = standing_.leading;
  const auto totals = cluster_.totals();
  status.nodes = totals.nodes;
  status.devices = totals.devices;
  status.devices_allocated = totals.devices_allocated;
  status.binds_in_flight = binds_.size();
  status.plans_made = plans_.made();
  status.reservations_expired = pods_.expired();
  status.binds_done = binds_.bound();
  status.binds_undone = binds_.undone();
  status.gangs_binding = gangs_.size();
  status.gangs_refused = gangs_.refused();
  status.evictions = evictions_.figures();
  status.unreadable = admission_.unreadable().counts();
  status.foretold = judging_.told.figures().as_foretold;
  status.foretold_otherwise = judging_.told.figures().otherwise;
  const auto audits = upkeep_.audits.figures();
  status.devices_in_two_claims = audits.devices_in_two_claims;
  status.claims_healed = audits.claims_healed;
  status.orphans_released = audits.orphans_released;
  status.policy_problem = admission_.problem();
  status.policy = admission_.policy();
  status.resources = status.policy->counting.resources();
  for (const auto& queue : plans_.queues()) {
    if (status.policy->queues.find(queue.queue.get())) status.queues.push_back(queue);
  }
  status.queues_waiting = admission_.jobs().queue_counts().waiting();
  return status;
}

bool Engine::Router::is_settled() {
  return standing_.synced && binds_.size() == 0 && gangs_.size() == 0 && pods_.is_settled();
}

std::optional<Engine::PodView> Engine::Router::pod(const PodKey& key) const {
  const auto* pod = pods_.find(key);
  if (pod == nullptr) {
    const auto* past = binds_.decisions().find(key);
    if (past == nullptr) return std::nullopt;
    return PodView{past->placement, Reason::none, past->detail, past->queue, past->job};
  }
  PodView view{pod->reservation,
               pod->reservation ? Reason::none : pod->wait.reason,
               pod->wait.detail,
               {},
               {}};
  if (const auto job = admission_.jobs().job_of(pod->uid)) {
    view.queue = job->queue.get();
    view.job = job->name;
  }
  return view;
}

}  // namespace dray::engine

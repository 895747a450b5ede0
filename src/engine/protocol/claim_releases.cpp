#include "engine/protocol/claim_releases.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/model/pod_claim.h"

namespace dray::engine {
namespace {

/// What is refused so often after a write without an answer is refused for good, that one too.
constexpr std::uint32_t most_refusals = 8;

/// Before a release that was refused may be asked for again.
constexpr Duration refusal_pause = std::chrono::seconds(5);

Duration release_backoff(std::uint32_t attempts) {
  return std::chrono::milliseconds(250) * (1 << std::min<std::uint32_t>(attempts, 5));
}

}  // namespace

Commands ClaimReleases::start(const Pod& pod) {
  const auto& uid = pod.meta.uid;
  const auto release = [&](const ResourceClaim& claim) {
    // It is done, and the watch has yet to show that.
    const auto done = done_.find({claim.key(), uid});
    if (done != done_.end() && done->second == claim.meta.resource_version) return;
    add(claim.key(), uid, ReleaseClaim{claim.key(), claim.meta.uid, uid, true});
  };
  for (const auto& entry : pod.resource_claims) {
    // Another of them may be missing, for ever: devices of this one are of no use before it is
    // there.
    const auto* name = claim_of_entry(pod, entry).name;
    const auto claim = name == nullptr ? nullptr : cluster_.claim({pod.meta.namespace_name, *name});
    // Of a claim that others use it gives back its own part: the first user's queue has the
    // devices, and might be full for it by what another runs on already.
    const bool ours = claim && claim->allocation &&
                      std::ranges::find(claim->reserved_for, uid, &ClaimConsumer::uid) !=
                          claim->reserved_for.end();
    if (ours) release(*claim);
  }
  // The claim for extended resources suits one node's offer; it is made anew for another.
  const auto extended = cluster_.claim(alloc::extended_resource_claim_key(pod));
  if (!extended || extended->meta.deleted || !alloc::is_extended_resource_claim(*extended, uid)) {
    return ask_for(pod);
  }
  if (extended->allocation) {
    release(*extended);
  } else {
    const auto& meta = extended->meta;
    add(extended->key(), uid, DeleteClaim{extended->key(), meta.uid, meta.resource_version});
  }
  return ask_for(pod);
}

void ClaimReleases::add(const ClaimKey& claim, const Uid& pod, Write write) {
  runs_.try_emplace({claim, pod}, Run{.write = std::move(write)});
}

Commands ClaimReleases::ask_for(const Pod& pod) {
  const auto& uid = pod.meta.uid;
  const bool any = std::ranges::any_of(runs_, [&](const auto& entry) {
    return entry.first.second == uid && to_be_sent(entry.second);
  });
  if (!any || !reading_.insert(uid).second) return {};
  return {Send{ReadPod{pod.key()}, ForRelease{{}, uid}}};
}

Commands ClaimReleases::pod_read(const Uid& pod, const WriteOutcome& outcome, Time now) {
  if (reading_.erase(pod) == 0) return {};
  const auto* read = outcome ? std::get_if<Pod>(&*outcome) : nullptr;
  // Meanwhile it may have got a place, where these devices are its own.
  if (read != nullptr && read->meta.uid == pod && !read->node_name && waits_(pod)) {
    Commands out;
    for (auto& [key, run] : runs_) {
      if (key.second != pod || !to_be_sent(run)) continue;
      run.sent = true;
      out.emplace_back(Send{run.write, ForRelease{key.first, pod}});
    }
    return out;
  }
  std::erase_if(runs_, [&](const auto& entry) {
    return entry.first.second == pod && to_be_sent(entry.second);
  });
  // Gone or bound: the watch will say so.
  if (outcome || outcome.error().code == ErrorCode::not_found) return {};
  return {PlanAt{now + std::chrono::seconds(1)}};
}

Commands ClaimReleases::step(const ForRelease& purpose, const WriteOutcome& outcome, Time now) {
  if (purpose.claim.name.empty()) return pod_read(purpose.pod, outcome, now);
  const Key key(purpose.claim, purpose.pod);
  const auto found = runs_.find(key);
  if (found == runs_.end()) return {};
  auto& run = found->second;
  const bool no_answer = !outcome && outcome.error().code == ErrorCode::unavailable;
  const bool refused = !outcome && surely_refused(outcome.error());
  run.unanswered = run.unanswered || no_answer;
  if (no_answer || (refused && run.unanswered && run.attempts < most_refusals)) {
    timers_.arm(key, now + release_backoff(run.attempts++));
    return {};
  }
  if (refused) {
    // With every plan it would be refused again.
    run = {.write = std::move(run.write), .rests = true};
    timers_.arm(key, now + refusal_pause);
    return {};
  }
  runs_.erase(found);
  timers_.arm(key, std::nullopt);
  if (outcome) remember(key);
  return {PlanNow{}};
}

/// What the watch shows of the claim is old: no plan is to ask for the same again by it.
void ClaimReleases::remember(const Key& key) {
  const auto shown = [this](const Key& of) {
    const auto claim = cluster_.claim(of.first);
    return claim ? claim->meta.resource_version : ResourceVersion{};
  };
  std::erase_if(done_, [&](const auto& entry) { return entry.second != shown(entry.first); });
  if (cluster_.claim(key.first)) done_.insert_or_assign(key, shown(key));
}

Commands ClaimReleases::give_back(const GiveBack& command) {
  Commands out;
  for (const auto& user : command.users) {
    add(command.claim, user.uid,
        ReleaseClaim{.claim = command.claim, .uid = command.uid, .consumer = user.uid});
    auto& run = runs_.at({command.claim, user.uid});
    if (!to_be_sent(run)) continue;
    run.sent = true;
    out.emplace_back(Send{run.write, ForRelease{command.claim, user.uid}});
  }
  return out;
}

bool ClaimReleases::under_way(const Uid& pod) const {
  return std::ranges::any_of(
      runs_, [&](const auto& entry) { return entry.first.second == pod && entry.second.sent; });
}

Commands ClaimReleases::tick(Time now) {
  const auto key = timers_.take_due(now);
  if (!key) return {};
  const auto run = runs_.find(*key);
  if (run->second.rests) {
    runs_.erase(run);
    return {PlanNow{}};
  }
  return {Send{run->second.write, ForRelease{key->first, key->second}}};
}

void ClaimReleases::reset() {
  runs_.clear();
  done_.clear();
  reading_.clear();
  timers_.clear();
}

}  // namespace dray::engine

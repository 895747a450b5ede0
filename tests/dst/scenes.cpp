#include "tests/dst/scenes.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "tests/dst/oddity.h"
#include "tests/dst/verdict.h"

namespace dray::dst {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Somebody leads by then.
constexpr Duration begin = seconds(3);
/// From the end of a scene to the next one: what was made goes.
constexpr Duration interval = milliseconds(300);

std::int64_t in_seconds(Duration time) {
  return std::chrono::duration_cast<seconds>(time).count();
}

}  // namespace

Scenes::Scenes(const Story& story, sim::ClusterLoop& loop, Checker& checker, OddStorm& storm)
    : story_(story),
      loop_(loop),
      checker_(checker),
      stage_(story, loop, checker, storm),
      dice_(story.seed, 9) {}

void Scenes::plan() {
  if (!is_odd()) return;
  checker_.be_strict(story_.strict);
  loop_.set_step_observer(
      [this](const sim::EngineStep& step) { learn_step(checker_.facts(), step); });
  stage_.usual_policy_again();
  healed_at_ = loop_.now() + storm_time;
  stage_.after(begin, [this] { play(); });
  stage_.after(begin, [this] { look(); });
}

/// One scene after the other, as long as there is time.
void Scenes::play() {
  const auto* oddity = story_.oddities[dice_.below(story_.oddities.size())];
  const auto end = loop_.now() + oddity->length;
  if (end > healed_at_) return;
  const auto shortest = std::ranges::min(story_.oddities, {}, &Oddity::length);
  stage_.begin(end + interval + shortest->length > healed_at_);
  oddity->play(stage_);
  loop_.at(end, [this] {
    stage_.clear();
    stage_.after(interval, [this] { play(); });
  });
}

void Scenes::look() {
  look_for_order();
  look_for_answers();
  stage_.after(milliseconds(500), [this] { look(); });
}

/// L6
void Scenes::look_for_order() {
  const auto now = loop_.now();
  const auto patience = story_.strict.patience;
  if (!patience) return;
  const auto what = unrest(story_, loop_, checker_.facts());
  if (what.empty() || !stage_.is_usual_since(unrest_since_.value_or(now))) {
    return unrest_since_.reset();
  }
  if (!unrest_since_) unrest_since_ = now;
  if (now - *unrest_since_ <= *patience) return;
  checker_.violate(fmt::format("L6: for more than {} s: {}", in_seconds(*patience), what));
}

/// L4, L7, L8
void Scenes::look_for_answers() {
  constexpr Duration longest_pause = seconds(10);  // between wake-ups: 6.4 s, and some
  constexpr Duration longest_move = seconds(6);
  constexpr Duration longest_bind = seconds(15);  // members wait 12 s and some for each other
  const auto& facts = checker_.facts();
  const auto now = loop_.now();
  for (const auto& [uid, woken] : facts.odd.woken) {
    const auto pod = facts.pods.find(uid);
    const bool is_there = pod != facts.pods.end() && waits(pod->second);
    if (!story_.strict.wake_ups || !is_there || now - woken.in_vain <= longest_pause) continue;
    checker_.violate("L7: pod " + woken.subject + " was to be woken in vain, and is not again");
  }
  for (const auto& [id, since] : facts.odd.open_binds) {
    if (!story_.strict.answers || now - since <= longest_bind) continue;
    checker_.violate("L8: a bind call is not answered");
  }
  for (const auto& [name, since] : facts.odd.sent_away) {
    if (!story_.strict.moves || now - since <= longest_move) continue;
    if (loop_.server().find<Pod>("default", name) == nullptr) continue;
    checker_.violate("L4: pod " + name + " had to move, and has no other place");
  }
}

void Scenes::heal() {
  if (is_odd()) stage_.clear();
}

/// L9
void Scenes::judge() {
  if (!story_.strict.unused) return;
  for (const auto& item : loop_.server().list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation || !claim.reserved_for.empty()) continue;
    const bool told = std::ranges::any_of(loop_.server().events(), [&](const auto& event) {
      return event.uid == claim.meta.uid && event.event.reason == "ClaimNotUsed";
    });
    if (told) continue;
    checker_.violate("L9: claim " + claim.meta.name +
                     " has devices and no user, and nobody says so");
  }
}

}  // namespace dray::dst

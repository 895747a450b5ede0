#pragma once

#include <string>
#include <variant>

#include "engine/protocol/command.h"

// Commands in a line of words, so that a test compares all of them and their order.

namespace dray::engine {

inline std::string purpose_word(const Purpose& purpose) {
  if (std::holds_alternative<ForBinding>(purpose)) return " for binding";
  if (std::holds_alternative<ForLift>(purpose)) return " for lift";
  if (std::holds_alternative<ForWake>(purpose)) return " for wake";
  if (std::holds_alternative<ForRelease>(purpose)) return " for release";
  if (std::holds_alternative<ForEviction>(purpose)) return " for eviction";
  if (std::holds_alternative<ForUsage>(purpose)) return " for usage";
  if (std::holds_alternative<ForQueueUsers>(purpose)) return " for queue users";
  if (std::holds_alternative<ForShare>(purpose)) return " for share";
  if (std::holds_alternative<ForAudit>(purpose)) return " for audit";
  if (std::holds_alternative<ForNodes>(purpose)) return " for nodes";
  return "";
}

struct CommandWords {
  static std::string of(const std::string& word, const Uid& uid) { return word + " " + uid.get(); }

  std::string operator()(const Send& send) const {
    return std::string(name(send.write)) + " " + subject(send.write) + purpose_word(send.purpose);
  }
  std::string operator()(const Answer& answer) const {
    return "answer " + std::to_string(answer.request.get()) + ": " + answer.error;
  }
  std::string operator()(const JobChanged& c) const { return of("changed", c.pod); }
  std::string operator()(const ForgetPod& c) const { return of("forget", c.pod); }
  std::string operator()(const PlanNow& /*c*/) const { return "plan"; }
  std::string operator()(const PlanAt& c) const {
    return "plan at " + std::to_string(c.at.time_since_epoch().count());
  }
  std::string operator()(const TellWaiting& c) const {
    return of("tell", c.pod) + " " + std::string(name(c.reason)) + ": " + c.detail +
           (c.again ? " (again)" : "");
  }
  std::string operator()(const ClaimsHeld& c) const { return of("claims held", c.pod); }
  std::string operator()(const BindEnded& c) const {
    static constexpr const char* results[] = {"bound", "failed", "refused", "waiting"};
    return of("bind ended", c.placement.pod_uid) + " " +
           results[static_cast<std::size_t>(c.result)] + ": " + c.error;
  }
  std::string operator()(const StartBind& c) const {
    auto text = of("start bind", c.pod);
    for (const auto request : c.requests) text += " #" + std::to_string(request.get());
    return text + (c.pace == Binding::Pace::at_once ? " at once" : " when told");
  }
  std::string operator()(const ProceedBind& c) const { return of("proceed", c.pod); }
  std::string operator()(const AbortBind& c) const { return of("abort", c.pod) + ": " + c.error; }
  std::string operator()(const BindRefused& c) const {
    return of("bind refused", c.pod) + ": " + c.error;
  }
  std::string operator()(const GangStepped& c) const { return of("stepped", c.job); }
  std::string operator()(const GangEnded& c) const { return of("gang ended", c.job); }
  std::string operator()(const GiveUpVictim& c) const { return of("give up", c.pod); }
  std::string operator()(const EvictionRefused& c) const { return of("eviction refused", c.pod); }
  std::string operator()(const JobEvicted& c) const { return of("evicted", c.eviction.job); }
  std::string operator()(const HoldEnded& c) const { return of("hold ended", c.job); }
  std::string operator()(const PodDropped& c) const {
    return of("dropped", c.pod) + (c.bound ? " bound" : "");
  }
  std::string operator()(const ReservationEnded& c) const { return of("reservation ended", c.pod); }
  std::string operator()(const GiveBack& c) const {
    std::string text = "give back " + c.claim.to_string() + " of";
    for (const auto& user : c.users) text += " " + user.name;
    return text;
  }
};

/// `changed uid-p; plan`.
inline std::string words(const Commands& commands) {
  std::string text;
  for (const auto& command : commands) {
    if (!text.empty()) text += "; ";
    text += std::visit(CommandWords{}, command);
  }
  return text;
}

/// The only write of that type.
template <class T>
T only_write(const Commands& commands) {
  T found;
  int count = 0;
  for (const auto& command : commands) {
    const auto* send = std::get_if<Send>(&command);
    if (send == nullptr || !std::holds_alternative<T>(send->write)) continue;
    found = std::get<T>(send->write);
    ++count;
  }
  return count == 1 ? found : T{};
}

}  // namespace dray::engine

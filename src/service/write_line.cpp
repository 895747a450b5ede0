#include "service/write_line.h"

#include <fmt/format.h>

#include <optional>

#include "dray/model/pod_marks.h"

namespace dray::service {
namespace {

constexpr int decisions = 2;
constexpr int steps = 4;

/// What it is about: by the members that a write has.
LogFields fields_of(const engine::Write& write) {
  LogFields fields{{"write", std::string(engine::name(write))}};
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.pod.to_string(); }) {
          fields.emplace_back("pod", one.pod.to_string());
        }
        if constexpr (requires { one.claim.to_string(); }) {
          fields.emplace_back("claim", one.claim.to_string());
        }
        if constexpr (requires { one.node.get().size(); }) {
          fields.emplace_back("node", one.node.get());
        }
      },
      write);
  return fields;
}

/// The decision that a write has carried out, in words; nothing where it is a step of one.
std::optional<std::string> decision_of(const engine::Write& write) {
  if (const auto* evicted = std::get_if<engine::EvictPod>(&write)) {
    if (!evicted->dry_run) return "evicted " + evicted->pod.to_string();
  }
  if (const auto* set = std::get_if<engine::SetPodCondition>(&write)) {
    const auto& condition = set->condition;
    if (condition.type == admitted_condition && condition.status == "False") {
      return fmt::format("{} waits: {}", set->pod.to_string(), condition.message);
    }
  }
  return std::nullopt;
}

}  // namespace

LogLine line_of(const engine::Write& write, const engine::WriteOutcome& outcome) {
  const auto what = fmt::format("{} {}: ", engine::name(write), engine::subject(write));
  auto fields = fields_of(write);
  if (outcome) {
    auto decision = decision_of(write);
    return {.verbosity = decision ? decisions : steps,
            .message = decision ? *std::move(decision) : what + "done",
            .fields = std::move(fields)};
  }
  const bool denied = outcome.error().code == ErrorCode::denied;
  return {.warning = denied,
          .verbosity = denied ? 0 : decisions,
          .message = what + (denied ? "the API server denies it: " : "") + outcome.error().message,
          .fields = std::move(fields)};
}

const Uid* traced_object(const engine::Write& write) {
  if (const auto* made = std::get_if<engine::AllocateClaim>(&write)) {
    return made->reserved_for.empty() ? &made->uid : &made->reserved_for.front().uid;
  }
  if (const auto* made = std::get_if<engine::ReserveClaim>(&write)) return &made->consumer.uid;
  if (const auto* made = std::get_if<engine::ReleaseClaim>(&write)) return &made->consumer;
  if (const auto* made = std::get_if<engine::CreateClaim>(&write)) {
    return made->claim.meta.owners.empty() ? nullptr : &made->claim.meta.owners.front().uid;
  }
  return std::visit(
      [](const auto& each) -> const Uid* {
        if constexpr (requires { each.uid.get(); }) {
          return &each.uid;
        } else {
          return nullptr;
        }
      },
      write);
}

}  // namespace dray::service

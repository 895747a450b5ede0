#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dray/engine/engine.h"
#include "engine/protocol/command.h"

namespace dray::engine {

/// The effects of the step under way, and what the outcome of each write is for.
class Outgoing {
 public:
  /// `since`: when the work began that the write is part of.
  void send(Write write, Purpose purpose, Time since);
  void answer(RequestId request, std::string error);
  void want_plan(std::uint64_t generation, std::shared_ptr<const planner::PlanInput> input);

  /// What the write was for; nothing where nobody waits for its outcome (any more).
  [[nodiscard]] std::optional<Purpose> done(WriteId write);
  /// The effects, in the order in which they were asked for.
  [[nodiscard]] Effects take();
  /// Leadership changed: nobody waits for outcomes any more, and writes are of that epoch from now
  /// on. Write ids go on: they are never used twice.
  void reset(std::int32_t epoch) {
    purposes_.clear();
    epoch_ = epoch;
  }

 private:
  Effects effects_;
  std::map<WriteId, Purpose> purposes_;
  std::uint64_t next_write_ = 1;
  std::int32_t epoch_ = 0;
};

}  // namespace dray::engine

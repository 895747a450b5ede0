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
  void send(Write write, Purpose purpose);
  void answer(RequestId request, std::string error);
  void want_plan(std::uint64_t generation, std::shared_ptr<const planner::PlanInput> input);

  /// What the write was for; nothing where nobody waits for its outcome (any more).
  [[nodiscard]] std::optional<Purpose> done(WriteId write);
  /// The effects, in the order in which they were asked for.
  [[nodiscard]] Effects take();
  /// Nobody waits for outcomes any more. Write ids go on: they are never used twice.
  void reset() { purposes_.clear(); }

 private:
  Effects effects_;
  std::map<WriteId, Purpose> purposes_;
  std::uint64_t next_write_ = 1;
};

}  // namespace dray::engine

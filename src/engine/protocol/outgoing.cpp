#include "engine/protocol/outgoing.h"

#include <utility>

namespace dray::engine {

void Outgoing::send(Write write, Purpose purpose, Time since) {
  const WriteId id(next_write_++);
  if (!std::holds_alternative<ForNothing>(purpose)) purposes_.emplace(id, std::move(purpose));
  effects_.emplace_back(SendWrite{id, std::move(write), epoch_, since});
}

void Outgoing::answer(RequestId request, std::string error) {
  effects_.emplace_back(AnswerBind{request, std::move(error)});
}

void Outgoing::want_plan(std::uint64_t generation,
                         std::shared_ptr<const planner::PlanInput> input) {
  effects_.emplace_back(WantPlan{generation, std::move(input)});
}

std::optional<Purpose> Outgoing::done(WriteId write) {
  const auto entry = purposes_.extract(write);
  if (entry.empty()) return std::nullopt;
  return std::move(entry.mapped());
}

Effects Outgoing::take() {
  return std::exchange(effects_, {});
}

}  // namespace dray::engine

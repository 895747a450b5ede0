#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dray/planner/explanation.h"
#include "tests/unit/planner/fixture.h"

// Explanations of pods of a World.
namespace dray::planner::worlds {

inline Question question_of(World& world, const std::string& job, std::size_t member = 0) {
  Question question;
  question.input = world.make_input();
  question.input.budget = PlanBudget::unbounded();
  const auto& asked = world.job(job);
  question.job = asked.uid;
  question.pod = asked.members.at(member).pod;
  question.scheduler_name = "dray-scheduler";
  question.gate = "dray.dev/admission";
  return question;
}

inline Explanation explained(World& world, const std::string& job, std::size_t member = 0) {
  return explain(question_of(world, job, member), world.options);
}

inline bool says(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.contains(text); });
}

}  // namespace dray::planner::worlds

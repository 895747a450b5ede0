#include "wire/policy/policy_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "wire/policy/section_reading.h"

namespace dray::wire {

namespace {

using policy::ConfigProblem;

bool is_error(const PolicyProblem& problem) {
  return problem.severity == ConfigProblem::Severity::error;
}

}  // namespace

/// The text of parse_yaml begins with `LINE:COLUMN: `.
PolicyProblem detail::syntax_problem(const std::string& message) {
  PolicyProblem problem;
  const auto* at = message.data();
  const auto* end = at + message.size();
  at = std::from_chars(at, end, problem.place.line).ptr;
  if (at != end) at = std::from_chars(at + 1, end, problem.place.column).ptr;
  problem.text = std::string(at, end);
  if (problem.text.starts_with(": ")) problem.text.erase(0, 2);
  return problem;
}

std::string PolicyProblem::to_string() const {
  return fmt::format("{}:{}: {}{}{}", place.line, place.column, path, path.empty() ? "" : ": ",
                     text);
}

namespace {

void add_placed(std::vector<ConfigProblem> more, const auto& form,
                std::vector<PolicyProblem>& problems) {
  for (auto& problem : more) {
    const auto place = form.place_of(problem.path);
    problems.push_back({problem.severity, place, std::move(problem.path), std::move(problem.text)});
  }
}

void sort_by_place(std::vector<PolicyProblem>& problems) {
  std::ranges::sort(problems, {}, [](const PolicyProblem& problem) {
    return std::tie(problem.place, problem.path, problem.text);
  });
}

}  // namespace

std::vector<PolicyProblem> in_file(std::string_view yaml, std::vector<ConfigProblem> problems) {
  std::vector<PolicyProblem> placed;
  add_placed(std::move(problems), read_section<policy::PolicyConfig>(yaml).form, placed);
  sort_by_place(placed);
  return placed;
}

PolicyFile read_policy(std::string_view yaml) {
  PolicyFile file;
  auto read = read_section<policy::PolicyConfig>(yaml);
  file.problems = std::move(read.problems());
  file.config = std::move(read.value);
  if (file.config) {
    add_placed(policy::validate(*file.config), read.form, file.problems);
  }
  sort_by_place(file.problems);
  if (std::ranges::any_of(file.problems, is_error)) file.config.reset();
  return file;
}

Result<policy::PolicyConfig> decode_policy(std::string_view yaml) {
  auto file = read_policy(yaml);
  if (file.config) return std::move(*file.config);
  std::string text;
  for (const auto& problem : file.problems) {
    if (!is_error(problem)) continue;
    if (!text.empty()) text += '\n';
    text += problem.to_string();
  }
  return fail(ErrorCode::invalid, std::move(text));
}

}  // namespace dray::wire

#include "service/record/replay.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "service/record/record_line.h"

namespace dray::service {
namespace {

constexpr std::size_t most_told = 20;

bool is_of_map(const Decision& decision) {
  return decision.kind == Decision::Kind::write && decision.text.contains("/configmaps");
}

std::string told(const Decision& decision) {
  static constexpr std::string_view kinds[] = {"write", "bind answer", "plan", "filter answer"};
  return fmt::format("{} {}", kinds[static_cast<std::size_t>(decision.kind)], decision.text);
}

}  // namespace

Result<void> RecordedState::feed(std::string_view text, Time until) {
  const auto line = read_record_line(text);
  if (!line) return std::unexpected(line.error());
  if (line->record != 0) {
    // A later run lists everything anew.
    if (run_ != line->run && record_time(line->run) <= until) state_ = {};
    run_ = line->run;
    return {};
  }
  const auto& json = line->state.empty() ? line->input : line->state;
  if (json.empty() || record_time(line->at) > until) return {};
  const auto input = decode_input(json);
  if (!input) return std::unexpected(input.error());
  begun_ = true;
  at_ = record_time(line->at);
  state_.take(*input);
  return {};
}

Result<void> Replay::feed(std::string_view text) {
  auto line = read_record_line(text);
  if (!line) return std::unexpected(std::move(line.error()));
  if (line->record != 0) {
    if (line->record != 1) {
      return fail(ErrorCode::unsupported, "a record of a form that this dray does not know");
    }
    if (line->observed) {
      return fail(ErrorCode::unsupported,
                  "dray record made this: nothing was decided in it; dray simulate --workload "
                  "recorded:DIR shows what dray would have decided");
    }
    return begin(line->run, line->segment, line->options);
  }
  if (segment_ < 0) return fail(ErrorCode::invalid, "this is no record");
  const auto now = record_time(line->at);
  if (!line->state.empty()) {
    if (engine_) return {};  // it knows
    auto input = decode_input(line->state);
    if (!input) return std::unexpected(std::move(input.error()));
    state_.take(*input);
    return {};
  }
  if (line->idle) {
    if (!engine_) restore(now);
    return {};
  }
  Step step{now, {}, {}};
  auto input = decode_input(line->input);
  if (!input) return std::unexpected(std::move(input.error()));
  step.input = *std::move(input);
  for (const auto& each : line->out) {
    auto decision = decode_decision(each);
    if (!decision) return std::unexpected(std::move(decision.error()));
    step.decisions.push_back(*std::move(decision));
  }
  take(step);
  return {};
}

Result<void> Replay::begin(std::int64_t run, std::int64_t segment, const std::string& options) {
  auto decoded = decode_options(options);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  const bool follows = run == run_ && segment == segment_ + 1;
  run_ = run;
  segment_ = segment;
  if (follows) return {};
  options_ = *std::move(decoded);
  state_ = {};
  engine_.reset();
  if (segment == 0) {
    restored_ = false;
    make_engine();
  }
  return {};
}

void Replay::make_engine() {
  engine_ = std::make_unique<engine::Engine>(options_);
  planner_ = std::make_unique<planner::Planner>(engine::allocator_options(options_, 1));
  writes_.clear();
  plans_.clear();
}

/// An engine as it would be if it had started a while before, and had come to rest since: what it
/// does at most so often is due again.
void Replay::restore(Time idle) {
  const auto now = idle - std::chrono::seconds(10);
  make_engine();
  restored_ = true;
  report_.whole_run = false;
  for (const auto& input : state_.inputs()) {
    if (const auto* event = std::get_if<engine::Event>(&input)) {
      keep_plans(serve_maps(engine_->apply(*event, now), now));
    }
  }
  constexpr int most_ticks = 10'000;
  for (int i = 0; i < most_ticks; ++i) {
    const auto next = engine_->next_tick();
    if (!next || *next > idle) return;
    const auto at = std::max(*next, now);
    keep_plans(serve_maps(engine_->tick(at), at));
  }
}

/// The plans that are asked for: by the engine's own generations where no recorded one is known.
void Replay::keep_plans(const engine::Effects& effects) {
  for (const auto& effect : effects) {
    if (const auto* want = std::get_if<engine::WantPlan>(&effect)) {
      // Of the state that it starts from; nobody waits, so that it says nothing.
      const auto plan = std::make_shared<const planner::Plan>(planner_->plan(*want->input));
      auto more = engine_->apply(engine::Planned{want->generation, plan}, want->input->now);
      keep_plans(serve_maps(std::move(more), want->input->now));
    }
  }
}

/// Answers what an engine that was made from a state asks of its ConfigMaps; the rest stays.
engine::Effects Replay::serve_maps(engine::Effects effects, Time now) {
  if (!restored_) return effects;
  engine::Effects rest;
  for (auto& effect : effects) {
    auto* send = std::get_if<engine::SendWrite>(&effect);
    engine::WriteOutcome outcome;
    if (auto* put = send == nullptr ? nullptr : std::get_if<engine::PutConfigMap>(&send->write)) {
      outcome = engine::WrittenObject(std::move(put->value));
    } else if (auto* read =
                   send == nullptr ? nullptr : std::get_if<engine::ReadConfigMap>(&send->write)) {
      auto known = state_.config_map(read->map);
      outcome = known ? engine::WriteOutcome(engine::WrittenObject(*std::move(known)))
                      : fail(ErrorCode::not_found, "not there");
    } else {
      rest.push_back(std::move(effect));
      continue;
    }
    auto more =
        serve_maps(engine_->apply(engine::WriteDone{send->id, std::move(outcome)}, now), now);
    std::ranges::move(more, std::back_inserter(rest));
  }
  return rest;
}

void Replay::take(const Step& step) {
  ++report_.steps;
  state_.take(step.input);
  if (!engine_) return;
  std::optional<Decision> answer;
  auto effects = run(step, answer);
  if (!effects) return;
  if (!report_.from) report_.from = step.now;
  report_.to = step.now;
  ++report_.compared;
  auto asked = serve_maps(*std::move(effects), step.now);
  std::vector<Decision> made;
  if (answer) made.push_back(*std::move(answer));
  auto decisions = decisions_of(asked, options_, step.now);
  std::ranges::move(decisions, std::back_inserter(made));
  // Which of its plans stands for which recorded one.
  std::vector<std::uint64_t> generations;
  for (const auto& decision : step.decisions) {
    if (decision.kind == Decision::Kind::plan) generations.push_back(decision.id);
  }
  std::size_t next = 0;
  for (const auto& effect : asked) {
    const auto* want = std::get_if<engine::WantPlan>(&effect);
    if (want != nullptr && next < generations.size()) plans_[generations[next++]] = *want;
  }
  compare(step, made);
}

/// Nothing where the input is of something that this engine did not ask for.
std::optional<engine::Effects> Replay::run(const Step& step, std::optional<Decision>& answer) {
  if (const auto* event = std::get_if<engine::Event>(&step.input)) return apply(*event, step.now);
  if (std::holds_alternative<TickInput>(step.input)) return engine_->tick(step.now);
  if (const auto* filter = std::get_if<FilterInput>(&step.input)) {
    auto given = engine_->filter(*filter->request, step.now);
    answer = decision_of(given.response, *filter->request);
    return std::move(given.effects);
  }
  if (const auto* bind = std::get_if<BindInput>(&step.input)) {
    return engine_->bind(bind->id, bind->request, step.now);
  }
  if (const auto* planned = std::get_if<PlannedInput>(&step.input)) {
    const auto found = plans_.extract(planned->generation);
    if (found.empty()) return std::nullopt;
    const auto& want = found.mapped();
    auto plan = std::make_shared<const planner::Plan>(planner_->plan(*want.input));
    if (on_plan_) on_plan_(*want.input, *plan);
    return engine_->apply(engine::Planned{want.generation, std::move(plan)}, step.now);
  }
  return std::nullopt;
}

std::optional<engine::Effects> Replay::apply(const engine::Event& event, Time now) {
  const auto* done = std::get_if<engine::WriteDone>(&event);
  if (done == nullptr) return engine_->apply(event, now);
  const auto found = writes_.extract(done->id.get());
  if (found.empty()) return std::nullopt;
  return engine_->apply(engine::WriteDone{found.mapped(), done->outcome}, now);
}

void Replay::compare(const Step& step, const std::vector<Decision>& made) {
  std::vector<Decision> recorded = step.decisions;
  if (restored_) std::erase_if(recorded, is_of_map);
  report_.decisions += recorded.size();
  for (std::size_t i = 0; i < std::max(recorded.size(), made.size()); ++i) {
    const auto* was = i < recorded.size() ? &recorded[i] : nullptr;
    const auto* is = i < made.size() ? &made[i] : nullptr;
    const bool alike = was && is && was->kind == is->kind && was->text == is->text;
    if (was && is && was->kind == Decision::Kind::write && is->kind == Decision::Kind::write) {
      writes_.insert_or_assign(was->id, engine::WriteId(is->id));
    }
    if (!alike) differ(step, was ? told(*was) : "", is ? told(*is) : "");
  }
}

void Replay::differ(const Step& step, std::string recorded, std::string replayed) {
  if (report_.differences++ < most_told) {
    report_.first.push_back({report_.steps, step.now, std::move(recorded), std::move(replayed)});
  }
}

}  // namespace dray::service

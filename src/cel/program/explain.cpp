#include "dray/cel/explain.h"

#include <algorithm>
#include <utility>

#include "cel/syntax/outline.h"
#include "cel/value/value_text.h"

namespace dray::cel {
namespace {

using Kind = Outline::Kind;

/// A sub-expression with its program, which is null where it has no value of its own.
struct OutlinePart {
  Kind kind = Kind::other;
  std::string text;
  ProgramHandle program;
  std::vector<OutlinePart> parts;
};

OutlinePart compiled(const Outline& outline, const CompileOptions& options) {
  OutlinePart part{outline.kind, std::string(outline.text), nullptr, {}};
  if (auto program = compile(part.text, options)) part.program = *std::move(program);
  for (const auto& inner : outline.parts) part.parts.push_back(compiled(inner, options));
  return part;
}

/// A part on one device.
struct Answer {
  const OutlinePart* part = nullptr;
  std::string value;
  bool failed = false;
  bool is_true = false;
  std::vector<Answer> parts;

  [[nodiscard]] ExplainedPart told(int depth, bool reached) const {
    return {part->text, depth, value, failed, reached};
  }
};

Answer answered(const OutlinePart& part, const DeviceShape& device, Evaluator& evaluator) {
  Answer answer;
  answer.part = &part;
  if (part.program) {
    const auto outcome = evaluator.evaluate(*part.program, device);
    answer.failed = outcome.value.is_error();
    answer.is_true = outcome.value.is_true();
    answer.value = answer.failed ? Evaluator::error_text(outcome.value) : value_text(outcome.value);
  }
  for (const auto& inner : part.parts) answer.parts.push_back(answered(inner, device, evaluator));
  return answer;
}

/// Whether an && or || has its answer with this operand.
bool settles(const Answer& whole, const Answer& operand) {
  const bool is_and = whole.part->kind == Kind::logical_and;
  return !operand.failed && operand.is_true != is_and;
}

/// Which parts were looked at: && and || end with the operand that settles them.
std::vector<bool> reached(const Answer& answer) {
  std::vector<bool> looked(answer.parts.size(), true);
  if (answer.part->kind == Kind::conditional) {
    looked[1] = !answer.parts[0].failed && answer.parts[0].is_true;
    looked[2] = !answer.parts[0].failed && !answer.parts[0].is_true;
  } else if (answer.part->kind == Kind::logical_and || answer.part->kind == Kind::logical_or) {
    const auto settled = std::ranges::find_if(
        answer.parts, [&](const Answer& operand) { return settles(answer, operand); });
    const auto last = static_cast<std::size_t>(settled - answer.parts.begin()) + 1;
    for (std::size_t i = last; i < looked.size(); ++i) looked[i] = false;
  }
  return looked;
}

void tell(const Answer& answer, int depth, bool is_reached, std::vector<ExplainedPart>& told) {
  const bool shown = answer.part->kind != Kind::literal && answer.part->program != nullptr;
  if (shown) told.push_back(answer.told(depth, is_reached));
  const auto looked = reached(answer);
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    tell(answer.parts[i], depth + (shown ? 1 : 0), is_reached && looked[i], told);
  }
}

/// The part that made an answer what it is; null where it is the whole itself.
const Answer* cause(const Answer& answer) {
  const auto& parts = answer.parts;
  switch (answer.part->kind) {
    case Kind::logical_not:
      return &parts[0];
    case Kind::conditional:
      if (parts[0].failed) return &parts[0];
      return parts[0].is_true ? &parts[1] : &parts[2];
    case Kind::logical_and:
    case Kind::logical_or: {
      const auto wanted = std::ranges::find_if(parts, [&](const Answer& operand) {
        return answer.failed ? operand.failed : settles(answer, operand);
      });
      return wanted == parts.end() ? nullptr : &*wanted;
    }
    default:
      break;
  }
  if (!answer.failed) return nullptr;
  const auto failing = std::ranges::find_if(parts, &Answer::failed);
  return failing == parts.end() ? nullptr : &*failing;
}

}  // namespace

struct Explainer::State {
  ProgramHandle program;
  OutlinePart root;
  Evaluator evaluator;
};

Explainer::Explainer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

std::expected<Explainer, CompileError> Explainer::make(std::string_view expression,
                                                       const CompileOptions& options) {
  auto program = compile(expression, options);
  if (!program) return std::unexpected(std::move(program.error()));
  auto any = options;
  any.purpose = Purpose::any;
  auto state = std::make_unique<State>();
  state->root = compiled(outline((*program)->text()), any);
  state->program = *std::move(program);
  return Explainer(std::move(state));
}

const ProgramHandle& Explainer::program() const {
  return state_->program;
}

std::vector<ExplainedPart> Explainer::explain(const DeviceShape& device) {
  std::vector<ExplainedPart> told;
  if (const auto& error = device.conversion_error()) {
    told.push_back({state_->root.text, 0, *error, true, true});
    return told;
  }
  tell(answered(state_->root, device, state_->evaluator), 0, true, told);
  return told;
}

std::vector<ExplainedPart> Explainer::decision(const DeviceShape& device) {
  if (device.conversion_error()) return explain(device);
  const auto whole = answered(state_->root, device, state_->evaluator);
  const Answer* decisive = &whole;
  while (const Answer* next = cause(*decisive)) decisive = next;
  std::vector<ExplainedPart> told;
  tell(*decisive, 0, true, told);
  return told;
}

}  // namespace dray::cel

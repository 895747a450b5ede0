#include "dray/cel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cel/check/checker.h"
#include "cel/check/cost_estimate.h"
#include "cel/check/validators.h"
#include "cel/eval/plan.h"
#include "cel/syntax/parser.h"

namespace dray::cel {

namespace {

using ErrorKind = CompileError::Kind;

std::unexpected<CompileError> refuse(ErrorKind kind, std::string message) {
  return std::unexpected<CompileError>(CompileError{kind, std::move(message)});
}

bool is_derivable_element(const Type& type) {
  return type.kind() == TypeKind::boolean || type.kind() == TypeKind::int64 ||
         type.kind() == TypeKind::string || type.is_dyn() || same_type(type, types::semver);
}

/// Why a checked type is no result for the purpose, or "".
std::string wrong_output(const Type& type, const DeviceTypes& device,
                         const CompileOptions& options) {
  switch (options.purpose) {
    case Purpose::any:
      return {};
    case Purpose::selector:
      if (type.kind() == TypeKind::boolean || same_type(type, *device.attribute)) return {};
      return "must evaluate to bool or the unknown type, not " + plain_text(type);
    case Purpose::derived_attribute:
      break;
  }
  const bool lists = options.environment.list_type_attributes ||
                     options.environment.kind == Environment::Kind::stored;
  const bool of_list = lists && type.kind() == TypeKind::list;
  if (is_derivable_element(of_list ? *type.params()[0] : type)) return {};
  return fmt::format(
      "must evaluate to a primitive scalar (string, integer, boolean, semver){}, "
      "not {}",
      lists ? " or a list of these scalars" : "", plain_text(type));
}

}  // namespace

Program::Program(std::unique_ptr<const Plan> plan) : plan_(std::move(plan)) {}
Program::~Program() = default;

const std::string& Program::text() const {
  return plan_->text;
}
const std::string& Program::output_type() const {
  return plan_->output_type;
}
std::uint64_t Program::max_cost() const {
  return plan_->max_cost;
}
const Reads& Program::reads() const {
  return plan_->reads;
}

std::expected<ProgramHandle, CompileError> compile(std::string_view text,
                                                   const CompileOptions& options) {
  auto plan = std::make_unique<Plan>(text);
  SourceErrors errors(plan->ast.source);
  const auto invalid = [&] {
    return refuse(ErrorKind::invalid, "compilation failed: " + errors.text());
  };
  parse(plan->ast, errors);
  if (!errors.empty()) return invalid();
  const DeviceTypes& device = device_types(options.environment);
  check(plan->ast, options.environment, plan->checked, errors);
  if (!errors.empty()) return invalid();
  validate(plan->ast, plan->checked, errors);
  if (!errors.empty()) return invalid();

  const Type& type = plan->checked.type(plan->ast.root);
  if (std::string wrong = wrong_output(type, device, options); !wrong.empty()) {
    return refuse(ErrorKind::invalid, std::move(wrong));
  }
  plan->output_type = plain_text(type);
  plan->cost_limit = options.cost_limit;
  std::string error;
  if (!lower(*plan, error)) {
    return refuse(ErrorKind::internal, "program instantiation failed: " + error);
  }
  plan->max_cost = estimate_cost(plan->ast, plan->checked, device);
  plan->reads = find_reads(plan->ast);
  return std::make_shared<const Program>(std::move(plan));
}

}  // namespace dray::cel

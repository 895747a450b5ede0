#include "dray/cel/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cel/eval/evaluation.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

/// Estimates are not always an upper bound; below this they are by far (the worst known case costs
/// under nine times its estimate, and the limit is twenty times this).
constexpr std::uint64_t cheap = 50'000;

/// Why cel-go cannot make a Go bool of a value.
std::string bool_conversion_error(const Value& value) {
  switch (value.kind) {
    case Kind::int64:
      return "unsupported type conversion from 'int' to bool";
    case Kind::uint64:
      return "unsupported type conversion from 'uint' to bool";
    case Kind::string:
      return "unsupported native conversion from string to 'bool'";
    case Kind::float64:
      return "type conversion error from Double to 'bool'";
    case Kind::bytes:
      return "type conversion error from Bytes to 'bool'";
    case Kind::null:
      return "type conversion error from 'null_type' to 'bool'";
    case Kind::duration:
      return "type conversion error from 'Duration' to 'bool'";
    case Kind::timestamp:
      return "type conversion error from 'Timestamp' to 'bool'";
    case Kind::list:
      return "type conversion error from list to 'bool'";
    case Kind::map:
      return "type conversion error from map to 'bool'";
    case Kind::type:
      return "type conversion not supported for 'type'";
    case Kind::quantity:
      return "type conversion error from 'Quantity' to 'bool'";
    case Kind::semver:
      return "type conversion error from 'Semver' to 'bool'";
    case Kind::ip:
      return "type conversion error from 'IP' to 'bool'";
    case Kind::cidr:
      return "type conversion error from 'CIDR' to 'bool'";
    case Kind::url:
      return "type conversion error from 'URL' to 'bool'";
    case Kind::format:
      return "type conversion error from 'Format' to 'bool'";
    default:
      return "optional.none() dereference";
  }
}

/// Go's type of a value's native form.
std::string_view native_type(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "structpb.NullValue";
    case Kind::boolean:
      return "bool";
    case Kind::int64:
      return "int64";
    case Kind::uint64:
      return "uint64";
    case Kind::float64:
      return "float64";
    case Kind::string:
    case Kind::type:
      return "string";
    case Kind::bytes:
      return "[]uint8";
    case Kind::list:
      return "[]ref.Val";
    case Kind::map:
      return "map[ref.Val]ref.Val";
    case Kind::duration:
      return "time.Duration";
    case Kind::timestamp:
      return "time.Time";
    case Kind::optional:
      return value.optional->present ? native_type(value.optional->value) : "<nil>";
    case Kind::quantity:
      return "*resource.Quantity";
    case Kind::semver:
      return "semver.Version";
    case Kind::ip:
      return "netip.Addr";
    case Kind::cidr:
      return "netip.Prefix";
    case Kind::url:
      return "*url.URL";
    case Kind::format:
      return "cel.Format";
    case Kind::error:
      return "error";
  }
  return "";
}

template <class Element, class Make>
Result<AttributeValue> derive_list(Context& context, const ListValue& list, Kind kind,
                                   std::string_view name, Make make) {
  std::vector<Element> elements;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const Value item = list_at(context, list, i);
    if (!item.is(kind)) {
      return fail(ErrorCode::invalid,
                  fmt::format("expected list element at index {} to be {}, got {}", i, name,
                              native_type(item)));
    }
    elements.push_back(make(item));
  }
  return AttributeValue(std::move(elements));
}

bool as_bool(const Value& v) {
  return v.boolean;
}
std::int64_t as_int(const Value& v) {
  return v.int64;
}
std::string as_string(const Value& v) {
  return std::string(v.text());
}
VersionText as_version(const Value& v) {
  return VersionText(v.semver->to_string());
}

Result<AttributeValue> attribute_of(Context& context, const Value& value) {
  switch (value.kind) {
    case Kind::boolean:
      return AttributeValue(value.boolean);
    case Kind::int64:
      return AttributeValue(value.int64);
    case Kind::string:
    case Kind::type:
      return AttributeValue(value.is(Kind::type) ? value.type->name() : as_string(value));
    case Kind::semver:
      return AttributeValue(as_version(value));
    case Kind::optional:
      if (value.optional->present && !value.optional->value.is(Kind::list)) {
        return attribute_of(context, value.optional->value);
      }
      break;
    default:
      break;
  }
  if (!value.is(Kind::list)) {
    return fail(ErrorCode::invalid,
                fmt::format("unsupported CEL return type: {}", native_type(value)));
  }
  const ListValue& list = *value.list;
  if (list.size == 0) return AttributeValue(std::vector<std::string>{});
  const Value first = list_at(context, list, 0);
  switch (first.kind) {
    case Kind::boolean:
      return derive_list<bool>(context, list, Kind::boolean, "bool", as_bool);
    case Kind::int64:
      return derive_list<std::int64_t>(context, list, Kind::int64, "int", as_int);
    case Kind::string:
      return derive_list<std::string>(context, list, Kind::string, "string", as_string);
    case Kind::semver:
      return derive_list<VersionText>(context, list, Kind::semver, "semver", as_version);
    default:
      return fail(ErrorCode::invalid,
                  fmt::format("unsupported list element type: {}", native_type(first)));
  }
}

}  // namespace

struct Evaluator::State {
  Evaluation evaluation;

  Value run(const Program& program, const DeviceShape& device) {
    const Plan& plan = program.plan();
    const bool track = plan.always_tracked || plan.max_cost > std::min(cheap, plan.cost_limit / 20);
    return evaluation.run(plan, device, track);
  }
};

Evaluator::Evaluator() : state_(std::make_unique<State>()) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

Verdict Evaluator::verdict(const Program& program, const DeviceShape& device) {
  if (device.conversion_error()) return Verdict::error;
  const Value value = state_->run(program, device);
  const Value* result = &value;
  while (result->is(Kind::optional) && result->optional->present) {
    result = &result->optional->value;
  }
  if (!result->is(Kind::boolean)) return Verdict::error;
  return result->boolean ? Verdict::yes : Verdict::no;
}

Result<bool> Evaluator::matches(const Program& program, const DeviceShape& device) {
  if (device.conversion_error()) return fail(ErrorCode::invalid, *device.conversion_error());
  const Value value = state_->run(program, device);
  if (value.is_error()) {
    return fail(ErrorCode::invalid, with_hint(error_text(value)));
  }
  const Value* result = &value;
  while (result->is(Kind::optional) && result->optional->present) {
    result = &result->optional->value;
  }
  if (result->is(Kind::boolean)) return result->boolean;
  return fail(ErrorCode::invalid,
              fmt::format("CEL result of type {} could not be converted to bool: {}",
                          type_of(value).name(), bool_conversion_error(*result)));
}

Result<AttributeValue> Evaluator::derive(const Program& program, const DeviceShape& device) {
  if (device.conversion_error()) return fail(ErrorCode::invalid, *device.conversion_error());
  const Value value = state_->run(program, device);
  if (value.is_error()) return fail(ErrorCode::invalid, error_text(value));  // no hint upstream
  return attribute_of(state_->evaluation.context, value);
}

Evaluator::Outcome Evaluator::evaluate(const Program& program, const DeviceShape& device,
                                       std::span<const Value> variables) {
  Evaluation& evaluation = state_->evaluation;
  Outcome outcome;
  outcome.value = evaluation.run(program.plan(), device, true, variables);
  outcome.cost = evaluation.costs.cost();
  outcome.cancelled = evaluation.context.cancelled != nullptr;
  return outcome;
}

std::string Evaluator::error_text(const Value& error) {
  return cel::error_text(*error.error);
}

std::string with_hint(std::string message) {
  if (message.find("no such key:") != std::string::npos) {
    message +=
        ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
        "with has() for optional fields";
  }
  return message;
}

}  // namespace dray::cel

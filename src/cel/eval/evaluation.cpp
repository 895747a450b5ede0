#include "cel/eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cel/value/values.h"

namespace dray::cel {

Value Evaluation::run(const Plan& plan, const DeviceShape& device, bool track,
                      std::span<const Value> variables) {
  variables_ = variables;
  context.clear();
  context.device = &device;
  plan_ = &plan;
  folds_.resize(static_cast<std::size_t>(plan.folds));
  states_.resize(static_cast<std::size_t>(plan.folds));
  if (bound_plan_ != plan.serial || bound_names_ != device.names().serial()) {
    columns_.clear();
    for (const Name& name : plan.names) {
      columns_.push_back(device.names().find(name.half, name.domain, name.id));
    }
    bound_plan_ = plan.serial;
    bound_names_ = device.names().serial();
  }
  costs.start(plan.cost_limit);
  const Value value = track ? eval<true>(*plan.root) : eval<false>(*plan.root);
  if (context.cancelled == nullptr) return value;
  Value cancelled;
  cancelled.kind = Kind::error;
  cancelled.error = context.cancelled;
  return cancelled;
}

Value Evaluation::fold_constant(const Plan& plan, const Node& node) {
  plan_ = &plan;
  const Value value = eval_inner<false>(node);
  if (context.cancelled == nullptr) return value;
  Value cancelled;
  cancelled.kind = Kind::error;
  cancelled.error = context.cancelled;
  return cancelled;
}

template <bool track>
Value Evaluation::eval(const Node& node) {
  if constexpr (track) {
    if (context.cancelled != nullptr) return context.cancel({});  // nothing more is counted
  }
  const Value value = eval_inner<track>(node);
  if constexpr (track) observe(node, value);
  return value;
}

template <bool track>
Value Evaluation::eval_inner(const Node& node) {
  switch (node.kind) {
    case NodeKind::constant:
      return node.constant;
    case NodeKind::path:
      return resolve<track>(*node.path);
    case NodeKind::has: {
      const Value value = resolve<track>(*node.path);
      return value.is(Kind::optional) ? Value::of(value.optional->present) : value;
    }
    case NodeKind::logical_and:
      return logical<track>(node, false);
    case NodeKind::logical_or:
      return logical<track>(node, true);
    case NodeKind::equal:
      return equality<track>(node, false);
    case NodeKind::not_equal:
      return equality<track>(node, true);
    case NodeKind::call:
      return invoke<track>(node);
    case NodeKind::list:
      return make_list<track>(node);
    case NodeKind::map:
      return make_map<track>(node);
    case NodeKind::fold:
      return fold<track>(*node.fold);
    case NodeKind::in_set:
      return in_set<track>(node);
    case NodeKind::optional_or:
    case NodeKind::optional_or_value:
      return optional_or<track>(node);
  }
  return Value{};
}

/// && and ||: the deciding value wins over errors; else the first error.
template <bool track>
Value Evaluation::logical(const Node& node, bool deciding) {
  Value failed;
  for (const Node* term : node.args) {
    const Value value = eval<track>(*term);
    if (context.cancelled != nullptr) return value;
    if (value.is(Kind::boolean)) {
      if (value.boolean == deciding) return value;
    } else if (!failed.is_error()) {
      failed = Context::no_such_overload(value);
    }
  }
  return failed.is_error() ? failed : Value::of(!deciding);
}

template <bool track>
Value Evaluation::equality(const Node& node, bool negated) {
  const Value left = eval<track>(*node.args[0]);
  const Value right = eval<track>(*node.args[1]);
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  const Value same = equal(context, left, right);
  return negated ? Value::of(!same.is_true()) : same;
}

template <bool track>
Value Evaluation::invoke(const Node& node) {
  const Call& called = *node.call;
  if constexpr (!track) {
    if (called.folded) return called.result;
    if (called.presence >= 0) {
      return Value::of(columns_[static_cast<std::size_t>(called.presence)] >= 0);
    }
  }
  std::array<Value, 4> few;
  std::span<Value> args(few.data(), std::min(called.args.size(), few.size()));
  if (called.args.size() > few.size()) args = context.arena.array<Value>(called.args.size());
  const bool stops_early = called.form == CallForm::many && !called.lazy_errors;
  for (std::size_t i = 0; i < args.size(); ++i) {
    args[i] = eval<track>(*called.args[i]);
    if (context.cancelled != nullptr || (stops_early && args[i].is_error())) return args[i];
  }
  if (!called.lazy_errors) {
    for (const Value& arg : args) {
      if (arg.is_error()) return arg;
    }
  }
  if (called.folded) return called.result;
  call = &called;
  return dispatch(called, args, node.own_id);
}

Value Evaluation::dispatch(const Call& called, std::span<const Value> args, ExprId id) {
  const auto bare = [&] {
    if (called.form == CallForm::many) {
      return context.error(fmt::format("no such overload: {} {}", called.function, id));
    }
    return context.error(fmt::format("no such overload: {}", called.function));
  };
  if (called.trait != Trait::none && !has_trait(args[0], called.trait)) {
    return has_trait(args[0], Trait::receiver) ? Context::no_such_overload() : bare();
  }
  if (called.candidates.empty()) return bare();
  for (const BoundOverload& candidate : called.candidates) {
    if (candidate.run == nullptr) continue;
    bool fits = candidate.types.empty() || candidate.types.size() == args.size();
    for (std::size_t i = 0; fits && i < candidate.types.size(); ++i) {
      fits = (called.lazy_errors && args[i].is_error()) ||
             takes(context, *candidate.types[i], args[i]);
    }
    if (fits) return candidate.run(*this, args);
  }
  std::string signature;
  for (const Value& arg : args) {
    if (arg.is_error()) return arg;
    signature += (signature.empty() ? "" : ", ") + type_of(arg).name();
  }
  return context.error(fmt::format("no such overload: {}({})", called.function, signature));
}

template <bool track>
Value Evaluation::make_list(const Node& node) {
  std::span<Value> items = context.arena.array<Value>(node.args.size());
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    Value item = eval<track>(*node.args[i]);
    if (item.is_error()) return item;
    if (!node.optionals.empty() && node.optionals[i]) {
      if (!item.is(Kind::optional)) {
        return context.error(fmt::format(
            "cannot initialize optional list element from non-optional value {}", go_text(item)));
      }
      if (!item.optional->present) continue;
      item = item.optional->value;
    }
    items[count++] = item;
  }
  auto* list = context.arena.make<ListValue>();
  list->size = count;
  list->items = items.data();
  Value value;
  value.kind = Kind::list;
  value.list = list;
  return value;
}

template <bool track>
Value Evaluation::make_map(const Node& node) {
  std::span<MapEntry> entries = context.arena.array<MapEntry>(node.args.size() / 2);
  std::size_t count = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Value key = eval<track>(*node.args[2 * i]);
    if (key.is_error()) return key;
    Value value = eval<track>(*node.args[2 * i + 1]);
    if (value.is_error()) return value;
    const bool optional = !node.optionals.empty() && node.optionals[i];
    if (optional && !value.is(Kind::optional)) {
      return context.error(
          fmt::format("cannot initialize optional entry '{}' from non-optional value {}",
                      go_text(key), go_text(value)));
    }
    const bool absent = optional && !value.optional->present;
    if (!hashable(key)) {
      // Go says it otherwise where it takes a key out of an empty map.
      const bool from_none = absent && count == 0;
      return context.panic(
          from_none ? fmt::format("hash of unhashable type: {}", go_type(key))
                    : fmt::format("runtime error: hash of unhashable type {}", go_type(key)));
    }
    if (absent) {
      const auto same = [&](const MapEntry& entry) { return compare_keys(entry.key, key) == 0; };
      const auto end = entries.begin() + static_cast<std::ptrdiff_t>(count);
      count =
          static_cast<std::size_t>(std::remove_if(entries.begin(), end, same) - entries.begin());
      continue;
    }
    entries[count++] = {key, optional ? value.optional->value : value};
  }
  return context.map(entries.first(count));
}

template <bool track>
Value Evaluation::in_set(const Node& node) {
  const Value value = eval<track>(*node.args[0]);
  if (value.is_error()) return value;
  if (!hashable(value)) {
    return context.panic(fmt::format("runtime error: hash of unhashable type {}", go_type(value)));
  }
  return Value::of(node.set->contains(value));
}

template <bool track>
Value Evaluation::optional_or(const Node& node) {
  const Value left = eval<track>(*node.args[0]);
  if (left.is_error()) return left;
  if (!left.is(Kind::optional)) return Context::no_such_overload();
  if (!left.optional->present) return eval<track>(*node.args[1]);
  return node.kind == NodeKind::optional_or ? left : left.optional->value;
}

// --- paths ---

template <bool track>
Value Evaluation::root(const Path& path) {
  const auto state = [&]() -> FoldState& { return states_[static_cast<std::size_t>(path.fold)]; };
  switch (path.root) {
    case Path::Root::device:
      return device_value(context);
    case Path::Root::variable:
      return variables_[static_cast<std::size_t>(path.fold)];
    case Path::Root::accumulator:
      return accumulator<track>(*folds_[static_cast<std::size_t>(path.fold)]);
    case Path::Root::first_variable:
      return state().first;
    case Path::Root::second_variable:
      return state().second;
    default:
      return eval<track>(*path.operand);
  }
}

template <bool track>
Value Evaluation::resolve(const Path& path) {
  if (path.root == Path::Root::conditional) {
    const Value condition = eval<track>(*path.operand);
    if (context.cancelled != nullptr) return context.cancel({});
    if (condition.is_true()) return resolve<track>(*path.then);
    if (condition.is_false()) return resolve<track>(*path.otherwise);
    return Context::no_such_overload(condition);
  }
  if constexpr (!track) {
    if (path.shortcut != Path::Shortcut::none) return shortcut(path);
  }
  const Value value = root<track>(path);
  if (context.cancelled != nullptr) return context.cancel({});  // nothing more is counted
  if (value.is_error() || path.qualifiers.empty()) return value;
  return qualified<track>(path, value, 0);
}

Value Evaluation::shortcut(const Path& path) {
  switch (path.shortcut) {
    case Path::Shortcut::driver:
      return Value::of(context.device->driver());
    case Path::Shortcut::allow_multiple:
      return Value::of(context.device->allow_multiple_allocations());
    default:
      break;
  }
  const int column = columns_[static_cast<std::size_t>(path.read)];
  if (path.shortcut == Path::Shortcut::has_name) return Value::of(column >= 0);
  if (path.shortcut == Path::Shortcut::optional_name) {
    if (column < 0) return Context::none();
    return context.optional(column_value(context, context.device->at(column).value));
  }
  if (column < 0) return context.no_such_key(path.qualifiers[2].key);
  const Value value = column_value(context, context.device->at(column).value);
  return path.shortcut == Path::Shortcut::within_name ? qualified<false>(path, value, 3) : value;
}

template <bool track>
Value Evaluation::qualified(const Path& path, const Value& root, std::size_t from) {
  Value object = root;
  bool optional = object.is(Kind::optional);
  if (optional) {
    if (!object.optional->present) return object;
    object = object.optional->value;
  }
  for (const Qualifier& qualifier : std::span(path.qualifiers).subspan(from)) {
    optional = optional || qualifier.optional;
    const Qualified step = qualify<track>(qualifier, object, optional);
    if (step.value.is_error()) return step.value;
    if (!step.present) return Context::none();
    object = step.value;
  }
  return optional ? context.optional(object) : object;
}

template <bool track>
Evaluation::Qualified Evaluation::qualify(const Qualifier& qualifier, const Value& object,
                                          bool presence) {
  Value key = qualifier.key;
  Qualified step;
  if (qualifier.computed != nullptr) {
    key = resolve<track>(*qualifier.computed);
    if (context.cancelled != nullptr) return {false, key};
  }
  switch (key.kind) {
    case Kind::boolean:
    case Kind::int64:
    case Kind::uint64:
    case Kind::float64:
    case Kind::string:
      step = apply_key(object, key, presence || qualifier.test_only);
      break;
    case Kind::error:
      step = {false, key};
      break;
    default:
      step = {false, context.error(fmt::format("invalid qualifier type: {}", go_type(key)))};
  }
  if (qualifier.test_only && !step.value.is_error() && !presence) {
    step = {true, Value::of(step.present)};
  }
  if constexpr (track) {
    if (!presence || step.present) {
      if (qualifier.relative) costs.drop(qualifier.computed->id());
      costs.add(1);
      costs.push(qualifier.id, step.value);
      check_cost();
      if (context.cancelled != nullptr) {
        return {false, context.cancel({})};
      }
    }
  }
  return step;
}

/// `present` says whether there is a value; with `presence` a missing one is no error.
Evaluation::Qualified Evaluation::apply_key(const Value& object, const Value& key, bool presence) {
  if (object.is(Kind::map)) {
    const Found found = map_find(context, *object.map, key);
    if (found.found) return {!found.value.is_error(), found.value};
    return {false, presence ? Value{} : context.no_such_key(key)};
  }
  if (object.is(Kind::list)) {
    std::int64_t index = 0;
    std::string error;
    if (!list_index(key, index, error)) return {false, context.error(error)};
    if (index >= 0 && index < static_cast<std::int64_t>(object.list->size)) {
      return {true, list_at(context, *object.list, static_cast<std::uint32_t>(index))};
    }
    return {false, presence ? Value{} : context.index_out_of_bounds(key)};
  }
  return {false, presence ? Value{} : context.no_such_key(key)};
}

template Value Evaluation::eval<false>(const Node& node);
template Value Evaluation::eval<true>(const Node& node);

}  // namespace dray::cel

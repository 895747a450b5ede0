#include <fmt/format.h>

#include "cel/eval/evaluation.h"
#include "cel/value/values.h"

// Comprehensions.

namespace dray::cel {

template <bool track>
Value Evaluation::fold(const Fold& fold) {
  const auto index = static_cast<std::size_t>(fold.index);
  folds_[index] = &fold;
  states_[index] = {};
  const Value range = eval<track>(*fold.range);
  if (range.is_error()) return range;
  FoldState& state = states_[index];
  if (!range.is(Kind::list) && !range.is(Kind::map)) {
    return context.error(
        fmt::format(fmt::runtime(fold.two_variables ? "unsupported comprehension range type: {}"
                                                    : "got '{}', expected iterable type"),
                    go_type(range)));
  }
  const bool is_list = range.is(Kind::list);
  const std::uint32_t size = is_list ? range.list->size : range.map->size;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (is_list) {
      state.second = list_at(context, *range.list, i);
      state.first = fold.two_variables ? Value::of(static_cast<std::int64_t>(i)) : state.second;
    } else {
      const MapEntry entry = map_at(context, *range.map, i);
      state.first = entry.key;
      state.second = entry.value;
    }
    if (!fold_step<track>(fold, state)) break;
  }
  return fold_result<track>(fold, state);
}

template <bool track>
bool Evaluation::fold_step(const Fold& fold, FoldState& state) {
  const Value more = eval<track>(*fold.condition);
  if (context.cancelled != nullptr || more.is_false()) return false;
  const Value next = eval<track>(*fold.step);
  state.accumulator = next;
  state.initialized = true;
  return context.cancelled == nullptr && context.afford(0);
}

template <bool track>
Value Evaluation::fold_result(const Fold& fold, FoldState& state) {
  if (context.cancelled != nullptr) return Value{};
  const Value result = eval<track>(*fold.result);
  return state.grows && !result.is_error() ? frozen(context, result) : result;
}

/// The accumulator starts when it is first asked for, which makes cel.bind lazy.
template <bool track>
Value Evaluation::accumulator(const Fold& fold) {
  FoldState& state = states_[static_cast<std::size_t>(fold.index)];
  if (!state.initialized) {
    state.initialized = true;
    Value start = eval<track>(*fold.accu_init);
    if (start.is(Kind::list) && start.list->size == 0) {
      start = context.growing_list();
      state.grows = true;
    } else if (start.is(Kind::map) && start.map->size == 0) {
      start = context.growing_map();
      state.grows = true;
    }
    state.accumulator = start;
  }
  return state.accumulator;
}

template Value Evaluation::fold<false>(const Fold& fold);
template Value Evaluation::fold<true>(const Fold& fold);
template Value Evaluation::accumulator<false>(const Fold& fold);
template Value Evaluation::accumulator<true>(const Fold& fold);

}  // namespace dray::cel

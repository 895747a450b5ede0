#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/eval/cost_tracker.h"
#include "cel/eval/plan.h"
#include "cel/value/runtime.h"

namespace dray::cel {

/// One thread's state of running programs.
class Evaluation {
 public:
  Context context;
  CostTracker costs;

  /// Runs the plan on a device. With `track`, upstream's cost is counted and limited.
  Value run(const Plan& plan, const DeviceShape& device, bool track,
            std::span<const Value> variables = {});
  /// Runs one node of a plan without a device: constant folding.
  Value fold_constant(const Plan& plan, const Node& node);

  /// The call being run, for implementations that have something compiled.
  const Call* call = nullptr;

 private:
  struct FoldState {
    Value accumulator;
    Value first;
    Value second;
    bool initialized = false;
    bool grows = false;
  };

  template <bool track>
  Value eval(const Node& node);
  template <bool track>
  Value eval_inner(const Node& node);
  template <bool track>
  Value logical(const Node& node, bool deciding);
  template <bool track>
  Value equality(const Node& node, bool negated);
  template <bool track>
  Value invoke(const Node& node);
  template <bool track>
  Value make_list(const Node& node);
  template <bool track>
  Value make_map(const Node& node);
  template <bool track>
  Value in_set(const Node& node);
  template <bool track>
  Value optional_or(const Node& node);

  template <bool track>
  Value fold(const Fold& fold);
  /// False when the fold ends.
  template <bool track>
  bool fold_step(const Fold& fold, FoldState& state);
  template <bool track>
  Value fold_result(const Fold& fold, FoldState& state);
  template <bool track>
  Value accumulator(const Fold& fold);

  template <bool track>
  Value resolve(const Path& path);
  template <bool track>
  Value root(const Path& path);
  /// Follows the path's qualifiers from number `from` on; `root` is what those before lead to.
  template <bool track>
  Value qualified(const Path& path, const Value& root, std::size_t from);
  struct Qualified {
    bool present = false;
    Value value;
  };
  template <bool track>
  Qualified qualify(const Qualifier& qualifier, const Value& object, bool presence);
  Qualified apply_key(const Value& object, const Value& key, bool presence);
  Value shortcut(const Path& path);

  Value dispatch(const Call& call, std::span<const Value> args, ExprId id);

  void observe(const Node& node, const Value& value);
  void observe_path(const Path& path, bool has);
  void check_cost();

  const Plan* plan_ = nullptr;
  std::span<const Value> variables_;
  std::vector<const Fold*> folds_;
  std::vector<FoldState> states_;
  std::vector<Value> arguments_;
  std::vector<Value> observed_;
  std::uint64_t bound_names_ = 0;  ///< the serials of what `columns_` is good for
  std::uint64_t bound_plan_ = 0;
  std::vector<int> columns_;
};

}  // namespace dray::cel

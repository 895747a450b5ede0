#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/model/meta.h"

namespace dray {

/// metav1.LabelSelectorRequirement; `op` is In, NotIn, Exists or DoesNotExist as written.
struct LabelRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const LabelRequirement&) const = default;
};

/// metav1.LabelSelector: all of it must hold; an empty one selects everything.
struct LabelSelector {
  Labels match_labels;
  std::vector<LabelRequirement> match_expressions;

  /// Whether an object with these labels is selected. An unknown operator selects nothing.
  [[nodiscard]] bool matches(const Labels& labels) const;
  bool operator==(const LabelSelector&) const = default;
};

/// PodDisruptionBudget of policy/v1, as far as it tells how many evictions it has left.
struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  ///< none: selects nothing
  std::int32_t disruptions_allowed = 0;

  bool operator==(const PodDisruptionBudget&) const = default;
};

/// PriorityClass of scheduling.k8s.io/v1: groups name one, pods bear its value already.
struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;

  bool operator==(const PriorityClass&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& priority_class) {
    io.required("value", priority_class.value);
    io.field("globalDefault", priority_class.global_default);
  }
};

}  // namespace dray

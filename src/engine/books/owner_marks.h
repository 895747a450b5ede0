#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dray/model/meta.h"
#include "dray/policy/gang.h"

// What objects that own pods say in KAI's labels and annotations, which its podgrouper copies to
// the PodGroup that it makes.

namespace dray::engine {

/// Labels, and those annotations that are KAI's, of an object that owns pods.
struct OwnerMarks {
  Labels labels;
  Labels annotations;

  bool operator==(const OwnerMarks&) const = default;
};

/// The marks of an object with that metadata.
[[nodiscard]] OwnerMarks owner_marks(const ObjectMeta& meta);

/// The annotation's number; nothing: there is none, or it is no number.
[[nodiscard]] std::optional<std::int32_t> number_mark(const Labels& marks, const char* key);
/// Nothing, or what is wrong with kai.scheduler/batch-min-member: `annotation kai.scheduler/… of
/// WHOSE: …`.
[[nodiscard]] std::optional<std::string> wrong_min_member(const Labels& annotations,
                                                          const std::string& whose);

/// Whether annotations name a level of a topology in which pods agree.
[[nodiscard]] bool has_kai_topology(const Labels& annotations);
/// That constraint; empty where they name no level.
[[nodiscard]] policy::TopologyConstraint kai_topology(const Labels& annotations);

}  // namespace dray::engine

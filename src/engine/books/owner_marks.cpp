#include "engine/books/owner_marks.h"

#include <charconv>
#include <string_view>

#include "dray/engine/group_marks.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

constexpr std::string_view kai_domain = "kai.scheduler/";

}  // namespace

OwnerMarks owner_marks(const ObjectMeta& meta) {
  OwnerMarks marks;
  marks.labels = meta.labels;
  const auto first = meta.annotations.lower_bound(kai_domain);
  for (auto at = first; at != meta.annotations.end() && at->first.starts_with(kai_domain); ++at) {
    marks.annotations.insert(marks.annotations.end(), *at);
  }
  return marks;
}

std::optional<std::int32_t> number_mark(const Labels& marks, const char* key) {
  const auto text = mark(marks, key);
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> wrong_min_member(const Labels& annotations, const std::string& whose) {
  const auto found = annotations.find(kai_min_member_annotation);
  if (found == annotations.end()) return std::nullopt;
  const auto value = number_mark(annotations, kai_min_member_annotation);
  if (value && *value >= 1) return std::nullopt;
  return std::string("annotation ") + kai_min_member_annotation + " of " + whose + ": \"" +
         found->second + "\" is not a number of pods (1 or more)";
}

bool has_kai_topology(const Labels& annotations) {
  return annotations.contains(kai_required_level_annotation) ||
         annotations.contains(kai_preferred_level_annotation);
}

policy::TopologyConstraint kai_topology(const Labels& annotations) {
  if (!has_kai_topology(annotations)) return {};
  return {mark(annotations, kai_topology_annotation),
          mark(annotations, kai_required_level_annotation),
          mark(annotations, kai_preferred_level_annotation)};
}

}  // namespace dray::engine

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dashboard/views.h"
#include "dray/policy/resource.h"
#include "wire/json/json_writer.h"

namespace dray::dashboard {

// Parts that the screens have in common.

using wire::FieldWriter;
using wire::JsonWriter;

inline void write_count(FieldWriter& io, std::string_view key, std::size_t count) {
  io.required(key, static_cast<std::int64_t>(count));
}

/// `describe(FieldWriter&, item)` for each, also where there is none.
template <class Items, class F>
void write_list(JsonWriter& out, const Items& items, F&& describe) {
  out.begin_list();
  for (const auto& item : items) {
    out.object([&](FieldWriter& io) { describe(io, item); });
  }
  out.end_list();
}

/// An amount in the unit that people read; null: no bound.
[[nodiscard]] inline std::string amount_text(double amount, policy::ResourceUnit unit) {
  return amount == policy::unlimited ? "null" : policy::humanize(amount, unit);
}

/// Which of `total` items a page has: [first, second).
[[nodiscard]] inline std::pair<std::size_t, std::size_t> part_of(const Page& page,
                                                                 std::size_t total) {
  const auto from = std::min(page.from, total);
  return {from, std::min(from + page.limit, total)};
}

/// The claim's namespace and name, its pods and its queue; of a namespace that the viewer does not
/// see that it is another's, and false: then nothing else that its tenant wrote may follow.
bool write_claim(FieldWriter& io, const Picture& picture, const ResourceClaim& claim,
                 const Viewer& viewer);

}  // namespace dray::dashboard

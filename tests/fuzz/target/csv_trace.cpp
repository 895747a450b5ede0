#include <algorithm>
#include <string_view>

#include "dray/base/check.h"
#include "dray/simulate/synthetic.h"
#include "dray/simulate/trace.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

/// Errors begin with a line of the text.
void check_place(std::string_view text, const Error& error) {
  const auto lines = 1 + std::ranges::count(text, '\n');
  std::int64_t line = 0;
  for (const char c : error.message) {
    if (c < '0' || c > '9') break;
    line = line * 10 + (c - '0');
  }
  DRAY_CHECK(line >= 1 && line <= lines);
}

std::size_t size_of(const simulate::Workload& workload) {
  return workload.jobs.size();
}
std::size_t size_of(const std::vector<simulate::GpuNode>& nodes) {
  return nodes.size();
}

/// With `lenient` a row that cannot be read is counted, and the others are there.
template <class Read>
void check_trace(std::string_view text, const Read& read) {
  const auto strict = read(text, simulate::TraceRules{});
  const auto lenient = read(text, simulate::TraceRules{.lenient = true});
  if (!lenient) {
    check_place(text, lenient.error());
    DRAY_CHECK(!strict);
    return;
  }
  const auto& skipped = lenient->skipped;
  DRAY_CHECK((skipped.count == 0) == skipped.first.empty());
  DRAY_CHECK(strict.has_value() == (skipped.count == 0));
  if (!strict) return check_place(text, strict.error());
  DRAY_CHECK(size_of(strict->value) == size_of(lenient->value));
}

void check_specification(std::string_view text) {
  auto spec = simulate::parse_synthetic(text);
  if (!spec) {
    DRAY_CHECK(!spec.error().message.empty());
    return;
  }
  DRAY_CHECK(!spec->queues.empty() && !spec->sizes.empty());
  spec->jobs = std::min<std::size_t>(spec->jobs, 50);
  const auto workload = simulate::synthetic(*spec);
  DRAY_CHECK(workload.jobs.size() == spec->jobs);
  for (const auto& job : workload.jobs) DRAY_CHECK(job.pods >= 1 && job.ask.gpus >= 0);
}

void check_order(std::string_view text) {
  const auto seeds = simulate::seeds_of(text);
  if (!seeds) return;
  for (const auto seed : *seeds) {
    const auto order = simulate::read_order(text, seed, 4, 3);
    if (!order) continue;
    DRAY_CHECK(order->ranks.size() == 3);
    for (const auto job : order->jobs) DRAY_CHECK(job < 4);
  }
}

}  // namespace

/// Traces of clusters, the specification of a drawn one, and orders of arrival: the first character
/// says which.
void csv_trace(std::string_view bytes) {
  Input input(bytes);
  switch (input.pick(7)) {
    case 0:
      return check_trace(input.rest(), simulate::read_openb_nodes);
    case 1:
      return check_trace(input.rest(), simulate::read_openb_pods);
    case 2:
      return check_trace(input.rest(), simulate::read_philly);
    case 3:
      return check_trace(input.rest(), simulate::read_helios);
    case 4:
      return check_trace(input.rest(), simulate::read_jobs_csv);
    case 5:
      return check_specification(input.rest());
    default:
      return check_order(input.rest());
  }
}

}  // namespace dray::fuzz

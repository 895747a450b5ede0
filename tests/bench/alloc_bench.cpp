#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "dray/alloc/allocator.h"
#include "tests/bench/alloc_problems.h"
#include "tests/bench/stopwatch.h"

// Full allocations, with their results, on every node of a problem's cluster, in both modes: a JSON
// line for each, the nanoseconds of one node. `alone` has a new allocator for every node (of
// the first hundred), so that nothing is remembered, not even a compiled selector; `cold` has a new
// one for the cluster; `again` asks that one a second time. Kubernetes' own allocator does the same
// (tests/bench/peer): it remembers nothing but compiled selectors.
//
// usage: dray_alloc_bench [PART OF A NAME]

namespace dray::bench {
namespace {

using alloc::Allocator;
using alloc::AllocatorOptions;
using alloc::Mode;

/// Nanoseconds of one call, the least of some.
template <class Call>
double nanoseconds(const Call& call) {
  double best = 1e300;
  const Stopwatch all;
  for (int i = 0; i < 3 || all.seconds() < 0.25; ++i) {
    // Short calls are counted together: asking the clock takes time, too.
    int calls = 0;
    const Stopwatch watch;
    do {
      call();
      ++calls;
    } while (watch.milliseconds() < 1);
    best = std::min(best, watch.nanoseconds() / calls);
  }
  return best;
}

class Sweep {
 public:
  explicit Sweep(const AllocProblem& problem)
      : state_(problem.cluster->snapshot()), asked_(problem.asked) {}

  [[nodiscard]] std::size_t nodes() const { return state_.snapshot().nodes_by_name().size(); }
  /// As many as upstream's is patient for: compiling takes it a while.
  [[nodiscard]] std::size_t nodes_alone() const { return std::min<std::size_t>(nodes(), 100); }

  struct Answer {
    std::size_t allocated = 0;  ///< nodes on which the claim gets devices
    std::size_t devices = 0;
  };
  Answer ask_all(Allocator& allocator) const {
    Answer all;
    for (const auto node : state_.snapshot().nodes_by_name()) add(ask(allocator, node), all);
    return all;
  }
  void ask_alone(const AllocatorOptions& options) const {
    std::size_t left = nodes_alone();
    for (const auto node : state_.snapshot().nodes_by_name()) {
      if (left-- == 0) break;
      Allocator allocator(options);
      (void)ask(allocator, node);
    }
  }

 private:
  Result<alloc::AllocationOutcome> ask(Allocator& allocator, cluster::NodeIndex node) const {
    const ResourceClaim* claims[] = {&asked_};
    return allocator.allocate(state_, node, claims);
  }
  static void add(const Result<alloc::AllocationOutcome>& outcome, Answer& all) {
    if (!outcome) return;
    if (const auto* found = std::get_if<alloc::Allocation>(&*outcome)) {
      ++all.allocated;
      for (const auto& result : found->results) all.devices += result.devices.size();
    }
  }

  cluster::AllocatedState state_;
  const ResourceClaim& asked_;
};

void time_problem(const AllocProblem& problem, Mode mode) {
  const Sweep sweep(problem);
  AllocatorOptions options;
  options.mode = mode;
  std::optional<Allocator> allocator;
  const auto cold = nanoseconds([&] {
    allocator.emplace(options);
    sweep.ask_all(*allocator);
  });
  const auto again = nanoseconds([&] { sweep.ask_all(*allocator); });
  const auto alone = nanoseconds([&] { sweep.ask_alone(options); });
  const auto answer = sweep.ask_all(*allocator);
  const auto nodes = static_cast<double>(sweep.nodes());
  const nlohmann::json line = {
      {"name", problem.name + (mode == Mode::best ? ", best" : ", first-fit")},
      {"peer", problem.name},
      {"alone_ns", alone / static_cast<double>(sweep.nodes_alone())},
      {"cold_ns", cold / nodes},
      {"again_ns", again / nodes},
      {"work",
       {{"nodes", sweep.nodes()}, {"allocated", answer.allocated}, {"devices", answer.devices}}}};
  fmt::print("{}\n", line.dump());
  (void)std::fflush(stdout);
}

}  // namespace
}  // namespace dray::bench

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  for (const auto& problem : dray::bench::alloc_problems()) {
    if (problem.name.find(wanted) == std::string::npos) continue;
    dray::bench::time_problem(problem, dray::alloc::Mode::first_fit);
    dray::bench::time_problem(problem, dray::alloc::Mode::best);
  }
}

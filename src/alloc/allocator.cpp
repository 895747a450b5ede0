#include "dray/alloc/allocator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "alloc/ask.h"
#include "alloc/explain.h"
#include "alloc/node_view.h"
#include "alloc/result.h"
#include "alloc/search.h"
#include "alloc/tables.h"

namespace dray::alloc {
namespace {

constexpr std::int64_t most_results = 32;  // resourceapi.AllocationResultsMaxSize
constexpr std::size_t most_claims = 64;    // of one pod: claims are bits while searching

/// A UUID-shaped text that counts up: unique, and the same in every run.
std::string numbered_share_id(std::uint64_t number) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", number >> 48U, number & 0xffffffffffffU);
}

}  // namespace

struct Allocator::State {
  AllocatorOptions options;
  Memory memory;
  std::optional<Ask> ask;
  std::uint64_t ask_epoch = 0;
  std::uint64_t shares = 0;
  Counts counts;

  [[nodiscard]] const Ask& asked(std::span<const ResourceClaim* const> claims,
                                 const cluster::Snapshot& snapshot);
  [[nodiscard]] Result<void> validate(const Ask& ask, Tables& tables) const;
  [[nodiscard]] Result<AllocationOutcome> solve(const cluster::AllocatedState& state,
                                                cluster::NodeIndex node, const Ask& ask);
};

/// The claims prepared; the last answer is kept, because one pod is tried on many nodes.
const Ask& Allocator::State::asked(std::span<const ResourceClaim* const> claims,
                                   const cluster::Snapshot& snapshot) {
  if (!ask || ask_epoch != snapshot.class_epoch() || !ask->is_for(claims)) {
    ask = prepare(claims, snapshot, options.features, memory.programs);
    ask_epoch = snapshot.class_epoch();
  }
  return *ask;
}

/// What upstream checks before it searches, in its order; the devices of `All` are found here.
Result<void> Allocator::State::validate(const Ask& given, Tables& tables) const {
  for (const auto& claim : given.claims) {
    std::int64_t total = 0;
    for (std::size_t r = 0; r < claim.requests.size(); ++r) {
      const auto& request = claim.requests[r];
      if (request.error) return fail(ErrorCode::invalid, *request.error);
      std::int64_t least = INT64_MAX;
      for (auto s = request.first; s < request.last; ++s) {
        const auto& spec = given.specs[s];
        if (spec.error) return fail(ErrorCode::invalid, *spec.error);
        auto count = spec.count;
        if (spec.all) {
          if (auto done = tables.collect_all(s); !done) return done;
          count = static_cast<std::int64_t>(tables.row(s).all.size());
        }
        least = std::min(least, count);
      }
      if (options.compatibility == Compatibility::v0_37_2 && least > most_results - total) {
        return fail(ErrorCode::invalid,
                    fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit "
                                "of {}, with {} already accounted for",
                                claim.label, claim.claim->spec.requests[r].name, least,
                                most_results, total));
      }
      // 0.37.0 adds without a care; beyond 2^63 it panics, here the sum stays there.
      total = least > INT64_MAX - total ? INT64_MAX : total + least;
    }
    if (total > most_results) {
      return fail(ErrorCode::invalid,
                  fmt::format("claim {}: number of requested devices {} exceeds the claim limit "
                              "of {}",
                              claim.label, total, most_results));
    }
    if (claim.constraint_error) return fail(ErrorCode::invalid, *claim.constraint_error);
  }
  return {};
}

Result<AllocationOutcome> Allocator::State::solve(const cluster::AllocatedState& state,
                                                  cluster::NodeIndex node, const Ask& given) {
  const auto& facts = state.snapshot().facts(node);
  auto view = gather(state, node, options.features);
  if (!view) return std::unexpected(std::move(view.error()));
  Tables tables(*view, given, options, state, facts, memory);
  if (auto valid = validate(given, tables); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  ++counts.searches;
  auto found = Search(*view, given, tables, options, memory.attributes).run();
  counts.steps += found.steps;
  switch (found.kind) {
    case Found::Kind::error:
      return fail(ErrorCode::invalid, std::move(found.error));
    case Found::Kind::budget:
      return Unsatisfied{.reason = Reason::search_budget,
                         .request = {},
                         .detail = fmt::format("gave up after {} steps", found.steps)};
    case Found::Kind::none:
      if (view->any_invalid) {
        return Unsatisfied{.reason = Reason::pool_invalid,
                           .request = {},
                           .detail = "invalid resource pools were encountered"};
      }
      return diagnose(*view, given, tables);
    case Found::Kind::found:
      break;
  }
  const auto share_id = [&] {
    return options.next_share_id ? options.next_share_id() : numbered_share_id(shares++);
  };
  auto results =
      assemble(*view, given, tables, options.features, found.picks, facts.name, share_id);
  if (!results) return std::unexpected(std::move(results.error()));
  return Allocation{.results = std::move(*results),
                    .preference = preference(given, found.picks),
                    .score = 0,
                    .warnings = {}};
}

Allocator::Allocator(AllocatorOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
Allocator::~Allocator() = default;
Allocator::Allocator(Allocator&&) noexcept = default;
Allocator& Allocator::operator=(Allocator&&) noexcept = default;

const AllocatorOptions& Allocator::options() const {
  return state_->options;
}
Allocator::Counts Allocator::counts() const {
  return state_->counts;
}

Result<AllocationOutcome> Allocator::allocate(const cluster::AllocatedState& state,
                                              cluster::NodeIndex node,
                                              std::span<const ResourceClaim* const> claims) {
  ++state_->counts.calls;
  if (claims.size() > most_claims) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} claims in one pod, more than {}", claims.size(), most_claims));
  }
  return state_->solve(state, node, state_->asked(claims, state.snapshot()));
}

std::vector<RequestFunnel> Allocator::explain(const cluster::AllocatedState& state,
                                              cluster::NodeIndex node,
                                              std::span<const ResourceClaim* const> claims) {
  const auto& ask = state_->asked(claims, state.snapshot());
  const auto view = gather(state, node, state_->options.features);
  if (!view) return {};
  const Tables tables(*view, ask, state_->options, state, state.snapshot().facts(node),
                      state_->memory);
  return funnels(*view, ask, tables);
}

}  // namespace dray::alloc

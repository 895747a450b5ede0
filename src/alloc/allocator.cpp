#include "dray/alloc/allocator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "alloc/report/explain.h"
#include "alloc/report/warnings.h"
#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/memo.h"
#include "alloc/search/result.h"
#include "alloc/search/score.h"
#include "alloc/search/search.h"
#include "alloc/view/node_view.h"
#include "dray/model/claim_limits.h"

namespace dray::alloc {
namespace {

constexpr std::size_t most_claims = 64;  // of one pod: claims are bits while searching

/// A UUID-shaped text that counts up: unique, and the same in every run.
std::string numbered_share_id(std::uint64_t number) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", number >> 48U, number & 0xffffffffffffU);
}

bool within_one(const std::vector<Bits>& areas, std::span<const Pick> picks) {
  return std::ranges::any_of(areas, [&](const Bits& area) {
    return std::ranges::all_of(picks, [&](const Pick& pick) { return area.test(pick.device); });
  });
}

}  // namespace

struct Allocator::State {
  AllocatorOptions options;
  Memory memory;
  Memo memo;
  std::optional<PreparedClaims> latest;
  std::shared_ptr<const void> latest_origin;
  std::uint64_t latest_epoch = 0;
  Memo::Shape* latest_shape = nullptr;            ///< of `latest`
  std::shared_ptr<const Remembered> last_answer;  ///< held until the next one
  std::vector<std::string> placed;  ///< attributes that a rating reads of every device
  std::uint64_t shares = 0;
  Counts counts;

  [[nodiscard]] const PreparedClaims& prepared_for(std::span<const ResourceClaim* const> claims,
                                                   const cluster::Snapshot& snapshot);
  [[nodiscard]] Result<void> validate(const PreparedClaims& prepared,
                                      CandidateTables& tables) const;
  /// The answer by position. `view` and `tables` are made where memory does not do.
  struct Work {
    std::optional<NodeView> view;
    std::optional<CandidateTables> tables;
    const Allowance* allowance = nullptr;
  };
  [[nodiscard]] Result<const Remembered*> answer(const cluster::AllocatedState& state,
                                                 cluster::NodeIndex node,
                                                 const PreparedClaims& prepared, Memo::Shape& shape,
                                                 Work& work);
  [[nodiscard]] Result<void> build_tables(const cluster::AllocatedState& state,
                                          cluster::NodeIndex node, const PreparedClaims& prepared,
                                          Work& work);
  [[nodiscard]] Result<Remembered> search(const PreparedClaims& prepared, Work& work);
  [[nodiscard]] Found search_in(const Bits* area, const PreparedClaims& prepared, Work& work,
                                Scorer* scorer);
  [[nodiscard]] Found best_within(const std::vector<Bits>& areas, const PreparedClaims& prepared,
                                  Work& work, Scorer& scorer);
  [[nodiscard]] Remembered too_far_apart() const;
  [[nodiscard]] Result<Allocation> allocation(const Remembered& answer,
                                              const PreparedClaims& prepared, const NodeName& node,
                                              const Work& work);
};

/// The claims prepared; the last answer is kept, because one pod is tried on many nodes.
const PreparedClaims& Allocator::State::prepared_for(std::span<const ResourceClaim* const> claims,
                                                     const cluster::Snapshot& snapshot) {
  if (memory.attributes.trim()) {
    memo.clear();
    latest.reset();
  }
  if (!latest || latest_epoch != snapshot.class_epoch() || latest_origin != snapshot.origin() ||
      !latest->is_for(claims)) {
    latest = prepare(claims, snapshot, options.features, memory.programs);
    for (const auto& gone : memory.programs.take_gone()) memory.selectors.forget(*gone);
    latest_epoch = snapshot.class_epoch();
    latest_origin = snapshot.origin();
    latest_shape = &memo.find(*latest, snapshot, placed);
  }
  return *latest;
}

/// What upstream checks before it searches, in its order; the devices of `All` are found here.
Result<void> Allocator::State::validate(const PreparedClaims& prepared,
                                        CandidateTables& tables) const {
  for (const auto& claim : prepared.claims) {
    std::int64_t total = 0;
    for (std::size_t r = 0; r < claim.requests.size(); ++r) {
      const auto& request = claim.requests[r];
      if (request.error) return fail(ErrorCode::invalid, *request.error);
      std::int64_t least = INT64_MAX;
      for (auto s = request.first; s < request.last; ++s) {
        const auto& spec = prepared.specs[s];
        if (spec.error) return fail(ErrorCode::invalid, *spec.error);
        auto count = spec.count;
        if (spec.all) {
          if (auto done = tables.collect_all(s); !done) return done;
          count = static_cast<std::int64_t>(tables.row(s).all.size());
        }
        least = std::min(least, count);
      }
      if (options.compatibility == Compatibility::v0_37_2 && least > max_results - total) {
        return fail(ErrorCode::invalid,
                    fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit "
                                "of {}, with {} already accounted for",
                                claim.label, claim.claim->spec.requests[r].name, least, max_results,
                                total));
      }
      // 0.37.0 adds without a care; beyond 2^63 it panics, here the sum stays there.
      total = least > INT64_MAX - total ? INT64_MAX : total + least;
    }
    if (total > max_results) {
      return fail(ErrorCode::invalid,
                  fmt::format("claim {}: number of requested devices {} exceeds the claim limit "
                              "of {}",
                              claim.label, total, max_results));
    }
    if (claim.constraint_error) return fail(ErrorCode::invalid, *claim.constraint_error);
  }
  return {};
}

Result<void> Allocator::State::build_tables(const cluster::AllocatedState& state,
                                            cluster::NodeIndex node, const PreparedClaims& prepared,
                                            Work& work) {
  auto view = gather(state, node, options.features);
  if (!view) return std::unexpected(std::move(view.error()));
  work.view = std::move(*view);
  work.tables.emplace(*work.view, prepared, options, state, state.snapshot().facts(node), memory);
  return validate(prepared, *work.tables);
}

Found Allocator::State::search_in(const Bits* area, const PreparedClaims& prepared, Work& work,
                                  Scorer* scorer) {
  auto found = Search(*work.view, prepared, *work.tables, options, memory.attributes, scorer, area,
                      work.allowance)
                   .run();
  counts.steps += found.steps;
  return found;
}

/// There are devices, but in several places of a required level.
Remembered Allocator::State::too_far_apart() const {
  std::vector<std::string_view> levels;
  for (const auto& level : options.alignment) {
    if (level.required) levels.push_back(level.attributes.front());
  }
  Remembered answer;
  answer.reason = Reason::constraint;
  answer.shortage =
      because(fmt::format("the policy wants a pod's devices on one {}", fmt::join(levels, ", ")));
  return answer;
}

Found Allocator::State::best_within(const std::vector<Bits>& areas, const PreparedClaims& prepared,
                                    Work& work, Scorer& scorer) {
  auto best = search_in(&areas.front(), prepared, work, &scorer);
  for (std::size_t i = 1; i < areas.size(); ++i) {
    auto other = search_in(&areas[i], prepared, work, &scorer);
    if (other.better_than(best)) best = std::move(other);
  }
  return best;
}

Result<Remembered> Allocator::State::search(const PreparedClaims& prepared, Work& work) {
  ++counts.searches;
  std::optional<Scorer> scorer;
  if (options.mode != Mode::first_fit) {
    scorer.emplace(*work.view, prepared, *work.tables, options, memory.attributes);
  }
  const auto areas = scorer ? scorer->areas() : std::vector<Bits>();
  const bool chooses = options.mode == Mode::best;
  auto found = search_in(nullptr, prepared, work, chooses ? &*scorer : nullptr);
  if (found.kind == Found::Kind::found && !areas.empty()) {
    if (chooses) found = best_within(areas, prepared, work, *scorer);
    const bool together = found.kind != Found::Kind::found || within_one(areas, found.picks);
    if (found.kind == Found::Kind::none || !together) return too_far_apart();
  }
  Remembered answer;
  switch (found.kind) {
    case Found::Kind::error:
      return fail(ErrorCode::invalid, std::move(found.error));
    case Found::Kind::budget:
      answer.reason = Reason::search_budget;
      answer.shortage = because(fmt::format("gave up after {} steps", options.step_budget));
      return answer;
    case Found::Kind::none:
      if (work.allowance != nullptr) {
        answer.reason = Reason::no_devices;
        answer.shortage = because("no devices are within the allowance");
        return answer;
      }
      if (!work.view->any_invalid)
        return diagnose(*work.view, prepared, *work.tables, memory.attributes);
      answer.reason = Reason::pool_invalid;
      answer.shortage = invalid_pools(*work.view);
      return answer;
    case Found::Kind::found:
      break;
  }
  answer.preference = preference(prepared, found.picks);
  answer.score = found.score.total();
  if (options.mode == Mode::predicted) answer.alignment = scorer->alignment(found.picks);
  answer.unready = unready(*work.view, found.picks);
  answer.picks = std::move(found.picks);
  return answer;
}

Result<const Remembered*> Allocator::State::answer(const cluster::AllocatedState& state,
                                                   cluster::NodeIndex node,
                                                   const PreparedClaims& prepared,
                                                   Memo::Shape& shape, Work& work) {
  if (const auto* known = shape.find(state, node)) return known;
  if (auto built = build_tables(state, node, prepared, work); !built) {
    return std::unexpected(std::move(built.error()));
  }
  Memo::State key;
  work.tables->sign(key);
  if (options.mode != Mode::first_fit) {
    Scorer scorer(*work.view, prepared, *work.tables, options, memory.attributes);
    for (std::uint32_t d = 0; d < work.view->devices.size(); ++d) scorer.describe(d, key);
  }
  auto known = shape.by_state(key);
  if (!known) {
    auto made = search(prepared, work);
    if (!made) return std::unexpected(std::move(made.error()));
    known = std::make_shared<const Remembered>(std::move(*made));
    shape.store(std::move(key), known);
  }
  last_answer = known;
  shape.store(state, node, known);
  return known.get();
}

Result<Allocation> Allocator::State::allocation(const Remembered& known,
                                                const PreparedClaims& prepared,
                                                const NodeName& node, const Work& work) {
  const auto share_id = [&] {
    return options.next_share_id ? options.next_share_id() : numbered_share_id(shares++);
  };
  auto results =
      assemble(*work.view, prepared, *work.tables, options.features, known.picks, node, share_id);
  if (!results) return std::unexpected(std::move(results.error()));
  return Allocation{
      .results = std::move(*results),
      .preference = known.preference,
      .score = known.score,
      .warnings = warnings(*work.view, prepared, *work.tables, memory.attributes, known.picks)};
}

namespace {

std::optional<Error> too_many(std::span<const ResourceClaim* const> claims) {
  if (claims.size() <= most_claims) return std::nullopt;
  return Error{ErrorCode::unsupported,
               fmt::format("{} claims in one pod, more than {}", claims.size(), most_claims)};
}

}  // namespace

Allocator::Allocator(AllocatorOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  if (state_->options.mode == Mode::first_fit) return;
  for (const auto& level : state_->options.alignment) {
    state_->placed.insert(state_->placed.end(), level.attributes.begin(), level.attributes.end());
  }
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
  auto& mine = *state_;
  ++mine.counts.calls;
  if (auto error = too_many(claims)) return std::unexpected(std::move(*error));
  const auto& snapshot = state.snapshot();
  const auto& prepared = mine.prepared_for(claims, snapshot);
  State::Work work;
  const auto known = mine.answer(state, node, prepared, *mine.latest_shape, work);
  if (!known) return std::unexpected(known.error());
  const auto& answer = **known;
  if (answer.reason != Reason::none) {
    Unsatisfied refusal{.reason = answer.reason,
                        .request = {},
                        .detail = text(*answer.shortage),
                        .shortage = answer.shortage};
    if (answer.spec) {
      const auto& spec = prepared.specs[*answer.spec];
      refusal.request = prepared.claims[spec.claim].label + "/" + spec.full_name();
    }
    return refusal;
  }
  if (!work.view) {
    if (auto built = mine.build_tables(state, node, prepared, work); !built) {
      return std::unexpected(std::move(built.error()));
    }
  }
  return mine.allocation(answer, prepared, snapshot.name(node), work);
}

Result<AllocationOutcome> Allocator::allocate(const cluster::AllocatedState& state,
                                              cluster::NodeIndex node,
                                              std::span<const ResourceClaim* const> claims,
                                              const Allowance& allowance) {
  auto& mine = *state_;
  ++mine.counts.calls;
  if (auto error = too_many(claims)) return std::unexpected(std::move(*error));
  const auto& snapshot = state.snapshot();
  const auto& prepared = mine.prepared_for(claims, snapshot);
  State::Work work;
  work.allowance = &allowance;
  if (auto built = mine.build_tables(state, node, prepared, work); !built) {
    return std::unexpected(std::move(built.error()));
  }
  const auto answer = mine.search(prepared, work);
  if (!answer) return std::unexpected(answer.error());
  if (answer->reason != Reason::none) {
    return Unsatisfied{.reason = answer->reason,
                       .request = {},
                       .detail = text(*answer->shortage),
                       .shortage = answer->shortage};
  }
  return mine.allocation(*answer, prepared, snapshot.name(node), work);
}

Result<Fit> Allocator::check(const cluster::AllocatedState& state, cluster::NodeIndex node,
                             std::span<const ResourceClaim* const> claims) {
  auto& mine = *state_;
  ++mine.counts.calls;
  if (auto error = too_many(claims)) return std::unexpected(std::move(*error));
  const auto& prepared = mine.prepared_for(claims, state.snapshot());
  State::Work work;
  const auto known = mine.answer(state, node, prepared, *mine.latest_shape, work);
  if (!known) return std::unexpected(known.error());
  const auto& answer = **known;
  return Fit{answer.reason,    answer.preference, answer.score,
             answer.alignment, answer.unready,    answer.shortage};
}

std::vector<RequestFunnel> Allocator::explain(const cluster::AllocatedState& state,
                                              cluster::NodeIndex node,
                                              std::span<const ResourceClaim* const> claims) {
  const auto& prepared = state_->prepared_for(claims, state.snapshot());
  const auto view = gather(state, node, state_->options.features);
  if (!view) return {};
  CandidateTables tables(*view, prepared, state_->options, state, state.snapshot().facts(node),
                         state_->memory);
  // For the devices of `All`; what is wrong with the claims is allocate()'s to say.
  (void)state_->validate(prepared, tables);
  return funnels(*view, prepared, tables);
}

}  // namespace dray::alloc

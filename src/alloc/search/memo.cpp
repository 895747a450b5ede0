#include "alloc/search/memo.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace dray::alloc {
namespace {

constexpr std::size_t most_shapes = 64;
constexpr std::size_t most_states = 20'000;      // of one shape
constexpr std::size_t most_by_node = 4'000'000;  // of all shapes

void mix(std::size_t& hash, std::size_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 29U;
}

std::size_t hash_of(const DeviceRequestSpec& spec) {
  std::size_t hash = std::hash<std::string>{}(spec.device_class.get());
  mix(hash, static_cast<std::size_t>(spec.count));
  for (const auto& selector : spec.selectors) {
    if (selector.cel) mix(hash, std::hash<std::string>{}(*selector.cel));
  }
  return hash;
}

std::size_t hash_of(const PreparedClaims& prepared) {
  std::size_t hash = prepared.claims.size();
  for (const auto& claim : prepared.claims) {
    for (const auto& request : claim.claim->spec.requests) {
      if (request.exactly) mix(hash, hash_of(*request.exactly));
      for (const auto& sub : request.first_available) mix(hash, hash_of(sub));
    }
    for (const auto& constraint : claim.claim->spec.constraints) {
      mix(hash, std::hash<std::string>{}(constraint.attribute));
    }
  }
  return hash;
}

}  // namespace

AttributeReads reads_of(const PreparedClaims& prepared, const std::vector<std::string>& placed) {
  AttributeReads reads;
  const auto add = [&](const cluster::CompiledSelector& selector) {
    if (!selector.program) return;
    const auto& more = selector.program->reads();
    reads.everything = reads.everything || more.everything;
    reads.names.insert(reads.names.end(), more.names.begin(), more.names.end());
  };
  const auto add_attribute = [&](const std::string& attribute) {
    reads.names.push_back(cel::split_name(cel::Half::attribute, attribute, ""));
  };
  for (const auto& spec : prepared.specs) {
    if (spec.device_class) std::ranges::for_each(spec.device_class->selectors, add);
    std::ranges::for_each(spec.selectors, add);
    for (const auto& derived : spec.derived) add(derived.program);
  }
  for (const auto& claim : prepared.claims) {
    for (const auto& constraint : claim.constraints) add_attribute(constraint->attribute());
  }
  std::ranges::for_each(placed, add_attribute);
  std::ranges::sort(reads.names);
  return reads;
}

Memo::Shape& Memo::find(const PreparedClaims& prepared, const cluster::Snapshot& snapshot,
                        const std::vector<std::string>& placed) {
  if (origin_ != snapshot.origin()) {
    for (auto& shape : shapes_) shape.by_node_.clear();
    origin_ = snapshot.origin();
  }
  const auto hash = hash_of(prepared);
  const auto known = std::ranges::find_if(shapes_, [&](const Shape& shape) {
    return shape.hash_ == hash &&
           std::ranges::equal(shape.claims_, prepared.claims,
                              [](const ClaimSpec& mine, const PreparedClaim& theirs) {
                                return mine == theirs.claim->spec;
                              });
  });
  if (known != shapes_.end()) {
    known->reads_ = reads_of(prepared, placed);  // classes may have changed
    known->unclassified_ = nullptr;
    shapes_.splice(shapes_.begin(), shapes_, known);
    return shapes_.front();
  }
  std::size_t entries = 0;
  for (const auto& shape : shapes_) entries += shape.by_node_.held();
  while (!shapes_.empty() && (shapes_.size() >= most_shapes || entries > most_by_node)) {
    entries -= shapes_.back().by_node_.held();
    shapes_.pop_back();
  }
  auto& made = shapes_.emplace_front();
  made.hash_ = hash;
  for (const auto& claim : prepared.claims) made.claims_.push_back(claim.claim->spec);
  made.reads_ = reads_of(prepared, placed);
  return made;
}

bool Memo::Shape::touched(const cluster::AllocatedState& state, const cluster::NodeEntry& entry) {
  return state.pools_touched() && std::ranges::any_of(entry.pools, [&](cluster::PoolIndex pool) {
           return state.touched(pool);
         });
}

/// Nothing where the overlay has changed a pool that the node can see.
std::optional<Memo::Shape::Versions> Memo::Shape::versions(const cluster::AllocatedState& state,
                                                           cluster::NodeIndex node) {
  const auto& snapshot = state.snapshot();
  const auto& entry = snapshot.entry(node);
  if (touched(state, entry)) return std::nullopt;
  Versions made{.node = entry.version, .pools = 0, .epoch = snapshot.device_epoch()};
  for (const auto pool : entry.pools)
    made.pools = std::max(made.pools, snapshot.pool(pool).version);
  const auto changed = [&](cluster::PoolIndex pool) { return state.touched(pool); };
  if (state.pools_touched() && std::ranges::any_of(snapshot.shared_pools(), changed)) {
    return std::nullopt;
  }
  return made;
}

bool Memo::Shape::class_decides(const cluster::Snapshot& snapshot) {
  // What many nodes see, and rules that name devices, are no part of an equivalence class.
  if (!snapshot.shared_pools().empty() || !snapshot.taint_rules().empty()) return false;
  if (classes_of_ != snapshot.origin() || equivalence_era_ != snapshot.equivalence_era() ||
      class_epoch_ != snapshot.class_epoch()) {
    by_class_.clear();
    classes_of_ = snapshot.origin();
    equivalence_era_ = snapshot.equivalence_era();
    class_epoch_ = snapshot.class_epoch();
  }
  if (unclassified_ != snapshot.unclassified()) {
    unclassified_ = snapshot.unclassified();
    const auto read = [&](const cel::Name& name) {
      auto own = name;
      own.domain.clear();
      return std::ranges::binary_search(reads_.names, name) ||
             std::ranges::binary_search(reads_.names, own);
    };
    unclassified_is_read_ =
        !unclassified_->empty() && (reads_.everything || std::ranges::any_of(*unclassified_, read));
  }
  return !unclassified_is_read_;
}

const Remembered* Memo::Shape::find(const cluster::AllocatedState& state, cluster::NodeIndex node) {
  const auto& snapshot = state.snapshot();
  const auto& entry = snapshot.entry(node);
  if (entry.equivalence_class != 0 && class_decides(snapshot)) {
    const bool known =
        entry.equivalence_class < by_class_.size() && by_class_[entry.equivalence_class];
    return known && !touched(state, entry) ? by_class_[entry.equivalence_class].get() : nullptr;
  }
  const auto* known = by_node_.find(node.get());
  if (known == nullptr || !known->answer) return nullptr;
  const auto now = versions(state, node);
  return now && *now == known->versions ? known->answer.get() : nullptr;
}

std::shared_ptr<const Remembered> Memo::Shape::by_state(const State& key) const {
  const auto known = by_state_.find(key);
  return known == by_state_.end() ? nullptr : known->second;
}

void Memo::Shape::store(State key, std::shared_ptr<const Remembered> answer) {
  if (by_state_.size() >= most_states) by_state_.clear();
  by_state_.insert_or_assign(std::move(key), std::move(answer));
}

void Memo::Shape::store(const cluster::AllocatedState& state, cluster::NodeIndex node,
                        std::shared_ptr<const Remembered> answer) {
  const auto& snapshot = state.snapshot();
  const auto& entry = snapshot.entry(node);
  if (entry.equivalence_class != 0 && class_decides(snapshot)) {
    if (touched(state, entry)) return;
    if (by_class_.size() <= entry.equivalence_class)
      by_class_.resize(std::size_t{entry.equivalence_class} * 2);
    by_class_[entry.equivalence_class] = std::move(answer);
    return;
  }
  const auto now = versions(state, node);
  if (!now) return;
  by_node_[node.get()] = {*now, std::move(answer)};
}

}  // namespace dray::alloc

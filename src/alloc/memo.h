#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/ask.h"
#include "alloc/placing.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/reason.h"

namespace dray::alloc {

/// An answer by position: it holds for every node that looks the same to the request.
struct Remembered {
  Reason reason = Reason::none;  ///< none: `picks` is the answer
  std::vector<Pick> picks;
  std::int64_t preference = 0;
  std::int64_t score = 0;
  std::optional<std::uint32_t> spec;  ///< the (sub)request that a refusal names
  std::string detail;
};

/// Answers by (request shape, node state). Two steps: a node that did not change since it was asked
/// is answered by its versions; one that did, or that was never asked, by all that a search reads,
/// compared in full. Bounded; the shapes used last are kept.
class Memo {
 public:
  using State = std::vector<std::uint64_t>;

  /// What is known for one request shape; good until the next call of find().
  class Shape {
   public:
    /// The answer for the node, if nothing that it may depend on changed; null else.
    [[nodiscard]] std::shared_ptr<const Remembered> by_version(const cluster::AllocatedState& state,
                                                               cluster::NodeIndex node) const;
    [[nodiscard]] std::shared_ptr<const Remembered> by_state(const State& key) const;
    void store(State key, std::shared_ptr<const Remembered> answer);
    void store_version(const cluster::AllocatedState& state, cluster::NodeIndex node,
                       std::shared_ptr<const Remembered> answer);

   private:
    friend class Memo;
    struct Versions {
      std::uint64_t node = 0;
      std::uint64_t pools = 0;
      std::uint64_t epoch = 0;
      bool operator==(const Versions&) const = default;
    };
    struct ByVersion {
      Versions versions;
      std::shared_ptr<const Remembered> answer;
    };
    struct StateHash {
      std::size_t operator()(const State& key) const;
    };
    [[nodiscard]] static std::optional<Versions> versions(const cluster::AllocatedState& state,
                                                          cluster::NodeIndex node);

    std::size_t hash_ = 0;
    std::vector<ClaimSpec> claims_;
    std::vector<ByVersion> by_node_;
    std::unordered_map<State, std::shared_ptr<const Remembered>, StateHash> by_state_;
  };

  /// Versions tell nothing about the nodes of another ClusterState than the last one.
  [[nodiscard]] Shape& find(const Ask& ask, const cluster::Snapshot& snapshot);
  void clear() { shapes_.clear(); }

 private:
  std::shared_ptr<const void> origin_;
  std::list<Shape> shapes_;  // used last first
};

}  // namespace dray::alloc

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/placing.h"
#include "dray/alloc/shortage.h"
#include "dray/base/hash.h"
#include "dray/base/sparse_vector.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/reason.h"

namespace dray::alloc {

/// The attributes and capacities that an answer may depend on, by the names that devices have them
/// under.
struct AttributeReads {
  bool everything = false;
  std::vector<cel::Name> names;  ///< sorted; an empty domain is any driver's own
};
[[nodiscard]] AttributeReads reads_of(const PreparedClaims& prepared,
                                      const std::vector<std::string>& placed);

/// An answer by position: it holds for every node that looks the same to the request.
struct Remembered {
  Reason reason = Reason::none;  ///< none: `picks` is the answer
  std::vector<Pick> picks;
  std::int64_t preference = 0;
  std::int64_t score = 0;
  std::int64_t alignment = 0;
  std::uint32_t unready = 0;                 ///< devices that have to be made ready first
  std::optional<std::uint32_t> spec;         ///< the (sub)request that a refusal names
  std::shared_ptr<const Shortage> shortage;  ///< of a refusal
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
    /// The answer for nodes that look like this one, or for this one if nothing changed that it may
    /// depend on; null else. Good until the next store.
    [[nodiscard]] const Remembered* find(const cluster::AllocatedState& state,
                                         cluster::NodeIndex node);
    [[nodiscard]] std::shared_ptr<const Remembered> by_state(const State& key) const;
    void store(State key, std::shared_ptr<const Remembered> answer);
    /// For find().
    void store(const cluster::AllocatedState& state, cluster::NodeIndex node,
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
    /// Whether a node's equivalence class tells all that this shape's answers depend on, in this
    /// snapshot.
    [[nodiscard]] bool class_decides(const cluster::Snapshot& snapshot);
    [[nodiscard]] static bool touched(const cluster::AllocatedState& state,
                                      const cluster::NodeEntry& entry);
    [[nodiscard]] static std::optional<Versions> versions(const cluster::AllocatedState& state,
                                                          cluster::NodeIndex node);

    std::size_t hash_ = 0;
    std::vector<ClaimSpec> claims_;
    AttributeReads reads_;
    /// For what by_class_ holds, and whether a class decides enough there.
    std::shared_ptr<const void> classes_of_;
    std::shared_ptr<const std::vector<cel::Name>> unclassified_;
    std::uint64_t equivalence_era_ = 0;
    std::uint64_t class_epoch_ = 0;
    bool unclassified_is_read_ = false;
    std::vector<std::shared_ptr<const Remembered>> by_class_;
    SparseVector<ByVersion> by_node_;  ///< few of many nodes are asked, often
    std::unordered_map<State, std::shared_ptr<const Remembered>, WordsHash> by_state_;
  };

  /// `placed`: attributes that are read of every device, whatever the request. Versions tell
  /// nothing about the nodes of another ClusterState than the last one.
  [[nodiscard]] Shape& find(const PreparedClaims& prepared, const cluster::Snapshot& snapshot,
                            const std::vector<std::string>& placed);
  void clear() { shapes_.clear(); }

 private:
  std::shared_ptr<const void> origin_;
  std::list<Shape> shapes_;  // used last first
};

}  // namespace dray::alloc

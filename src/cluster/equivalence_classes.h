#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dray/base/hash.h"
#include "dray/cluster/snapshot.h"

namespace dray::cluster {

/// Equivalence classes of slices, and of nodes by their slices and the use of their devices: two
/// are given one number only if no request that reads none of unclassified() can tell them apart.
/// 0: of no class. One owner.
///
/// Attributes that nearly every device has a value of its own for (a uuid) would give every slice a
/// class of its own: those with many values are not compared.
class EquivalenceClasses {
 public:
  /// The slice is held as long as anybody else holds it, so that what its number stands for stays
  /// the same.
  [[nodiscard]] std::uint64_t of_slice(const std::shared_ptr<const PublishedSlice>& slice);

  /// `pools` are those with slices of the node.
  [[nodiscard]] std::uint32_t of_node(const std::string& node, std::vector<const Pool*> pools);

  /// Attributes that are not compared, sorted. Replaced when one more comes.
  [[nodiscard]] const std::shared_ptr<const std::vector<cel::Name>>& unclassified() const {
    return unclassified_;
  }
  /// Whether there are so many numbers that it is better to begin anew: all numbers are void then.
  [[nodiscard]] bool full() const;
  void begin_anew();
  /// Moves when the numbers begin anew.
  [[nodiscard]] std::uint64_t era() const { return era_; }

 private:
  using Key = std::vector<std::uint64_t>;
  struct SliceClass {
    std::uint64_t number = 0;
    std::shared_ptr<const PublishedSlice> slice;
  };
  struct Column {
    bool unclassified = false;
    std::unordered_set<const void*> values;
  };
  [[nodiscard]] bool describe(const PublishedDevice& device);
  [[nodiscard]] static bool plain(const PublishedSlice& slice);
  [[nodiscard]] bool describe(const Pool& pool, const std::string& node);
  void leave_out(const cel::Name& name);

  void sweep();

  Key key_;  // being made
  std::unordered_map<Key, SliceClass, WordsHash> slices_;
  std::unordered_map<Key, std::uint32_t, WordsHash> nodes_;
  std::unordered_map<std::uint64_t, std::vector<Column>> columns_;  // by the serial of DeviceNames
  std::shared_ptr<const std::vector<cel::Name>> unclassified_ =
      std::make_shared<const std::vector<cel::Name>>();
  std::uint64_t last_slice_ = 0;
  std::size_t sweep_at_ = 4096;
  std::uint64_t era_ = 1;
};

}  // namespace dray::cluster

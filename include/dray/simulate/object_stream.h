#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "dray/model/object.h"

namespace dray::simulate {

/// The objects of a cluster, one after another, as often as they are asked for, and always the same
/// in the same order. They are kept, or made anew each time: a hundred thousand copies of a node
/// then take no more room than the node. Immutable; any thread may play it, and copies of a stream
/// share what is kept.
class ObjectStream {
 public:
  /// Is given an object, which is good until it returns.
  using Visit = std::function<void(const KubeObject&)>;
  /// Gives each object to the visitor. Any thread may call it.
  using Play = std::function<void(const Visit&)>;
  /// What becomes of an object: gives the visitor that object, another one, or nothing.
  using Change = std::function<void(const KubeObject&, const Visit&)>;

  /// No objects.
  ObjectStream() = default;
  /// Of objects that are kept.
  // NOLINTNEXTLINE(google-explicit-constructor): a list is the simplest of streams
  ObjectStream(std::vector<KubeObject> objects);
  /// Of objects that `play` makes.
  [[nodiscard]] static ObjectStream made_by(Play play);

  /// Whether nothing is kept, and nothing made.
  [[nodiscard]] bool empty() const { return !play_ && (!kept_ || kept_->empty()); }
  /// Calls `visit` with each object.
  void for_each(const Visit& visit) const;
  /// Every object in its place as `change` has it. What is kept is changed at once and kept; what
  /// is made is changed each time.
  [[nodiscard]] ObjectStream with(Change change) const;
  /// All of them in memory, for clusters that are small.
  [[nodiscard]] std::vector<KubeObject> all() const;

 private:
  std::shared_ptr<const std::vector<KubeObject>> kept_;
  Play play_;  ///< where nothing is kept
};

}  // namespace dray::simulate

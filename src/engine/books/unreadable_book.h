#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "dray/cluster/event.h"
#include "dray/engine/write.h"

namespace dray::engine {

/// Objects that are there but cannot be read: what they say beyond their names counts for nothing.
/// Each is told in an Event on it, again when leadership changes, since another replica may not
/// have told it.
class UnreadableBook {
 public:
  /// The Event where the object is new here, or has another problem now; nothing while not leading.
  [[nodiscard]] std::vector<Write> put(const cluster::ObjectUnreadable& found);
  /// It can be read (again).
  void erase(Kind kind, const ObjectMeta& meta);
  /// It is gone.
  void erase(const cluster::ObjectGone& gone);
  /// This replica leads: tells of the first hundred, and of each that comes.
  [[nodiscard]] std::vector<Write> tell_all();
  /// It leads no more: nothing is told.
  void quiet() { telling_ = false; }

  /// How many there are, by Kind.
  [[nodiscard]] std::vector<std::size_t> counts() const;

 private:
  using Key = std::tuple<Kind, std::string, std::string>;
  struct Found {
    Uid uid;
    std::string problem;
  };
  [[nodiscard]] static RecordEvent event(const Key& key, const Found& found);

  std::map<Key, Found> found_;
  bool telling_ = false;
};

}  // namespace dray::engine

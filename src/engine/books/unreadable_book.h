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
/// have told it, but not more of them than a cluster bears.
class UnreadableBook {
 public:
  /// The Event where the object is new here, or has another problem now; nothing while not leading,
  /// and beyond what may be told (`Allowance`).
  [[nodiscard]] std::vector<Write> put(const cluster::ObjectUnreadable& found, Time now);
  /// It can be read (again).
  void erase(Kind kind, const ObjectMeta& meta);
  /// It is gone.
  void erase(const cluster::ObjectGone& gone);
  /// This replica leads: tells of those that are there, and of each that comes.
  [[nodiscard]] std::vector<Write> tell_all(Time now);
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

  /// Events that may be written: 100 at once, and one a second after that, of a namespace 20 and
  /// one in five seconds. Who writes many such objects, or one of them again and again, makes dray
  /// write no more than that, and takes no other namespace's.
  class Allowance {
   public:
    [[nodiscard]] bool take(const std::string& space, Time now);
    void reset() { *this = {}; }

   private:
    struct Bucket {
      Duration spent{};  ///< in time of refilling
      Time at{};
    };
    [[nodiscard]] static bool has_room(Bucket& bucket, Duration each, Duration most, Time now);
    Bucket all_;
    std::map<std::string, Bucket> spaces_;
  };

  std::map<Key, Found> found_;
  Allowance allowance_;
  bool telling_ = false;
};

}  // namespace dray::engine

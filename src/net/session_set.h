#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "net/http_session.h"

namespace dray::net {

/// Open connections of a server, the oldest first. Each call costs the logarithm of how many there
/// are, also those that are about one network (Session::network). Not for several threads at once.
class SessionSet {
 public:
  [[nodiscard]] std::size_t size() const { return by_number_.size(); }
  [[nodiscard]] std::size_t count_of(const std::string& network) const;
  void append_to(std::vector<std::shared_ptr<Session>>& all) const;

  /// By Session::number, which no other one has.
  void add(const std::shared_ptr<Session>& session);
  /// Whether it was there.
  bool remove(std::uint64_t number);
  /// Closes the oldest ones until there are fewer than `most`. They count no more, however long
  /// their end takes.
  void make_room(std::size_t most);
  /// The same among those of a network.
  void make_room_of(const std::string& network, std::size_t most);

 private:
  void close(std::uint64_t number);

  std::map<std::uint64_t, std::shared_ptr<Session>> by_number_;
  std::map<std::string, std::set<std::uint64_t>> by_network_;
};

}  // namespace dray::net

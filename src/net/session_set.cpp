#include "net/session_set.h"

namespace dray::net {

std::size_t SessionSet::count_of(const std::string& network) const {
  const auto found = by_network_.find(network);
  return found == by_network_.end() ? 0 : found->second.size();
}

void SessionSet::append_to(std::vector<std::shared_ptr<Session>>& all) const {
  for (const auto& [number, session] : by_number_) all.push_back(session);
}

void SessionSet::add(const std::shared_ptr<Session>& session) {
  by_number_.emplace(session->number, session);
  by_network_[session->network].insert(session->number);
}

bool SessionSet::remove(std::uint64_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return false;
  const auto of_network = by_network_.find(found->second->network);
  of_network->second.erase(number);
  if (of_network->second.empty()) by_network_.erase(of_network);
  by_number_.erase(found);
  return true;
}

void SessionSet::make_room(std::size_t most) {
  while (!by_number_.empty() && by_number_.size() >= most) close(by_number_.begin()->first);
}

void SessionSet::make_room_of(const std::string& network, std::size_t most) {
  while (count_of(network) > 0 && count_of(network) >= most) {
    close(*by_network_.find(network)->second.begin());
  }
}

void SessionSet::close(std::uint64_t number) {
  by_number_.at(number)->connection->close_soon();
  remove(number);
}

}  // namespace dray::net

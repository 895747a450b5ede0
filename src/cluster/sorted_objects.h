#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::cluster {

[[nodiscard]] inline const std::string& name_of(const CompiledClass& made) {
  return made.object->meta.name;
}
template <class T>
[[nodiscard]] const std::string& name_of(const T& object) {
  return object.meta.name;
}

/// The object of that name in a list sorted by name, or null.
template <class T>
[[nodiscard]] std::shared_ptr<const T> find_by_name(
    const std::vector<std::shared_ptr<const T>>& list, std::string_view name) {
  const auto at = std::ranges::lower_bound(
      list, name, {}, [](const auto& object) { return std::string_view(name_of(*object)); });
  return at != list.end() && name_of(**at) == name ? *at : nullptr;
}

/// A few objects by name; a copy of the list is shared until the next change.
template <class T>
class SortedObjects {
 public:
  using List = std::vector<std::shared_ptr<const T>>;

  void put(std::string_view name, std::shared_ptr<const T> object) {
    auto changed = std::make_shared<List>(*all_);
    const auto at = place(*changed, name);
    if (at != changed->end() && name_of(**at) == name) {
      *at = std::move(object);
    } else {
      changed->insert(at, std::move(object));
    }
    all_ = std::move(changed);
  }

  bool erase(std::string_view name) {
    if (!find(name)) return false;
    auto changed = std::make_shared<List>(*all_);
    changed->erase(place(*changed, name));
    all_ = std::move(changed);
    return true;
  }

  [[nodiscard]] std::shared_ptr<const T> find(std::string_view name) const {
    return find_by_name(*all_, name);
  }
  [[nodiscard]] std::shared_ptr<const List> all() const { return all_; }

 private:
  [[nodiscard]] static auto place(List& list, std::string_view name) {
    return std::ranges::lower_bound(
        list, name, {}, [](const auto& object) { return std::string_view(name_of(*object)); });
  }

  std::shared_ptr<const List> all_ = std::make_shared<const List>();
};

}  // namespace dray::cluster

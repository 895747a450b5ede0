#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dray::sim {

/// What a strategic merge patch makes of a list that merges by a key: items that are there take the
/// patch's fields (`take(item, patched)`), new ones are added, the others stay. The patch's items
/// keep their order and come before others, unless both were there before: then they keep theirs.
/// With an empty list the patch's is taken as it is, an item that stands in it twice too.
/// (mergeSlice and normalizeElementOrder of k8s.io/apimachinery/pkg/util/strategicpatch.)
template <class T, class Key, class Take>
void merge_list(std::vector<T>& list, const std::vector<T>& patch, Key key, Take take) {
  if (list.empty()) {
    list = patch;
    return;
  }
  const auto place = [&](const std::vector<T>& in, const T& item) {
    return std::ranges::find(in, std::invoke(key, item), key) - in.begin();
  };
  const auto has = [&](const std::vector<T>& in, const T& item) {
    return place(in, item) != std::ranges::ssize(in);
  };
  const auto before = list;
  for (const auto& item : patch) {
    if (const auto found = place(list, item); found != std::ranges::ssize(list)) {
      take(list[static_cast<std::size_t>(found)], item);
    } else {
      list.push_back(item);
    }
  }
  const auto others =
      std::ranges::stable_partition(list, [&](const T& x) { return has(patch, x); });
  std::ranges::stable_sort(list.begin(), others.begin(), {},
                           [&](const T& item) { return place(patch, item); });
  std::vector<T> merged;
  auto patched = list.begin();
  auto other = others.begin();
  while (patched != others.begin() || other != list.end()) {
    const bool other_first =
        patched == others.begin() || (other != list.end() && has(before, *patched) &&
                                      place(before, *other) < place(before, *patched));
    merged.push_back(std::move(*(other_first ? other++ : patched++)));
  }
  list = std::move(merged);
}

}  // namespace dray::sim

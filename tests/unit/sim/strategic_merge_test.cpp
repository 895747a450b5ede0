#include "sim/strategic_merge.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace dray::sim::strategic_merge_test {
namespace {

struct Item {
  char key;
  int value = 0;

  bool operator==(const Item&) const = default;
};

std::string merged(std::string there, const std::string& patch) {
  std::vector<Item> list;
  std::vector<Item> items;
  for (const auto key : there) list.push_back({key});
  for (const auto key : patch) items.push_back({key, 1});
  merge_list(list, items, &Item::key, [](Item& old, const Item& next) { old.value = next.value; });
  std::string keys;
  for (const auto& item : list) {
    keys += item.key;
    CHECK((item.value == 1) == patch.contains(item.key));
  }
  return keys;
}

}  // namespace

TEST_CASE("a strategic merge patch puts its items where the API server puts them") {
  struct Row {
    const char* name;
    const char* there;
    const char* patch;
    const char* want;
  };
  const auto row = GENERATE(Row{"what is new comes first", "abc", "x", "xabc"},
                            Row{"what is there keeps its place", "abc", "b", "abc"},
                            Row{"others stand before what they stood before", "abc", "xc", "xabc"},
                            Row{"the patch's order is kept", "abc", "ca", "bca"},
                            Row{"nothing is taken away", "abc", "", "abc"},
                            Row{"into an empty list", "", "xy", "xy"},
                            Row{"twice, into an empty list", "", "xx", "xx"},
                            Row{"twice, where there are others", "a", "xx", "xa"});
  DYNAMIC_SECTION(row.name) {
    CHECK(merged(row.there, row.patch) == row.want);
  }
}

}  // namespace dray::sim::strategic_merge_test

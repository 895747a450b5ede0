#include "dray/cluster/sharded_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace dray::sharded_map_test {

TEST_CASE("entries are found, replaced and erased by key") {
  cluster::ShardedMap<std::string, int> map;
  CHECK(map.find("a") == nullptr);
  CHECK_FALSE(map.erase("a"));
  for (int i = 0; i < 5000; ++i) map.set(std::to_string(i), i);
  map.set("7", -7);
  ++map.for_write("8");
  CHECK(map.size() == 5000);
  CHECK(*map.find("7") == -7);
  CHECK(*map.find("8") == 9);
  CHECK(map.erase("7"));
  CHECK(map.find("7") == nullptr);
  CHECK(map.size() == 4999);
  std::set<std::string> seen;
  map.for_each([&](const std::string& key, int) { seen.insert(key); });
  CHECK(seen.size() == 4999);
}

TEST_CASE("a copy stays as it was") {
  cluster::ShardedMap<std::string, int> map;
  map.set("a", 1);
  const auto before = map.freeze();
  map.set("a", 2);
  map.set("b", 3);
  CHECK(*before.find("a") == 1);
  CHECK(before.find("b") == nullptr);
  CHECK(before.size() == 1);
  map.erase("a");
  CHECK(*before.find("a") == 1);
}

TEST_CASE("a copy knows which of its shards are those of an earlier one") {
  using Map = cluster::ShardedMap<std::string, int>;
  Map map;
  const auto none = map.freeze();
  map.set("a", 1);
  const auto before = map.freeze();
  CHECK(before.shards_changed_since(none)[Map::shard_of("a")]);
  CHECK_FALSE(map.freeze().shards_changed_since(before)[Map::shard_of("a")]);
  map.set("b", 2);
  const auto after = map.freeze().shards_changed_since(before);
  CHECK(after[Map::shard_of("b")]);
  CHECK(std::ranges::count(after, true) == 1);
  map.erase("a");
  CHECK(map.freeze().shards_changed_since(before)[Map::shard_of("a")]);
}

}  // namespace dray::sharded_map_test

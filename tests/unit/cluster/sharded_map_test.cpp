#include "dray/cluster/sharded_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("whatever is written between copies, each copy stays as it was") {
  using Map = cluster::ShardedMap<std::string, int>;
  std::mt19937 random(7);
  Map map;
  std::map<std::string, int> model;
  std::vector<std::pair<Map, std::map<std::string, int>>> copies;
  for (int i = 0; i < 20'000; ++i) {
    const auto key = std::to_string(random() % 3'000);
    if (random() % 3 == 0) {
      CHECK(map.erase(key) == (model.erase(key) == 1));
    } else {
      map.set(key, i);
      model[key] = i;
    }
    if (random() % 500 == 0) copies.emplace_back(map.freeze(), model);
  }
  REQUIRE(copies.size() > 20);
  copies.emplace_back(map.freeze(), model);
  for (const auto& [copy, were] : copies) {
    std::map<std::string, int> seen;
    copy.for_each([&](const std::string& key, int value) { seen[key] = value; });
    REQUIRE(seen == were);
    REQUIRE(copy.size() == were.size());
  }
  const auto changed = copies[1].first.shards_changed_since(copies[0].first);
  std::vector<bool> differ(Map::shard_count);
  for (int i = 0; i < 3'000; ++i) {
    const auto key = std::to_string(i);
    const auto* one = copies[0].first.find(key);
    const auto* other = copies[1].first.find(key);
    if ((one == nullptr) != (other == nullptr) || (one != nullptr && *one != *other)) {
      differ[Map::shard_of(key)] = true;
    }
  }
  for (std::size_t i = 0; i < Map::shard_count; ++i) CHECK((changed[i] || !differ[i]));
}

}  // namespace dray::sharded_map_test

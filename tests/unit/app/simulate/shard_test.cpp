#include "app/simulate/shard.h"

#include <catch2/catch.hpp>

namespace dray::app::shard_test {

TEST_CASE("shards have every run once, and together are what one process prints") {
  const std::size_t runs = GENERATE(0U, 1U, 5U, 8U);
  const auto print = [](const std::vector<std::size_t>& numbers) {
    std::string text = R"({"runs":[)";
    for (const auto at : numbers) {
      if (text.back() != '[') text += ',';
      text += R"({"policy":"a,\"]}","n":[)" + std::to_string(at) + ",{}]}";
    }
    return text + "]}\n";
  };
  const auto whole = print(runs_of({}, runs));
  std::vector<std::string> texts;
  for (const std::size_t i : {2U, 0U, 1U}) {
    texts.push_back(name_shard(print(runs_of({i, 3}, runs)), {i, 3}));
  }
  const auto merged = merge_shards(texts);
  REQUIRE(merged);
  CHECK(*merged == whole);
  CHECK(name_shard(whole, {}) == whole);
}

TEST_CASE("a shard that is missing, twice there or none is told") {
  const auto shard = [](const char* name) {
    return R"({"shard":")" + std::string(name) + R"(","runs":[{}]})" + "\n";
  };
  CHECK(merge_shards({shard("0/2")}).error().message == "shard 1/2 is missing");
  CHECK(merge_shards({shard("0/2"), shard("0/2")}).error().message ==
        "file 2: shard 0/2 is there twice");
  CHECK(merge_shards({shard("0/2"), shard("1/3")}).error().message ==
        "file 2: shard 1/3 is of another run");
  CHECK_FALSE(merge_shards({"{\"runs\":[]}\n"}));
  CHECK_FALSE(merge_shards({"something else\n" + shard("0/1")}));
}

TEST_CASE("warnings before a shard, as the log of its container has them, are no part of it") {
  const std::string shard = R"({"shard":"0/1","runs":[{}]})"
                            "\n";
  CHECK(merge_shards({"dray simulate: warning: a\ndray simulate: warning: b\n" + shard}).value() ==
        merge_shards({shard}).value());
  CHECK_FALSE(merge_shards({"dray simulate: no cluster\n"}));
  CHECK_FALSE(merge_shards({"dray simulate: cut off"}));
}

TEST_CASE("a shard is INDEX/COUNT") {
  CHECK(parse_shard("2/8").value() == Shard{2, 8});
  CHECK(parse_shard("").value() == Shard{0, 1});
  for (const auto* bad : {"8/8", "1", "1/", "/2", "1/2x", "-1/2", "0/0", "0/1000000"}) {
    CHECK_FALSE(parse_shard(bad));
  }
}

}  // namespace dray::app::shard_test

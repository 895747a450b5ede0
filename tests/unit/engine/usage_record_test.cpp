#include <catch2/catch.hpp>

#include "engine/books/usage_keeper.h"

namespace dray::engine::usage_record_test {
namespace {

TEST_CASE("amounts stand by their names: another order of resources reads the same") {
  const policy::ResourceTable written{{"cpu", policy::ResourceUnit::millicores}, {"gpu"}};
  const policy::ResourceTable read{{"gpu"}, {"cpu", policy::ResourceUnit::millicores}};
  policy::UsageHistory history;
  history.at = Time(Duration(5));
  history.sums.capacity = policy::Amounts(2);
  history.sums.capacity[0] = 1500;
  history.sums.capacity[1] = 0.1;
  const auto data = encode_usage(history, written);
  CHECK(data.at("capacity") == "cpu=1500 gpu=0.1");
  const auto again = decode_usage(data, read);
  CHECK(again.sums.capacity[0] == 0.1);
  CHECK(again.sums.capacity[1] == 1500);
}

TEST_CASE("the parts of a window are kept; those that make no sense are not") {
  const policy::ResourceTable resources{{"gpu"}};
  policy::UsageHistory history;
  history.at = Time(Duration(9));
  history.sums.capacity = policy::Amounts(1);
  for (int i = 0; i < 12; ++i) {
    auto& part = history.parts.emplace_back();
    part.from = Time(Duration(i));
    part.until = Time(Duration(i + 1));
    part.sums.capacity = policy::Amounts(1);
    part.sums.capacity[0] = i;
    if (i > 0) part.sums.held[policy::QueueName("a.b")] = part.sums.capacity;
  }
  auto data = encode_usage(history, resources);
  CHECK(data.at("part.11.micros") == "11 12");
  CHECK(decode_usage(data, resources) == history);
  data["part.3.micros"] = "4";       // no end
  data["part.4.micros"] = "9 4";     // ends before it begins
  data["part.7.micros"] = "1 9";     // over others
  data["part.12.held.a"] = "gpu=1";  // of no time
  data["part.4000000000.capacity"] = "gpu=1";
  data["part.x.capacity"] = "gpu=1";
  data["part.5"] = "gpu=1";
  CHECK(decode_usage(data, resources).parts.size() == 9);
}

}  // namespace
}  // namespace dray::engine::usage_record_test

#include <catch2/catch.hpp>

#include "engine/books/usage_keeper.h"

namespace dray::engine::usage_record_test {
namespace {

TEST_CASE("amounts stand by their names: another order of resources reads the same") {
  const policy::ResourceTable written{{"cpu", policy::ResourceUnit::millicores}, {"gpu"}};
  const policy::ResourceTable read{{"gpu"}, {"cpu", policy::ResourceUnit::millicores}};
  policy::UsageHistory history;
  history.at = Time(Duration(5));
  history.capacity = policy::Amounts(2);
  history.capacity[0] = 1500;
  history.capacity[1] = 0.1;
  const auto data = encode_usage(history, written);
  CHECK(data.at("capacity") == "cpu=1500 gpu=0.1");
  const auto again = decode_usage(data, read);
  CHECK(again.capacity[0] == 0.1);
  CHECK(again.capacity[1] == 1500);
}

}  // namespace
}  // namespace dray::engine::usage_record_test

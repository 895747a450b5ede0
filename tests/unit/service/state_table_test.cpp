#include "service/record/state_table.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"

namespace dray::service::state_table_test {
namespace {

using namespace dray::testing;

std::string words(const StateTable& table) {
  std::string all;
  for (const auto& input : table.inputs()) all += encode_input(input).substr(2, 9) + " ";
  return all;
}

TEST_CASE("a state is what there is by now, in the order in which an engine takes it") {
  StateTable table;
  table.take(engine::Event(engine::LeadershipChanged{true, 1}));
  table.take(engine::Event(engine::Synced{}));
  table.take(engine::Event(cluster::ObjectChanged{make_pod("b")}));
  table.take(engine::Event(cluster::ObjectChanged{make_pod("a")}));
  table.take(engine::Event(cluster::ObjectUnreadable{make_claim("c"), "x"}));
  table.take(engine::Event(cluster::ObjectChanged{make_node("n0")}));
  table.take(engine::Event(engine::PolicyChanged{}));
  table.take(engine::Event(engine::LeadershipChanged{false, 2}));
  table.take(TickInput{});
  CHECK(words(table) ==
        "policy\":{ changed\": changed\": changed\": unreadabl synced\":t leadershi ");
  CHECK(encode_input(table.inputs().back()) == R"({"leadership":{"leading":false,"epoch":2}})");
  REQUIRE(table.objects().size() == 4);
  CHECK(meta_of(table.objects()[1]).name == "a");
}

TEST_CASE("what is gone is gone, and what changed is there once") {
  StateTable table;
  auto pod = make_pod("a");
  table.take(engine::Event(cluster::ObjectChanged{pod}));
  pod.phase = "Running";
  table.take(engine::Event(cluster::ObjectChanged{pod}));
  REQUIRE(table.objects().size() == 1);
  CHECK(std::get<Pod>(table.objects()[0]).phase == "Running");
  table.take(engine::Event(cluster::ObjectGone{Kind::pod, "other", "a", Uid()}));
  CHECK(table.objects().size() == 1);
  table.take(engine::Event(cluster::ObjectGone{Kind::pod, "default", "a", Uid()}));
  CHECK(table.objects().empty());
}

TEST_CASE("ConfigMaps are known from what was read and written of them") {
  StateTable table;
  ConfigMap map;
  map.meta = default_meta("dray-usage");
  CHECK_FALSE(table.config_map({"default", "dray-usage"}));
  table.take(engine::Event(engine::WriteDone{engine::WriteId(1), engine::WrittenObject(map)}));
  CHECK(table.config_map({"default", "dray-usage"}) == map);
  StateTable copy;
  for (const auto& input : table.inputs()) copy.take(input);
  CHECK(copy.config_map({"default", "dray-usage"}) == map);
}

}  // namespace
}  // namespace dray::service::state_table_test

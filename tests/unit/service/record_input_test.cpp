#include "service/record/record_input.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"
#include "wire/object/object_codec.h"

namespace dray::service::record_input_test {
namespace {

using namespace dray::testing;

extender::FilterRequest filter_request() {
  extender::FilterRequest request;
  request.pod = make_pod("p", "c");
  request.node_names = {NodeName("n0"), NodeName("n1")};
  return request;
}

std::vector<std::pair<std::string, RecordInput>> inputs() {
  const auto event = [](engine::Event given) { return RecordInput(std::move(given)); };
  policy::PolicyConfig config;
  config.aging = std::chrono::hours(1);
  ConfigMap map;
  map.meta = default_meta("dray-usage");
  map.data = {{"a", "1"}};
  return {
      {"changed", event(cluster::ObjectChanged{make_pod("p", "c")})},
      {"gone", event(cluster::ObjectGone{Kind::kai_pod_group, "ns", "g", Uid("u")})},
      {"unreadable", event(cluster::ObjectUnreadable{make_claim("c", 1), "no \"such\" field"})},
      {"synced", event(engine::Synced{})},
      {"written: nothing", event(engine::WriteDone{engine::WriteId(7), engine::WrittenObject()})},
      {"written: an object",
       event(engine::WriteDone{engine::WriteId(8), engine::WrittenObject(make_claim("c", 1))})},
      {"written: an error",
       event(engine::WriteDone{engine::WriteId(9), fail(ErrorCode::conflict, "\"other\" uid")})},
      {"leadership", event(engine::LeadershipChanged{true, 3})},
      {"policy",
       event(engine::PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)})},
      {"no policy", event(engine::PolicyChanged{})},
      {"planned", PlannedInput{12}},
      {"tick", TickInput{}},
      {"filter", FilterInput{std::make_shared<const extender::FilterRequest>(filter_request())}},
      {"bind", BindInput{engine::RequestId(4), {{"default", "p"}, Uid("uid-p"), NodeName("n0")}}},
      {"configMap", KnownMap{map}}};
}

TEST_CASE("an input is read as it was written") {
  for (const auto& [name, input] : inputs()) {
    CAPTURE(name);
    const auto text = encode_input(input);
    CAPTURE(text);
    CHECK(text.find('\n') == std::string::npos);
    const auto again = decode_input(text);
    REQUIRE(again);
    CHECK(again->index() == input.index());
    CHECK(encode_input(*again) == text);
  }
}

TEST_CASE("what a write gave is known again") {
  const auto again = decode_input(encode_input(engine::Event(
      engine::WriteDone{engine::WriteId(9), fail(ErrorCode::conflict, "it changed")})));
  REQUIRE(again);
  const auto& done = std::get<engine::WriteDone>(std::get<engine::Event>(*again));
  CHECK(done.id == engine::WriteId(9));
  REQUIRE_FALSE(done.outcome);
  CHECK(done.outcome.error() == Error{ErrorCode::conflict, "it changed"});
}

TEST_CASE("what is no input is an error") {
  CHECK_FALSE(decode_input("{}"));
  CHECK_FALSE(decode_input("[1]"));
  CHECK_FALSE(decode_input(R"({"dance":1})"));
  CHECK_FALSE(decode_input(R"({"changed":{"kind":"Teapot","apiVersion":"v1"}})"));
}

TEST_CASE("a record keeps no annotations of others and no parameters for drivers") {
  auto pod = make_pod("p");
  pod.meta.annotations = {{"note", "s3cret"}};
  auto claim = make_claim("c", 1);
  claim.spec.config = {{{}, OpaqueConfig{DriverName("gpu.example.com"), R"({"key":"s3cret"})"}}};
  auto request = filter_request();
  request.pod = pod;
  auto offer = request;
  auto node = make_node("n0");
  node.meta.annotations = {{"note", "s3cret"}};
  offer.pod = make_pod("p");
  offer.node_names.reset();
  offer.nodes = {{node, wire::encode_object(node)}};
  for (RecordInput input :
       {RecordInput(engine::Event(cluster::ObjectChanged{pod})),
        RecordInput(engine::Event(cluster::ObjectChanged{claim})),
        RecordInput(engine::Event(cluster::ObjectUnreadable{claim, "x"})),
        RecordInput(
            engine::Event(engine::WriteDone{engine::WriteId(1), engine::WrittenObject(claim)})),
        RecordInput(FilterInput{std::make_shared<const extender::FilterRequest>(offer)}),
        RecordInput(FilterInput{std::make_shared<const extender::FilterRequest>(request)})}) {
    CHECK(encode_input(input).contains("s3cret"));
    drop_unread(input);
    CHECK_FALSE(encode_input(input).contains("s3cret"));
  }
}

TEST_CASE("decisions are the requests to the API server and the answers to kube-scheduler") {
  engine::Effects effects;
  effects.emplace_back(engine::SendWrite{
      engine::WriteId(5), engine::BindPod{{"default", "p"}, Uid("uid-p"), NodeName("n0")}, 3});
  effects.emplace_back(engine::AnswerBind{engine::RequestId(2), "no"});
  effects.emplace_back(engine::WantPlan{9, nullptr});
  const auto decisions = decisions_of(effects, {}, start);
  REQUIRE(decisions.size() == 3);
  CHECK(decisions[0].id == 5);
  CHECK(decisions[0].text.starts_with(
      R"({"what":"BindPod","epoch":3,"request":"POST /api/v1/namespaces/default/pods/p/binding",)"));
  CHECK(decisions[1].text == R"({"request":2,"error":"no"})");
  CHECK(decisions[2].id == 9);
  for (const auto& decision : decisions) {
    const auto again = decode_decision(encode_decision(decision));
    REQUIRE(again);
    CHECK(*again == decision);
  }
  CHECK_FALSE(decode_decision(R"({"dance":{}})"));
}

TEST_CASE("an engine is made again with the options that it had") {
  engine::Options options;
  options.scheduler_name = "mine";
  options.reservation_life = std::chrono::seconds(5);
  options.plan_pause = std::chrono::milliseconds(50);
  options.queue_users_record = {"ns", "users"};
  options.share_id_seed = 0xfedcba9876543210;
  options.allocator.features.derived_attributes = true;
  options.allocator.features.admin_access = false;
  options.allocator.mode = alloc::Mode::first_fit;
  const auto again = decode_options(encode_options(options));
  REQUIRE(again);
  CHECK(encode_options(*again) == encode_options(options));
  CHECK(again->share_id_seed == options.share_id_seed);
  CHECK(again->allocator.features == options.allocator.features);
  CHECK(again->allocator.mode == alloc::Mode::first_fit);
  CHECK(again->queue_users_record == options.queue_users_record);
}

}  // namespace
}  // namespace dray::service::record_input_test

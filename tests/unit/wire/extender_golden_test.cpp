// What kube-scheduler 1.37 really sent (recorded by tests/cluster, `go test -run TestRecordedCalls
// -update .`), byte for byte: decoded in full, and answered in a form that it took.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "wire/extender_codec.h"

namespace dray::wire::extender_golden_test {
namespace {

std::string golden(const std::string& name) {
  const auto path = "tests/unit/wire/testdata/extender/" + name + ".json";
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<std::string> names(const std::vector<NodeName>& nodes) {
  std::vector<std::string> out;
  for (const auto& node : nodes) out.push_back(node.get());
  return out;
}

TEST_CASE("a recorded filter request with names is read in full") {
  const auto request = decode_filter_request(golden("filter_names.request"));
  REQUIRE(request);
  REQUIRE(request->node_names);
  CHECK(names(*request->node_names) == std::vector<std::string>{"n0", "n1"});
  CHECK_FALSE(request->nodes);
  const auto& pod = request->pod;
  CHECK(pod.key().to_string() == "record-names/claimed");
  CHECK(pod.scheduler_name == "dray-scheduler");
  CHECK(pod.meta.annotations.at("dray.dev/reservation") == "n0");
  REQUIRE(pod.resource_claims.size() == 1);
  CHECK(pod.resource_claims[0].template_name == "one");
  REQUIRE(pod.resource_claim_statuses.size() == 1);
  CHECK(pod.resource_claim_statuses[0].claim_name == "claimed-claim0-tvlxt");
  REQUIRE(pod.containers.size() == 1);
  CHECK(pod.containers[0].requests.at("cpu").milli_value() == 10);
}

TEST_CASE("a recorded filter answer is what dray writes") {
  const auto request = decode_filter_request(golden("filter_names.request"));
  REQUIRE(request);
  extender::FilterResponse response;
  response.node_names = *request->node_names;
  CHECK(encode(response, *request) == golden("filter_names.answer"));
}

TEST_CASE("recorded whole nodes come back as they were sent") {
  const auto request = decode_filter_request(golden("filter_nodes.request"));
  REQUIRE(request);
  REQUIRE(request->nodes);
  CHECK_FALSE(request->node_names);
  // What dray echoes of a node is in the request to the letter, managedFields and all.
  const auto sent = golden("filter_nodes.request");
  for (const auto& offered : *request->nodes) CHECK(sent.find(offered.json) != std::string::npos);
  extender::FilterResponse response;
  for (const auto& offered : *request->nodes) {
    response.node_names.emplace_back(offered.node.meta.name);
  }
  const auto answer = decode_filter_response(encode(response, *request));
  const auto recorded = decode_filter_response(golden("filter_nodes.answer"));
  REQUIRE(answer);
  REQUIRE(recorded);
  CHECK(names(answer->node_names).size() == names(recorded->node_names).size());
}

TEST_CASE("a recorded prioritize request is a filter request, its answer a list of hosts") {
  const auto form = GENERATE(std::string("names"), std::string("nodes"));
  CHECK(decode_filter_request(golden("prioritize_" + form + ".request")));
  const auto answer = decode_prioritize_response(golden("prioritize_" + form + ".answer"));
  REQUIRE(answer);
  CHECK(encode(*answer) == golden("prioritize_" + form + ".answer"));
}

TEST_CASE("a recorded bind request and its answer") {
  const auto request = decode_bind_request(golden("bind.request"));
  REQUIRE(request);
  CHECK(request->pod.to_string() == "record-names/claimed");
  CHECK(request->uid.get() == "a9e01185-8a6e-40c8-b67d-45ce30fb1155");
  CHECK(request->node.get() == "n1");
  CHECK(encode(*request) == golden("bind.request"));
  CHECK(encode(extender::BindResponse{}) == golden("bind.answer"));
}

TEST_CASE("recorded preempt requests of both forms name the same kind of victims") {
  const auto form = GENERATE(std::string("meta_victims"), std::string("victims"));
  const auto request = decode_preempt_request(golden("preempt_" + form + ".request"));
  REQUIRE(request);
  REQUIRE(request->victims.size() == 2);
  for (const auto& [node, victims] : request->victims) {
    CAPTURE(node.get());
    REQUIRE(victims.pods.size() == 1);
    CHECK(victims.pods[0].get().size() == 36);
  }
  CHECK(encode(extender::PreemptResponse{request->victims}) ==
        golden("preempt_" + form + ".answer"));
}

}  // namespace
}  // namespace dray::wire::extender_golden_test

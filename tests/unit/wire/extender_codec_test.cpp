#include "wire/extender_codec.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::wire::extender_codec_test {
namespace {

using extender::FilterRequest;
using extender::FilterResponse;

const std::string pod_json =
    R"({"metadata":{"name":"p0","namespace":"default","uid":"u0"},"spec":{"containers":[]}})";

FilterRequest filter_request(const std::string& json) {
  auto request = decode_filter_request(json);
  CAPTURE(json);
  if (!request) FAIL(request.error().message);
  return *request;
}

TEST_CASE("a filter request with names") {
  const auto request =
      filter_request(R"({"Pod":)" + pod_json + R"(,"Nodes":null,"NodeNames":["n0","n1"]})");
  CHECK(request.pod.key().to_string() == "default/p0");
  CHECK(request.pod.meta.uid == Uid("u0"));
  CHECK_FALSE(request.nodes);
  CHECK(request.node_names == std::vector{NodeName("n0"), NodeName("n1")});
}

TEST_CASE("keys in any case, nulls and bytes behind the value are as Go takes them") {
  struct Row {
    std::string name;
    std::string json;
    bool has_names;
  };
  const auto row = GENERATE(
      Row{"lower case", R"({"pod":{"metadata":{"name":"p0"}},"nodenames":["n0"]})", true},
      Row{"null names", R"({"Pod":{"metadata":{"name":"p0"}},"NodeNames":null})", false},
      Row{"unknown keys", R"({"Pod":{"metadata":{"name":"p0","x":[1]}},"Y":{},"NodeNames":[]})",
          true},
      Row{"new line", "{\"Pod\":{\"metadata\":{\"name\":\"p0\"}},\"NodeNames\":[]}\n", true},
      Row{"second value", R"({"Pod":{"metadata":{"name":"p0"}},"NodeNames":[]} {"Pod":null})",
          true},
      Row{"open string", R"({"Pod":{"metadata":{"name":"p0"}},"NodeNames":[]} "x)", true});
  DYNAMIC_SECTION(row.name) {
    const auto request = filter_request(row.json);
    CHECK(request.pod.meta.name == "p0");
    CHECK(request.node_names.has_value() == row.has_names);
  }
}

TEST_CASE("malformed requests are named by field or place") {
  struct Row {
    std::string json;
    std::string error;
  };
  const auto row =
      GENERATE(Row{"", "empty JSON text"}, Row{"[]", "expected an object, not a list"},
               Row{R"({"Pod":5})", "Pod: expected an object, not a number"},
               Row{R"({"Pod":{"metadata":{"name":5}}})",
                   "Pod.metadata.name: expected a string, not a number"},
               Row{R"({"NodeNames":["n0",7]})", "NodeNames[1]: expected a string, not a number"},
               Row{R"({"Nodes":{"items":[{"metadata":{"name":1}}]}})",
                   "Nodes.items[0]: metadata.name: expected a string, not a number"});
  DYNAMIC_SECTION(row.json) {
    const auto request = decode_filter_request(row.json);
    REQUIRE_FALSE(request);
    CHECK(request.error().message == row.error);
    CHECK(request.error().code == ErrorCode::invalid);
  }
  const auto cut = decode_filter_request(R"({"Pod":{"metadata":{"name":"p0"},"spec")");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().message.find("malformed JSON") != std::string::npos);
}

TEST_CASE("an answer by names") {
  FilterResponse response;
  response.node_names = {NodeName("n1")};
  response.failed["reclaim"] = {NodeName("n2")};
  response.failed_unresolvable["no device left"] = {NodeName("n0"), NodeName("n3")};
  const auto json = encode(response, FilterRequest{});
  CHECK(
      json ==
      R"({"Nodes":null,"NodeNames":["n1"],"FailedNodes":{"n2":"reclaim"},)"
      R"("FailedAndUnresolvableNodes":{"n0":"no device left","n3":"no device left"},"Error":""})");
  CHECK(decode_filter_response(json) == response);
}

TEST_CASE("a refusal of all nodes names those of the request") {
  FilterResponse response;
  response.all_unresolvable = "full";
  FilterRequest request;
  request.node_names = {NodeName("n0"), NodeName("n1")};
  const auto answer = decode_filter_response(encode(response, request)).value();
  CHECK(answer.node_names.empty());
  CHECK(answer.failed_unresolvable == extender::Refusals{{"full", *request.node_names}});
  const auto whole = filter_request(R"({"Pod":)" + pod_json +
                                    R"(,"Nodes":{"items":[{"metadata":{"name":"n7"}}]}})");
  CHECK(decode_filter_response(encode(response, whole)).value().failed_unresolvable ==
        extender::Refusals{{"full", {NodeName("n7")}}});
}

TEST_CASE("an answer without nodes is a list and not null") {
  CHECK(encode(FilterResponse{}, FilterRequest{}).find(R"("NodeNames":[])") != std::string::npos);
}

TEST_CASE("whole nodes come back with the fields that dray does not know") {
  const std::string n0 = R"({"metadata":{"name":"n0"},"spec":{"podCIDR":"10.0.0.0/24", "x":1.50}})";
  const std::string n1 = R"({"metadata":{"name":"n1"}})";
  const auto request =
      filter_request(R"({"Pod":)" + pod_json + R"(,"Nodes":{"metadata":{},"items":[)" + n0 + "," +
                     n1 + R"(]},"NodeNames":null})");
  REQUIRE(request.nodes);
  REQUIRE(request.nodes->size() == 2);
  CHECK(request.nodes->at(1).node.meta.name == "n1");
  FilterResponse response;
  response.node_names = {NodeName("n0")};
  const auto json = encode(response, request);
  CHECK(json ==
        R"({"Nodes":{"metadata":{},"items":[)" + n0 +
            R"(]},"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
  CHECK(decode_filter_response(json) == response);
}

TEST_CASE("requests as kube-scheduler writes them") {
  FilterRequest request;
  request.pod.meta.name = "p0";
  request.node_names = {NodeName("n0")};
  CHECK(decode_filter_request(encode(request)) == request);
  request.nodes.emplace();
  request.nodes->push_back({.node = {}, .json = R"({"metadata":{}})"});
  request.node_names.reset();
  CHECK(decode_filter_request(encode(request)) == request);
}

TEST_CASE("priorities") {
  const extender::PrioritizeResponse response{{NodeName("n0"), 7}, {NodeName("n1"), 10}};
  CHECK(encode(response) == R"([{"Host":"n0","Score":7},{"Host":"n1","Score":10}])");
  CHECK(decode_prioritize_response(encode(response)) == response);
  CHECK(encode(extender::PrioritizeResponse{}) == "[]");
  CHECK(decode_prioritize_response(R"([{"host":"n0","score":5.5}])").error().message ==
        "[0].score: expected an integer within its range");
}

TEST_CASE("bindings") {
  const extender::BindRequest request{{"default", "p0"}, Uid("u0"), NodeName("n0")};
  CHECK(encode(request) ==
        R"({"PodName":"p0","PodNamespace":"default","PodUID":"u0","Node":"n0"})");
  CHECK(decode_bind_request(encode(request)) == request);
  CHECK(encode(extender::BindResponse{}) == R"({"Error":""})");
  CHECK(decode_bind_response(R"({"Error":"a \"b\""})")->error == "a \"b\"");
}

TEST_CASE("both forms of victims") {
  extender::PreemptRequest want;
  want.pod.meta.name = "p0";
  want.victims[NodeName("n0")] = {{Uid("a"), Uid("b")}, 1};
  CHECK(decode_preempt_request(encode(want)) == want);
  CHECK(decode_preempt_request(
            R"({"Pod":{"metadata":{"name":"p0"}},"NodeNameToVictims":{"n0":{"Pods":[)"
            R"({"metadata":{"uid":"a"}},{"metadata":{"uid":"b"}}],"NumPDBViolations":1}},)"
            R"("NodeNameToMetaVictims":null})") == want);
}

TEST_CASE("no victims are an empty object and not null") {
  CHECK(encode(extender::PreemptResponse{}) == R"({"NodeNameToMetaVictims":{}})");
  extender::PreemptResponse response;
  response.victims[NodeName("n0")];
  CHECK(encode(response) == R"({"NodeNameToMetaVictims":{"n0":{"Pods":[],"NumPDBViolations":0}}})");
  CHECK(decode_preempt_response(encode(response)) == response);
}

}  // namespace
}  // namespace dray::wire::extender_codec_test

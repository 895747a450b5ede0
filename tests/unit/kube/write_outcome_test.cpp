#include <catch2/catch.hpp>

#include "kube/write_request.h"

namespace dray::kube::write_outcome_test {
namespace {

net::HttpResponse response(int status, const std::string& body) {
  return net::json_response(status, body);
}

std::string status_body(const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message + "\"}";
}

const PodKey pod{"default", "p0"};
const engine::Write lift = engine::LiftGate{pod, Uid("u1"), {}};
const engine::Write evict = engine::EvictPod{pod, Uid("u1"), false};

}  // namespace

TEST_CASE("a status means an error code, with the server's words") {
  struct Row {
    const char* name;
    engine::Write write;
    int status;
    const char* message;
    ErrorCode want;
  };
  const auto row = GENERATE(
      Row{"conflict", lift, 409, "modified", ErrorCode::conflict},
      Row{"not found", lift, 404, "not found", ErrorCode::not_found},
      Row{"invalid", lift, 422, "spec.x: wrong", ErrorCode::invalid},
      Row{"another object of that name", lift, 422,
          "metadata.uid: Invalid value: field is immutable", ErrorCode::conflict},
      Row{"bad request", lift, 400, "bad", ErrorCode::invalid},
      Row{"forbidden", lift, 403, "no", ErrorCode::denied},
      Row{"unauthorized", lift, 401, "who", ErrorCode::denied},
      Row{"throttled", lift, 429, "slow", ErrorCode::unavailable},
      Row{"an eviction, throttled", evict, 429, "slow", ErrorCode::unavailable},
      Row{"server error", lift, 500, "etcdserver: request timed out", ErrorCode::unavailable},
      Row{"not ready", lift, 503, "x", ErrorCode::unavailable});
  DYNAMIC_SECTION(row.name) {
    const auto outcome =
        outcome_of(row.write, Answered::pod, response(row.status, status_body(row.message)));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == row.want);
    CHECK(outcome.error().message.find(row.message) != std::string::npos);
  }
}

TEST_CASE("a disruption budget's no is told from overload by its cause") {
  const auto* const causes = GENERATE(R"({"reason":"DisruptionBudget","message":"m"})",
                                      R"({"message":"m"},{"reason":"DisruptionBudget"})");
  const auto budget = response(
      429, R"({"kind":"Status","message":"m","details":{"causes":[)" + std::string(causes) + "]}}");
  CHECK(is_budget(budget));
  CHECK(outcome_of(evict, Answered::nothing, budget).error().code == ErrorCode::denied);
  CHECK_FALSE(is_budget(response(429, status_body("too many requests"))));
  CHECK_FALSE(is_budget(response(403, budget.body)));
}

TEST_CASE("a write of another epoch is told from whatever else is forbidden") {
  const auto body =
      status_body("denied request: the write's fieldManager is not of the Lease's epoch");
  CHECK(is_other_epoch(response(403, body)));
  CHECK_FALSE(is_other_epoch(response(403, status_body("dray may not patch pods"))));
  CHECK_FALSE(is_other_epoch(response(422, body)));
}

TEST_CASE("an answer holds the object, unless there is none in it") {
  const std::string body =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p0","uid":"u1"}})";
  const auto outcome = outcome_of(lift, Answered::pod, response(200, body));
  REQUIRE(outcome);
  CHECK(std::get<Pod>(*outcome).meta.uid == Uid("u1"));
  CHECK(std::holds_alternative<std::monostate>(
      outcome_of(evict, Answered::nothing, response(201, "{}")).value()));
}

TEST_CASE("a success that cannot be read may have happened") {
  const auto* const body = GENERATE("", "{", R"({"kind":"Node","apiVersion":"v1","metadata":{}})");
  DYNAMIC_SECTION(body) {
    const auto outcome = outcome_of(lift, Answered::pod, response(200, body));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::unavailable);
  }
}

TEST_CASE("a proxy's page is cut short in the message") {
  const auto error = error_of(net::text_response(502, std::string(10'000, 'x')));
  CHECK(error.code == ErrorCode::unavailable);
  CHECK(error.message.size() < 300);
}

}  // namespace dray::kube::write_outcome_test

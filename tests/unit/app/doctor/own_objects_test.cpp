#include "app/doctor/own_objects.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::app::own_objects_test {
namespace {

using namespace dray::testing;

const std::string blue = "dray-scheduler-blue";

OwnContext partition() {
  OwnContext context;
  context.scheduler_name = blue;
  context.partition = true;
  return context;
}

OwnContext beside_blue() {
  OwnContext context;
  context.other_schedulers = {blue};
  return context;
}

Pod made_from_template(Pod pod, const std::string& claim) {
  pod = with_template(std::move(pod), "t");
  pod.resource_claim_statuses = {{.name = "gpus", .claim_name = claim}};
  return pod;
}

}  // namespace

TEST_CASE("a partition's pods are those of its scheduler name") {
  const OwnObjects own({}, partition());
  CHECK(own.has(of_scheduler(blue, make_pod("p"))));
  CHECK(!own.has(make_pod("p")));
  CHECK(!own.has(of_scheduler("default-scheduler", make_pod("p"))));
}

TEST_CASE("without a partition all pods are its own but those of other drays") {
  const OwnObjects own({}, beside_blue());
  CHECK(!own.has(of_scheduler(blue, make_pod("p"))));
  CHECK(own.has(make_pod("p")));
  CHECK(own.has(of_scheduler("default-scheduler", make_pod("p"))));
}

TEST_CASE("a claim is another dray's where its pods alone use it") {
  const auto claim = make_claim("c", 1);
  const auto by_name = make_pod("p", "c", false);
  const auto by_template = made_from_template(make_pod("p"), "c");
  const auto use = GENERATE_COPY(by_name, by_template);
  CHECK(!OwnObjects({use}, partition()).has(claim));
  CHECK(OwnObjects({use}, beside_blue()).has(claim));
  CHECK(OwnObjects({of_scheduler(blue, use)}, partition()).has(claim));
  CHECK(!OwnObjects({of_scheduler(blue, use)}, beside_blue()).has(claim));
  CHECK(OwnObjects({of_scheduler(blue, use), by_name}, beside_blue()).has(claim));
}

TEST_CASE("a claim that nobody uses is taken for its own, and so is a namesake's elsewhere") {
  const auto claim = make_claim("c", 1);
  CHECK(OwnObjects({}, partition()).has(claim));
  auto elsewhere = make_pod("p", "c", false);
  elsewhere.meta.namespace_name = "elsewhere";
  CHECK(OwnObjects({elsewhere}, partition()).has(claim));
}

}  // namespace dray::app::own_objects_test

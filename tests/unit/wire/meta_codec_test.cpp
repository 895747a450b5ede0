#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::meta_codec_test {
namespace {

TEST_CASE("metadata, all fields") {
  const std::string json =
      R"({"name":"p0","namespace":"default","uid":"u0","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:06Z",)"
      R"("labels":{"a":"1","b":""},"annotations":{"x/y":"z"},"finalizers":["f"],)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true}]})";
  CHECK(rewritten<ObjectMeta>(json) == json);
}

TEST_CASE("null and unknown metadata is absent") {
  CHECK(rewritten<ObjectMeta>(R"({"name":"p0","labels":null,"creationTimestamp":null,)"
                              R"("managedFields":[{"a":{}}],"generation":3})") ==
        R"({"name":"p0"})");
}

TEST_CASE("conditions") {
  const std::string json = R"({"type":"Ready","status":"True","reason":"r","message":"m",)"
                           R"("lastTransitionTime":"2026-01-02T03:04:05Z"})";
  CHECK(rewritten<Condition>(json) == json);
}

TEST_CASE("node selectors") {
  const std::string json =
      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}],)"
      R"("matchFields":[{"key":"metadata.name","operator":"In","values":["n0"]}]},{}]})";
  CHECK(rewritten<NodeSelector>(json) == json);
}

TEST_CASE("a wrong field is named") {
  CHECK(rewritten<ObjectMeta>(R"({"labels":{"a.b/c":1}})") ==
        "labels[a.b/c]: expected a string, not a number");
  CHECK(rewritten<ObjectMeta>(R"({"creationTimestamp":"now"})") ==
        "creationTimestamp: not an RFC 3339 time: \"now\"");
}
}  // namespace
}  // namespace dray::wire::meta_codec_test

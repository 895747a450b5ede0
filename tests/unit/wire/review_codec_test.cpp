#include "wire/review_codec.h"

#include <catch2/catch.hpp>

namespace dray::wire::review_codec_test {

using Catch::Contains;

TEST_CASE("a TokenReview asks for one token, and its answer names a user with all that he is") {
  CHECK(
      encode_token_review("a\"b") ==
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"a\"b"}})");
  const auto verdict = decode_token_review(
      R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"token":"t"},)"
      R"("status":{"authenticated":true,"user":{"username":"jane","uid":"7","groups":["a","b"],)"
      R"("extra":{"example.com/x":["1","2"]}},"audiences":["k"]}})");
  REQUIRE(verdict);
  CHECK(*verdict ==
        TokenVerdict{true, {"jane", "7", {"a", "b"}, {{"example.com/x", {"1", "2"}}}}, ""});
}

TEST_CASE("a token that is refused, and answers that are none") {
  const auto refused =
      decode_token_review(R"({"kind":"TokenReview","status":{"error":"token has expired"}})");
  REQUIRE(refused);
  CHECK_FALSE(refused->authenticated);
  CHECK(refused->error == "token has expired");
  for (const auto* text :
       {"", "{}", "[]", R"({"kind":"Status","code":200})", R"({"kind":"SubjectAccessReview"})",
        R"({"kind":"TokenReview","status":{"authenticated":"yes"}})",
        R"({"kind":"TokenReview","status":{"authenticated":true,"user":{}}})"}) {
    INFO(text);
    CHECK_FALSE(decode_token_review(text));
  }
}

TEST_CASE("a SubjectAccessReview tells the whole user, and asks about a resource or a path") {
  const UserInfo user{"jane", "7", {"a"}, {{"x", {"1"}}}};
  CHECK(
      encode_access_review(user, {.verb = "list",
                                  .group = "resource.k8s.io",
                                  .resource = "resourceclaims",
                                  .namespace_name = "team"}) ==
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"jane","uid":"7",)"
      R"("groups":["a"],"extra":{"x":["1"]},"resourceAttributes":{"verb":"list","group":"resource.k8s.io",)"
      R"("resource":"resourceclaims","namespace":"team"}}})");
  CHECK_THAT(
      encode_access_review({"jane", "", {}, {}}, {.verb = "get", .path = "/dashboard"}),
      Contains(
          R"("spec":{"user":"jane","nonResourceAttributes":{"path":"/dashboard","verb":"get"}})"));
}

TEST_CASE("only what is allowed and not denied is") {
  const auto answer = [](const std::string& status) {
    return decode_access_review(R"({"kind":"SubjectAccessReview","status":{)" + status + "}}");
  };
  CHECK(answer(R"("allowed":true)") == true);
  CHECK(answer(R"("allowed":false)") == false);
  CHECK(answer("") == false);
  CHECK(answer(R"("allowed":true,"denied":true)") == false);
  CHECK_FALSE(decode_access_review(R"({"kind":"Status","status":"Failure"})"));
}

}  // namespace dray::wire::review_codec_test

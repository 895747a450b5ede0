#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/json/json_reader.h"
#include "wire/review_codec.h"

namespace dray::fuzz {
namespace {

/// The text of spec.FIELD.
std::string spec_text(std::string_view json, std::string_view field) {
  std::string text;
  wire::Document document(json);
  document.visit([&](const wire::Reader& root) {
    root.fields([&](auto& io) { io.object("spec", [&](auto& spec) { spec.field(field, text); }); });
  });
  DRAY_CHECK(!document.problem());
  return text;
}

}  // namespace

/// Answers to a TokenReview and to a SubjectAccessReview, and the token of somebody's header: the
/// first character says which.
void review(std::string_view bytes) {
  Input input(bytes);
  switch (input.pick(3)) {
    case 0: {
      const auto verdict = wire::decode_token_review(input.rest());
      if (!verdict || !verdict->authenticated) return;
      DRAY_CHECK(!verdict->user.name.empty());
      // What is asked next is asked of that user.
      const auto question = wire::encode_access_review(verdict->user, {"get", "/dashboard"});
      DRAY_CHECK(spec_text(question, "user") == verdict->user.name);
      return;
    }
    case 1:
      (void)wire::decode_access_review(input.rest());
      return;
    default:
      (void)spec_text(wire::encode_token_review(input.rest()), "token");
  }
}

}  // namespace dray::fuzz

#include "wire/review_codec.h"

#include <utility>

#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"

namespace dray::wire {
namespace {

Result<void> check_kind(const Document& document, const std::string& kind,
                        std::string_view wanted) {
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  if (kind == wanted) return {};
  return fail(ErrorCode::invalid,
              "the answer is a \"" + kind + "\", and should be a " + std::string(wanted));
}

}  // namespace

std::string encode_token_review(std::string_view token) {
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    io.required("apiVersion", std::string("authentication.k8s.io/v1"));
    io.required("kind", std::string("TokenReview"));
    io.object("spec", [&](FieldWriter& spec) { spec.required("token", std::string(token)); });
  });
  return std::move(out).take();
}

Result<TokenVerdict> decode_token_review(std::string_view json) {
  std::string kind;
  TokenVerdict verdict;
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.field("kind", kind);
      io.object("status", [&](auto& status) {
        status.field("authenticated", verdict.authenticated);
        status.field("error", verdict.error);
        status.object("user", [&](auto& user) {
          user.field("username", verdict.user.name);
          user.field("uid", verdict.user.uid);
          user.field("groups", verdict.user.groups);
          user.field("extra", verdict.user.extra);
        });
      });
    });
  });
  if (const auto is = check_kind(document, kind, "TokenReview"); !is) {
    return std::unexpected(is.error());
  }
  if (verdict.authenticated && verdict.user.name.empty()) {
    return fail(ErrorCode::invalid, "a TokenReview lets in somebody without a name");
  }
  return verdict;
}

std::string encode_access_review(const UserInfo& user, const AccessQuestion& question) {
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    io.required("apiVersion", std::string("authorization.k8s.io/v1"));
    io.required("kind", std::string("SubjectAccessReview"));
    io.object("spec", [&](FieldWriter& spec) {
      spec.required("user", user.name);
      spec.field("uid", user.uid);
      spec.field("groups", user.groups);
      spec.field("extra", user.extra);
      if (!question.path.empty()) {
        return spec.object("nonResourceAttributes", [&](FieldWriter& attributes) {
          attributes.required("path", question.path);
          attributes.required("verb", question.verb);
        });
      }
      spec.object("resourceAttributes", [&](FieldWriter& attributes) {
        attributes.required("verb", question.verb);
        attributes.field("group", question.group);
        attributes.required("resource", question.resource);
        attributes.field("namespace", question.namespace_name);
      });
    });
  });
  return std::move(out).take();
}

Result<bool> decode_access_review(std::string_view json) {
  std::string kind;
  bool allowed = false;
  bool denied = false;
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.field("kind", kind);
      io.object("status", [&](auto& status) {
        status.field("allowed", allowed);
        status.field("denied", denied);
      });
    });
  });
  if (const auto is = check_kind(document, kind, "SubjectAccessReview"); !is) {
    return std::unexpected(is.error());
  }
  return allowed && !denied;
}

}  // namespace dray::wire

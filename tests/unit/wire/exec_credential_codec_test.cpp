#include "wire/exec_credential_codec.h"

#include <catch2/catch.hpp>

namespace dray::wire::exec_credential_codec_test {
namespace {

constexpr const char* v1 = "client.authentication.k8s.io/v1";

KubeconfigContext context(bool cluster) {
  KubeconfigContext made;
  made.server = "https://x:6443";
  made.tls_server_name = "api";
  made.exec = ExecPlugin{.api_version = v1,
                         .command = "p",
                         .args = {},
                         .env = {},
                         .interactive_mode = {},
                         .provide_cluster_info = cluster,
                         .install_hint = {}};
  return made;
}

TEST_CASE("a plugin is told that it has no terminal, and of the cluster if it asks for that") {
  CHECK(encode_exec_info(context(false), "CA") ==
        R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("spec":{"interactive":false}})");
  CHECK(encode_exec_info(context(true), "CA") ==
        R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("spec":{"interactive":false,"cluster":{"server":"https://x:6443",)"
        R"("tls-server-name":"api","certificate-authority-data":"Q0E="}}})");
}

TEST_CASE("a credential is a token, until some time") {
  const auto both = decode_exec_credential(
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
      R"("status":{"token":"t","expirationTimestamp":"2026-01-02T03:04:05Z"}})",
      v1);
  REQUIRE(both);
  CHECK(both->token == "t");
  CHECK(both->expires == parse_time("2026-01-02T03:04:05Z").value());
  CHECK_FALSE(both->has_certificate);
  const auto certificate = decode_exec_credential(
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
      R"("status":{"clientCertificateData":"C","clientKeyData":"K"}})",
      v1);
  REQUIRE(certificate);
  CHECK(certificate->has_certificate);
  CHECK(certificate->token.empty());
  CHECK_FALSE(certificate->expires);
}

TEST_CASE("what is no credential is named") {
  struct Row {
    std::string name;
    std::string text;
    std::string want;
  };
  const auto row = GENERATE(
      Row{"no JSON", "token", ""},
      Row{"another kind", R"({"apiVersion":"v1","kind":"Secret"})",
          "printed kind \"Secret\" of v1, and is to print an ExecCredential of client"},
      Row{"another version",
          R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"})",
          "printed kind \"ExecCredential\" of client.authentication.k8s.io/v1beta1, and"},
      Row{"no time",
          R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
          R"("status":{"token":"t","expirationTimestamp":"soon"}})",
          "status.expirationTimestamp: "});
  DYNAMIC_SECTION(row.name) {
    const auto read = decode_exec_credential(row.text, v1);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.starts_with(row.want));
  }
}

}  // namespace
}  // namespace dray::wire::exec_credential_codec_test

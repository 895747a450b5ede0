#include "wire/exec_credential_codec.h"

#include <fmt/format.h>

#include "wire/base64.h"
#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"

namespace dray::wire {

std::string encode_exec_info(const KubeconfigContext& context, std::string_view ca) {
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    io.required("apiVersion", context.exec->api_version);
    io.required("kind", std::string("ExecCredential"));
    io.object("spec", [&](FieldWriter& spec) {
      spec.required("interactive", false);
      spec.object("cluster", context.exec->provide_cluster_info, [&](FieldWriter& cluster) {
        cluster.required("server", context.server);
        cluster.field("tls-server-name", context.tls_server_name);
        cluster.field("insecure-skip-tls-verify", context.insecure);
        cluster.field("certificate-authority-data", encode_base64(ca));
        cluster.field("proxy-url", context.proxy_url);
      });
    });
  });
  return std::move(out).take();
}

Result<ExecCredential> decode_exec_credential(std::string_view json, std::string_view api_version) {
  std::string version, kind, expires;
  ExecCredential made;
  Document document(json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.field("apiVersion", version);
      io.field("kind", kind);
      io.object("status", [&](auto& status) {
        status.field("token", made.token);
        status.field("expirationTimestamp", expires);
        std::string certificate;
        status.field("clientCertificateData", certificate);
        made.has_certificate = made.has_certificate || !certificate.empty();
      });
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  if (kind != "ExecCredential" || version != api_version) {
    return fail(ErrorCode::invalid,
                fmt::format("printed kind \"{}\" of {}, and is to print an ExecCredential of {}",
                            kind, version, api_version));
  }
  if (!expires.empty()) {
    const auto time = parse_time(expires);
    if (!time) return std::unexpected(Error(time.error()).within("status.expirationTimestamp"));
    made.expires = *time;
  }
  return made;
}

}  // namespace dray::wire

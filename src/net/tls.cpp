#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <chrono>
#include <ctime>
#include <string_view>
#include <utility>

#include "net/file.h"
#include "net/tls_native.h"

namespace dray::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr auto suites12 =
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:"
    "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr auto alpn_http11 =
    std::to_array<unsigned char>({8, 'h', 't', 't', 'p', '/', '1', '.', '1'});

/// Go clients offer h2 first: http/1.1 is taken if offered, else the handshake fails.
int select_http11(SSL*, const unsigned char** out, unsigned char* out_size,
                  const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, alpn_http11.data(), alpn_http11.size(), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Result<void> check(const error_code& ec, std::string_view what) {
  if (!ec) return {};
  ERR_clear_error();
  return fail(ErrorCode::invalid, std::string(what) + ": " + ec.message());
}

boost::asio::const_buffer bytes(const std::string& text) {
  return {text.data(), text.size()};
}

void harden(ssl::context& context) {
  auto* const native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                  SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_cipher_list(native, suites12);
}

Result<void> use_key_pair(ssl::context& context, const std::string& certificate,
                          const std::string& key) {
  error_code ec;
  ec = context.use_certificate_chain(bytes(certificate), ec);
  if (auto ok = check(ec, "certificate"); !ok) return ok;
  ec = context.use_private_key(bytes(key), ssl::context::pem, ec);
  if (auto ok = check(ec, "key"); !ok) return ok;
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    ERR_clear_error();
    return fail(ErrorCode::invalid, "key: does not belong to the certificate");
  }
  return {};
}

Result<void> trust(ssl::context& context, const std::string& ca) {
  error_code ec;
  ec = context.add_certificate_authority(bytes(ca), ec);
  return check(ec, "certificate authority");
}

/// Names the authorities to the client, which then knows which of its certificates to show.
void announce_authorities(ssl::context& context, const std::string& ca) {
  BIO* const bio = BIO_new_mem_buf(ca.data(), static_cast<int>(ca.size()));
  while (X509* const certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    SSL_CTX_add_client_CA(context.native_handle(), certificate);
    X509_free(certificate);
  }
  BIO_free(bio);
  ERR_clear_error();
}

Time expiry_of(ssl::context& context) {
  const X509* const certificate = SSL_CTX_get0_certificate(context.native_handle());
  std::tm fields{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &fields) != 1) {
    return {};
  }
  return Time(std::chrono::seconds(timegm(&fields)));
}

Result<std::string> read_some(const std::string& path) {
  auto text = read_file(path);
  if (text && text->empty()) return fail(ErrorCode::not_found, path + ": is empty");
  return text;
}

}  // namespace

TlsContext::TlsContext() = default;
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const ServerTls& tls) {
  std::shared_ptr<TlsContext> made(new TlsContext);
  made->native_.reset(new Native{ssl::context(ssl::context::tls_server)});
  auto& context = made->native_->context;
  harden(context);
  auto* const native = context.native_handle();
  SSL_CTX_set_alpn_select_cb(native, select_http11, nullptr);
  static constexpr std::string_view session_scope = "dray";
  SSL_CTX_set_session_id_context(native,
                                 reinterpret_cast<const unsigned char*>(session_scope.data()),
                                 static_cast<unsigned int>(session_scope.size()));
  if (auto ok = use_key_pair(context, tls.certificate, tls.key); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  if (!tls.client_ca.empty()) {
    if (auto ok = trust(context, tls.client_ca); !ok) {
      return std::unexpected(std::move(ok.error()).within("client"));
    }
    announce_authorities(context, tls.client_ca);
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  made->expiry_ = expiry_of(context);
  return made;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const ClientTls& tls) {
  std::shared_ptr<TlsContext> made(new TlsContext);
  made->native_.reset(new Native{ssl::context(ssl::context::tls_client)});
  auto& context = made->native_->context;
  harden(context);
  SSL_CTX_set_alpn_protos(context.native_handle(), alpn_http11.data(), alpn_http11.size());
  if (tls.verify) {
    error_code ec;
    if (tls.ca.empty()) ec = context.set_default_verify_paths(ec);
    if (auto ok = check(ec, "system authorities"); !ok) return std::unexpected(ok.error());
    if (!tls.ca.empty()) {
      if (auto ok = trust(context, tls.ca); !ok) return std::unexpected(std::move(ok.error()));
    }
    SSL_CTX_set_verify(context.native_handle(), SSL_VERIFY_PEER, nullptr);
  }
  if (!tls.certificate.empty()) {
    if (auto ok = use_key_pair(context, tls.certificate, tls.key); !ok) {
      return std::unexpected(std::move(ok.error()).within("client"));
    }
    made->expiry_ = expiry_of(context);
  }
  return made;
}

Result<ServerTls> read_tls_files(const ServerTlsFiles& files) {
  ServerTls tls;
  auto certificate = read_some(files.certificate);
  if (!certificate) return std::unexpected(std::move(certificate.error()).within("certificate"));
  auto key = read_some(files.key);
  if (!key) return std::unexpected(std::move(key.error()).within("key"));
  tls.certificate = std::move(*certificate);
  tls.key = std::move(*key);
  if (!files.client_ca.empty()) {
    auto ca = read_some(files.client_ca);
    if (!ca) return std::unexpected(std::move(ca.error()).within("client ca"));
    tls.client_ca = std::move(*ca);
  }
  return tls;
}

}  // namespace dray::net

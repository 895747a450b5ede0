#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"

namespace dray::net {

/// What a TLS server shows and asks for, as PEM text. With a client CA every client must show a
/// certificate of it (mTLS).
struct ServerTls {
  std::string certificate;  ///< leaf first, then intermediates
  std::string key;
  std::string client_ca;

  bool operator==(const ServerTls&) const = default;
};

/// The same as files, for HttpServer to re-read when they change.
struct ServerTlsFiles {
  std::string certificate;
  std::string key;
  std::string client_ca;  ///< empty: clients need no certificate
};

/// How a TLS client checks the server and shows itself, as PEM text.
struct ClientTls {
  std::string ca;           ///< empty: the system's authorities
  std::string certificate;  ///< empty: shows none
  std::string key;
  std::string server_name;  ///< name (or address) to check and to ask for, if not the URL's host
  bool verify = true;

  bool operator==(const ClientTls&) const = default;
};

[[nodiscard]] Result<ServerTls> read_tls_files(const ServerTlsFiles& files);

/// A ready OpenSSL context: TLS 1.2 and 1.3, forward-secret AEAD suites only, http/1.1 as the only
/// ALPN protocol. Immutable; connections share it.
class TlsContext {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> server(const ServerTls& tls);
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> client(const ClientTls& tls);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// notAfter of our own certificate; the epoch where there is none.
  [[nodiscard]] Time certificate_expiry() const { return expiry_; }

  struct Native;
  [[nodiscard]] Native& native() const { return *native_; }

 private:
  TlsContext();

  std::unique_ptr<Native> native_;
  Time expiry_;
};

}  // namespace dray::net

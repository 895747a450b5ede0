#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/tls.h"
#include "tests/temp_folder.h"

namespace dray::net::testing {

/// An io_context with threads of its own; run() waits for a coroutine's result.
class Loop {
 public:
  explicit Loop(int threads = 2) : work_(boost::asio::make_work_guard(io)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { io.run(); });
  }
  ~Loop() { stop(); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Nothing runs any more: what coroutines and handlers refer to may go.
  void stop() {
    work_.reset();
    io.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  template <class T>
  T run(boost::asio::awaitable<T> task) {
    return start(std::move(task)).get();
  }
  template <class T>
  std::future<T> start(boost::asio::awaitable<T> task) {
    return boost::asio::co_spawn(io, std::move(task), boost::asio::use_future);
  }

  boost::asio::io_context io;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

struct KeyPair {
  std::string certificate;
  std::string key;
};

/// What a certificate says; `subject_alt_name` as in openssl.cnf: `DNS:localhost,IP:127.0.0.1`.
struct CertificateSpec {
  std::string common_name;
  std::string subject_alt_name;
  bool authority = false;
  long valid_from = -3600;  // seconds from now
  long valid_to = 3600;
  std::string key_usage = {};  ///< serverAuth, clientAuth; empty: whatever is asked
};

namespace detail {
template <class T, auto Free>
struct Freed {
  void operator()(T* pointer) const { Free(pointer); }
};
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

inline std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, static_cast<void*>(&data));
  return {data, static_cast<std::size_t>(size)};
}

inline void extend(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

inline Key read_key(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}
inline Certificate read_certificate(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}
}  // namespace detail

/// A P-256 certificate signed by `issuer`, or by itself.
inline KeyPair make_certificate(const CertificateSpec& spec, const KeyPair* issuer = nullptr) {
  using namespace detail;
  static std::atomic<long> serial = 1;
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), spec.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), spec.valid_to);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(spec.common_name.data()),
                             static_cast<int>(spec.common_name.size()), -1, 0);
  Certificate parent;
  Key parent_key;
  if (issuer != nullptr) {
    parent = read_certificate(issuer->certificate);
    parent_key = read_key(issuer->key);
  }
  X509_set_issuer_name(certificate.get(), parent ? X509_get_subject_name(parent.get()) : name);
  extend(certificate.get(), NID_basic_constraints,
         spec.authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!spec.subject_alt_name.empty()) {
    extend(certificate.get(), NID_subject_alt_name, spec.subject_alt_name);
  }
  if (!spec.key_usage.empty()) extend(certificate.get(), NID_ext_key_usage, spec.key_usage);
  X509_sign(certificate.get(), parent_key ? parent_key.get() : key.get(), EVP_sha256());
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

using dray::testing::TempFolder;

/// A blocking client that sends exactly what it is told to.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }
  /// From another address of this host: `127.0.0.2`.
  RawClient(std::uint16_t port, const std::string& from) : socket_(io_) {
    socket_.open(boost::asio::ip::tcp::v4());
    socket_.bind({boost::asio::ip::make_address(from), 0});
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }
  void send(std::string_view bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), ignored);
  }
  void end() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }
  void close() { socket_.close(); }
  /// The other side has not closed it, as far as is known now.
  bool is_open() {
    char byte = 0;
    return recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  /// Everything up to the end of the connection.
  std::string read_all() {
    std::string all;
    std::array<char, 4096> part{};
    boost::system::error_code ec;
    while (!ec) all.append(part.data(), socket_.read_some(boost::asio::buffer(part), ec));
    return all;
  }
  /// Everything up to and with the first `mark`.
  std::string read_until(std::string_view mark) {
    std::string all;
    boost::system::error_code ec;
    char byte = 0;
    while (!all.ends_with(mark)) {
      if (boost::asio::read(socket_, boost::asio::buffer(&byte, 1), ec) == 0) break;
      all += byte;
    }
    return all;
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
};

/// Listens on a free port; serves one connection at a time with bytes as they are.
class RawServer {
 public:
  RawServer() : acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {}
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  boost::asio::ip::tcp::socket accept() { return acceptor_.accept(); }
  static std::string read_until(boost::asio::ip::tcp::socket& socket, std::string_view mark) {
    std::string all;
    boost::system::error_code ec;
    char byte = 0;
    while (!all.ends_with(mark) && boost::asio::read(socket, boost::asio::buffer(&byte, 1), ec)) {
      all += byte;
    }
    return all;
  }
  static void send(boost::asio::ip::tcp::socket& socket, std::string_view bytes) {
    boost::asio::write(socket, boost::asio::buffer(bytes.data(), bytes.size()));
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace dray::net::testing

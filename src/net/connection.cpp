#include "net/connection.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <tuple>
#include <utility>

#include "net/tls_native.h"

namespace dray::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto with_error = asio::as_tuple(asio::use_awaitable);

bool is_address(const std::string& host) {
  error_code ec;
  asio::ip::make_address(host, ec);
  return !ec;
}

/// Whom to ask for, and whom the certificate has to name (by its subjectAltName alone).
void expect_server(SSL* native, std::string& name) {
  auto* const wanted = SSL_get0_param(native);
  if (is_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str());
    return;
  }
  X509_VERIFY_PARAM_set_hostflags(
      wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size());
  // What the macro SSL_set_tlsext_host_name does, without its C cast.
  SSL_ctrl(native, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
}

}  // namespace

struct Connection::Tls {
  std::shared_ptr<const TlsContext> context;
  asio::ssl::stream<Socket&> stream;
};

Connection::Connection(Socket socket)
    : socket_(std::move(socket)), timer_(socket_.get_executor()) {}
Connection::~Connection() = default;

asio::any_io_executor Connection::executor() {
  return socket_.get_executor();
}

Error Connection::failure(std::string_view doing, const error_code& ec) {
  if (!timed_out_ && ec.category() == asio::error::get_ssl_category()) failed_by_tls_ = true;
  const auto why = timed_out_ ? std::string("timed out") : ec.message();
  return {ErrorCode::unavailable, std::string(doing) + ": " + why};
}

asio::awaitable<Result<void>> Connection::connect(std::string host, std::uint16_t port) {
  error_code ec;
  if (closed_) co_return std::unexpected(failure("connect", asio::error::operation_aborted));
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) {
    std::tie(ec) = co_await socket_.async_connect(tcp::endpoint(address, port), with_error);
  } else {
    tcp::resolver resolver(socket_.get_executor());
    tcp::resolver::results_type found;
    std::tie(ec, found) = co_await resolver.async_resolve(host, std::to_string(port), with_error);
    if (!ec && closed_) ec = asio::error::operation_aborted;
    if (ec) co_return std::unexpected(failure("resolve " + host, ec));
    tcp::endpoint reached;
    std::tie(ec, reached) = co_await asio::async_connect(socket_, found, with_error);
  }
  if (ec) co_return std::unexpected(failure("connect", ec));
  ec = socket_.set_option(tcp::no_delay(true), ec);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Connection::start_tls_client(
    std::shared_ptr<const TlsContext> context, std::string server_name) {
  auto& native = context->native().context;
  tls_.reset(new Tls{std::move(context), asio::ssl::stream<Socket&>(socket_, native)});
  expect_server(tls_->stream.native_handle(), server_name);
  co_return co_await handshake(false);
}

asio::awaitable<Result<void>> Connection::start_tls_server(
    std::shared_ptr<const TlsContext> context) {
  auto& native = context->native().context;
  tls_.reset(new Tls{std::move(context), asio::ssl::stream<Socket&>(socket_, native)});
  co_return co_await handshake(true);
}

asio::awaitable<Result<void>> Connection::handshake(bool server) {
  const auto role = server ? asio::ssl::stream_base::server : asio::ssl::stream_base::client;
  const auto [ec] = co_await tls_->stream.async_handshake(role, with_error);
  if (!ec) co_return Result<void>{};
  const auto verified = SSL_get_verify_result(tls_->stream.native_handle());
  auto error = failure("tls handshake", ec);
  if (verified != X509_V_OK) {
    error.message += std::string(": ") + X509_verify_cert_error_string(verified);
  }
  co_return std::unexpected(std::move(error));
}

asio::awaitable<Result<std::size_t>> Connection::read_some(std::span<char> into) {
  const auto buffer = asio::buffer(into.data(), into.size());
  error_code ec;
  std::size_t count = 0;
  if (tls_) {
    std::tie(ec, count) = co_await tls_->stream.async_read_some(buffer, with_error);
  } else {
    std::tie(ec, count) = co_await socket_.async_read_some(buffer, with_error);
  }
  // A peer that ends without close_notify is held to the message's own length, as for plain TCP.
  if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) co_return 0;
  if (ec) co_return std::unexpected(failure("read", ec));
  co_return count;
}

asio::awaitable<Result<void>> Connection::write(std::string_view head, std::string_view body) {
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head.data(), head.size()),
                                                asio::buffer(body.data(), body.size())};
  error_code ec;
  std::size_t count = 0;
  if (tls_) {
    std::tie(ec, count) = co_await asio::async_write(tls_->stream, parts, with_error);
  } else {
    std::tie(ec, count) = co_await asio::async_write(socket_, parts, with_error);
  }
  if (ec) co_return std::unexpected(failure("write", ec));
  co_return Result<void>{};
}

asio::awaitable<void> Connection::close_gently(Clock::duration at_most) {
  if (!socket_.is_open()) co_return;
  expires_after(at_most);
  error_code ec;
  if (tls_) {
    std::tie(ec) = co_await tls_->stream.async_shutdown(with_error);
  }
  ec = socket_.shutdown(tcp::socket::shutdown_send, ec);
  std::array<char, 4096> rest{};
  while (!ec && socket_.is_open()) {
    const auto [failed, count] = co_await socket_.async_read_some(asio::buffer(rest), with_error);
    if (failed || count == 0) break;
  }
  close();
}

void Connection::close() {
  closed_ = true;
  error_code ignored;
  ignored = socket_.close(ignored);
  timer_.cancel();
  deadline_ = Clock::time_point::max();
}

void Connection::close_soon() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

bool Connection::is_open() const {
  return socket_.is_open();
}

bool Connection::is_quiet() {
  if (!socket_.is_open()) return false;
  if (tls_ && SSL_pending(tls_->stream.native_handle()) > 0) return false;
  char byte = 0;
  const auto seen = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool Connection::peer_has_closed() {
  if (!socket_.is_open()) return true;
  pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&state, 1, 0) <= 0) return false;
  return (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

std::string network_of(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_v4().to_string();
  auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string();
}

std::string Connection::peer() const {
  error_code ec;
  const auto endpoint = socket_.remote_endpoint(ec);
  if (ec) return {};
  const auto address = endpoint.address().to_string(ec);
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(endpoint.port());
}

std::string Connection::peer_network() const {
  error_code ec;
  const auto endpoint = socket_.remote_endpoint(ec);
  return ec ? std::string() : network_of(endpoint.address());
}

std::string Connection::peer_name() const {
  if (!tls_) return {};
  auto* const native = tls_->stream.native_handle();
  if (SSL_get_verify_result(native) != X509_V_OK) return {};
  const X509* const certificate = SSL_get0_peer_certificate(native);
  if (certificate == nullptr) return {};
  std::array<char, 256> name{};
  const auto size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                              name.data(), static_cast<int>(name.size()));
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : std::string();
}

void Connection::expires_at(Clock::time_point deadline) {
  deadline_ = deadline;
  // A timer that fires too early looks again: most deadlines are replaced by later ones in time.
  if (deadline_ < timer_at_) watch_deadline();
}

void Connection::watch_deadline() {
  timer_at_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
    if (const auto self = weak.lock(); self && !ec) self->on_timer();
  });
}

void Connection::on_timer() {
  timer_at_ = Clock::time_point::max();
  if (deadline_ == Clock::time_point::max()) return;
  if (Clock::now() < deadline_) return watch_deadline();
  timed_out_ = true;
  close();
}

}  // namespace dray::net

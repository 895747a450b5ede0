#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "net/tls.h"

namespace dray::net {

/// One TCP connection, with TLS or without, either end of it. All is called on the strand that it
/// was made for, but close_soon(). One read and one write may be under way at a time. What fails is
/// ErrorCode::unavailable; a deadline that passes closes the connection and reads `timed out`.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;
  using Socket = boost::asio::ip::tcp::socket;

  /// `socket` belongs to a strand (make_strand), connected or not yet.
  explicit Connection(Socket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] boost::asio::any_io_executor executor();

  boost::asio::awaitable<Result<void>> connect(std::string host, std::uint16_t port);
  /// `server_name` is for the SNI extension and for checking the certificate.
  boost::asio::awaitable<Result<void>> start_tls_client(std::shared_ptr<const TlsContext> context,
                                                        std::string server_name);
  boost::asio::awaitable<Result<void>> start_tls_server(std::shared_ptr<const TlsContext> context);

  /// 0 bytes: the other side has ended.
  boost::asio::awaitable<Result<std::size_t>> read_some(std::span<char> into);
  /// Both parts, all of them; they must live until it is done.
  boost::asio::awaitable<Result<void>> write(std::string_view head, std::string_view body);

  /// From now on everything must be done by then; time_point::max() for no limit.
  void expires_at(Clock::time_point deadline);
  void expires_after(Clock::duration duration) { expires_at(Clock::now() + duration); }

  /// Says goodbye and waits a moment for the other side to have read it (a reset would destroy an
  /// answer that is still on its way), then closes.
  boost::asio::awaitable<void> close_gently(Clock::duration at_most);
  void close();
  /// close(), from any thread.
  void close_soon();
  [[nodiscard]] bool is_open() const;
  /// Nothing has arrived since the last exchange, not even an end: fit to be used again.
  [[nodiscard]] bool is_quiet();
  /// The other side has ended or reset the connection, whatever it sent before that.
  [[nodiscard]] bool peer_has_closed();

  /// `192.0.2.1:4711`.
  [[nodiscard]] std::string peer() const;
  /// Its address without the port, of IPv6 the network of 64 bits that one host may choose from;
  /// empty if it has gone.
  [[nodiscard]] std::string peer_network() const;
  /// Common name of the other side's verified certificate; empty without.
  [[nodiscard]] std::string peer_name() const;
  /// TLS itself failed (a certificate is not accepted, for example), and not the network under it.
  [[nodiscard]] bool failed_by_tls() const { return failed_by_tls_; }

 private:
  struct Tls;
  boost::asio::awaitable<Result<void>> handshake(bool server);
  [[nodiscard]] Error failure(std::string_view doing, const boost::system::error_code& ec);
  void watch_deadline();
  void on_timer();

  Socket socket_;
  std::unique_ptr<Tls> tls_;
  boost::asio::steady_timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point timer_at_ = Clock::time_point::max();
  bool timed_out_ = false;
  bool closed_ = false;
  bool failed_by_tls_ = false;
};

/// See Connection::peer_network(). An IPv4 address in IPv6's form is the IPv4 address.
[[nodiscard]] std::string network_of(const boost::asio::ip::address& address);

}  // namespace dray::net

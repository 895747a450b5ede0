#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dray::net {

struct HttpHeader {
  std::string name;
  std::string value;

  bool operator==(const HttpHeader&) const = default;
};
using HttpHeaders = std::vector<HttpHeader>;

/// The value of the first header of that name (case does not matter); empty where absent.
[[nodiscard]] std::string_view find_header(const HttpHeaders& headers, std::string_view name);

/// A request, received or to be sent. A client adds Host and Content-Length by itself.
struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  ///< path?query, percent-encoded as on the wire
  HttpHeaders headers;
  std::string body;
  std::string peer;         ///< received: the other side's address
  std::string client_name;  ///< received: common name of the verified client certificate
  /// To be sent: asked right before its bytes go out, on any thread; false: they do not. Empty:
  /// they always may.
  std::function<bool()> may_go = {};
  /// Received: whether the other side has closed the connection since, so that nobody waits for an
  /// answer. On the connection's strand. Empty: not known.
  std::function<bool()> has_left = {};

  /// The target without its query.
  [[nodiscard]] std::string_view path() const;
  /// A query parameter, percent-decoded: `?verbose` gives "".
  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  [[nodiscard]] std::string_view header(std::string_view name) const {
    return find_header(headers, name);
  }
};

/// Where a streamed body goes. Used on the connection's own strand only.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// False once the connection is gone or closing, or the other side has ended it: then the stream
  /// should end. Nothing is sent of an empty text, which only asks.
  virtual boost::asio::awaitable<bool> write(std::string bytes) = 0;
};

/// A response. The server adds Date, Connection and Content-Length (also of an empty body).
struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;
  /// Server only: if set, the body is what this writes, in chunks of unknown total length.
  std::function<boost::asio::awaitable<void>(std::shared_ptr<BodySink>)> stream;

  [[nodiscard]] std::string_view header(std::string_view name) const {
    return find_header(headers, name);
  }
};

[[nodiscard]] HttpResponse text_response(int status, std::string body);
[[nodiscard]] HttpResponse json_response(int status, std::string body);
/// `Not Found` for 404.
[[nodiscard]] std::string_view status_text(int status);

[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
/// Whether Host, without its port, is one of `hosts`: a page of another site that has its own name
/// resolve to this address asks by that name.
[[nodiscard]] bool asks_for_host(const HttpRequest& request, const std::vector<std::string>& hosts);
/// `a%20b` for `a b`: everything but letters, digits and -._~ is escaped.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// Answers requests. Called on the connection's strand; requests of one connection come one after
/// the other.
using HttpHandler = std::function<boost::asio::awaitable<HttpResponse>(HttpRequest)>;

}  // namespace dray::net

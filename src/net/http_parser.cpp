#include "net/http_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional.hpp>
#include <utility>

namespace dray::net {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using BeastView = boost::beast::string_view;

/// Bytes that any chunked message still has ahead of it at a chunk's header: `0 CRLF CRLF`. Beast
/// 1.81 asserts as many when it resumes at a final chunk.
constexpr std::size_t least_chunk_tail = 5;

std::string copy(BeastView text) {
  return {text.data(), text.size()};
}

/// A body may be announced as huge: trust no more than this before it comes.
constexpr std::uint64_t trusted_reserve = 1024ULL * 1024;

std::size_t reserve_for(const boost::optional<std::uint64_t>& length) {
  return length ? static_cast<std::size_t>(std::min(*length, trusted_reserve)) : 0;
}

HttpParseError describe(const error_code& ec, const HttpLimits& limits) {
  if (ec == http::error::body_limit) {
    return {413, "body: more than " + std::to_string(limits.body_bytes) + " bytes"};
  }
  if (ec == http::error::header_limit) {
    return {431, "headers: more than " + std::to_string(limits.header_bytes) + " bytes"};
  }
  if (ec == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return {400, ec.message()};
}

/// Lines that go on in the next one are unfolded by Beast; others read them as headers of their
/// own. `taken`: what it took of a header, whole lines; `ends`: the header ends in it.
bool has_folded_line(std::string_view taken, bool ends) {
  if (ends && taken.starts_with("\r\n")) return false;
  const auto header = ends ? taken.substr(0, taken.find("\r\n\r\n")) : taken;
  return header.contains("\r\n ") || header.contains("\r\n\t");
}

template <class Parser>
std::size_t put(Parser& parser, std::string_view bytes, error_code& ec) {
  const auto used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec == http::error::need_more) ec = {};
  return used;
}

}  // namespace

struct HttpRequestParser::State final : http::basic_parser<true> {
  explicit State(const HttpLimits& bounds) : limits(bounds) {
    header_limit(bounds.header_bytes);
    body_limit(bounds.body_bytes);
    eager(true);
  }

  void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                       error_code&) override {
    request.method = copy(method);
    request.target = copy(target);
    version11 = version == 11;
    const auto path = limits.body_bytes_at.find(request.path());
    if (path == limits.body_bytes_at.end()) return;
    limits.body_bytes = path->second;
    body_limit(path->second);
  }
  void on_response_impl(int, BeastView, int, error_code&) override {}
  void on_field_impl(http::field field, BeastView name, BeastView value, error_code& ec) override {
    if (field == http::field::transfer_encoding) {
      refuse({411, "transfer-encoding is not supported here: send a content-length"}, ec);
    } else if (field == http::field::content_length &&
               (std::exchange(has_length, true) || value.find(',') != BeastView::npos)) {
      refuse({400, "more than one content-length"}, ec);
    } else if (field == http::field::host && std::exchange(has_host, true)) {
      refuse({400, "more than one host"}, ec);
    }
    request.headers.push_back({copy(name), copy(value)});
  }
  void on_header_impl(error_code& ec) override {
    if (!has_host && version11) refuse({400, "no host"}, ec);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    request.body.reserve(reserve_for(length));
  }
  std::size_t on_body_impl(BeastView body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  void refuse(HttpParseError why, error_code& ec) {
    fault = std::move(why);
    ec = http::error::bad_field;
  }

  HttpLimits limits;
  HttpRequest request;
  HttpParseError fault{0, ""};
  bool has_length = false;
  bool has_host = false;
  bool version11 = false;
};

HttpRequestParser::HttpRequestParser(const HttpLimits& limits)
    : state_(std::make_unique<State>(limits)) {}
HttpRequestParser::~HttpRequestParser() = default;
HttpRequestParser::HttpRequestParser(HttpRequestParser&&) noexcept = default;
HttpRequestParser& HttpRequestParser::operator=(HttpRequestParser&&) noexcept = default;

std::expected<std::size_t, HttpParseError> HttpRequestParser::feed(std::string_view bytes) {
  if (bytes.empty() || done()) return 0;
  error_code ec;
  const bool in_header = !header_done();
  const auto used = put(*state_, bytes, ec);
  if (!ec && in_header && has_folded_line(bytes.substr(0, used), header_done())) {
    return std::unexpected(HttpParseError{400, "a header on more than one line"});
  }
  if (!ec) return used;
  if (state_->fault.status != 0) return std::unexpected(state_->fault);
  return std::unexpected(describe(ec, state_->limits));
}

bool HttpRequestParser::header_done() const {
  return state_->is_header_done();
}
bool HttpRequestParser::done() const {
  return state_->is_done();
}
bool HttpRequestParser::keep_alive() const {
  return state_->keep_alive();
}
bool HttpRequestParser::expects_continue() const {
  return equals_ignoring_case(state_->request.header("Expect"), "100-continue");
}
std::uint64_t HttpRequestParser::content_length() const {
  return state_->content_length().value_or(0);
}
std::uint64_t HttpRequestParser::body_received() const {
  return state_->request.body.size();
}
HttpRequest HttpRequestParser::take() {
  return std::move(state_->request);
}

struct HttpResponseParser::State final : http::basic_parser<false> {
  State(const HttpLimits& bounds, bool head_request) : limits(bounds) {
    header_limit(bounds.header_bytes);
    body_limit(bounds.body_bytes);
    eager(true);
    skip(head_request);
  }

  void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
  void on_response_impl(int code, BeastView, int, error_code&) override { response.status = code; }
  void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
    if (!body_started) response.headers.push_back({copy(name), copy(value)});
  }
  void on_header_impl(error_code&) override { at_chunk_header = chunked(); }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    body_started = true;
    response.body.reserve(reserve_for(length));
  }
  std::size_t on_body_impl(BeastView body, error_code&) override {
    response.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {
    at_chunk_header = false;
  }
  std::size_t on_chunk_body_impl(std::uint64_t remain, BeastView body, error_code&) override {
    at_chunk_header = remain == body.size();
    response.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  HttpLimits limits;
  HttpResponse response;
  bool body_started = false;
  bool at_chunk_header = false;
};

HttpResponseParser::HttpResponseParser(const HttpLimits& limits, bool head_request)
    : state_(std::make_unique<State>(limits, head_request)) {}
HttpResponseParser::~HttpResponseParser() = default;
HttpResponseParser::HttpResponseParser(HttpResponseParser&&) noexcept = default;
HttpResponseParser& HttpResponseParser::operator=(HttpResponseParser&&) noexcept = default;

Result<std::size_t> HttpResponseParser::feed(std::string_view bytes) {
  std::size_t used = 0;
  // Not eager, so that no chunk header is begun before enough of it is here.
  state_->eager(false);
  while (used < bytes.size() && !done()) {
    if (state_->at_chunk_header && bytes.size() - used < least_chunk_tail) break;
    error_code ec;
    const auto step = put(*state_, bytes.substr(used), ec);
    if (ec) return fail(ErrorCode::unavailable, describe(ec, state_->limits).message);
    if (step == 0) break;
    used += step;
  }
  return used;
}

Result<void> HttpResponseParser::feed_end() {
  if (done()) return {};
  if (!state_->got_some())
    return fail(ErrorCode::unavailable, "connection ended before a response");
  error_code ec;
  state_->put_eof(ec);
  if (ec) return fail(ErrorCode::unavailable, "connection ended within a response");
  return {};
}

bool HttpResponseParser::header_done() const {
  return state_->is_header_done();
}
bool HttpResponseParser::done() const {
  return state_->is_done();
}
bool HttpResponseParser::keep_alive() const {
  return state_->keep_alive();
}
HttpResponse& HttpResponseParser::response() {
  return state_->response;
}

}  // namespace dray::net

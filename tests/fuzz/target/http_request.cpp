#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/check.h"
#include "net/http_parser.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

net::HttpLimits request_limits() {
  net::HttpLimits limits{512, 256, {}};
  limits.body_bytes_at["/small"] = 16;
  return limits;
}

/// What a server makes of the bytes of a connection.
struct Served {
  std::vector<net::HttpRequest> requests;
  std::optional<net::HttpParseError> error;
  bool in_header = false;  ///< more of a header is awaited
};

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

/// What leniency would let two servers read differently.
void check_request(const net::HttpRequest& request, std::uint64_t announced) {
  std::size_t hosts = 0;
  std::size_t lengths = 0;
  std::size_t header_bytes = 0;
  for (const auto& [name, value] : request.headers) {
    if (net::equals_ignoring_case(name, "Host")) ++hosts;
    if (net::equals_ignoring_case(name, "Content-Length")) ++lengths;
    header_bytes += name.size() + value.size();
    DRAY_CHECK(!name.empty() && is_one_line(name) && is_one_line(value));
    DRAY_CHECK(!net::equals_ignoring_case(name, "Transfer-Encoding"));
  }
  DRAY_CHECK(hosts <= 1 && lengths <= 1);
  DRAY_CHECK(request.body.size() == announced);
  DRAY_CHECK(header_bytes <= request_limits().header_bytes);
  DRAY_CHECK(request.body.size() <=
             (request.path() == "/small" ? 16 : request_limits().body_bytes));
  DRAY_CHECK(!request.method.empty() && !request.target.empty());
  DRAY_CHECK(is_one_line(request.method) && is_one_line(request.target));
  (void)request.query("limit");
}

/// As net/http_session.cpp receives: what is not taken is offered again with what comes next.
Served serve(const std::vector<std::string_view>& pieces) {
  Served served;
  net::HttpRequestParser parser(request_limits());
  std::string inbox;
  for (const auto piece : pieces) {
    inbox += piece;
    for (;;) {
      const auto used = parser.feed(inbox);
      if (!used) {
        served.error = used.error();
        return served;
      }
      DRAY_CHECK(*used <= inbox.size());
      inbox.erase(0, *used);
      if (parser.header_done()) (void)parser.expects_continue();
      if (!parser.done()) break;
      const bool keep_alive = parser.keep_alive();
      const auto announced = parser.content_length();
      served.requests.push_back(parser.take());
      check_request(served.requests.back(), announced);
      if (!keep_alive) return served;
      parser = net::HttpRequestParser(request_limits());
      if (inbox.empty()) break;
    }
    DRAY_CHECK(inbox.size() <= request_limits().header_bytes + piece.size());
    served.in_header = !parser.header_done();
  }
  return served;
}

bool is_too_large(const Served& served) {
  return served.error && served.error->status == 431;
}

void check_refusal(const net::HttpParseError& error) {
  DRAY_CHECK(error.status >= 400 && error.status < 600);
  DRAY_CHECK(!error.message.empty() && is_one_line(error.message));
}

}  // namespace

/// However a connection's bytes arrive, they are the same requests, or refused; no request is more
/// than the limits allow, or has what other servers read in another way.
void http_request(std::string_view bytes) {
  Input input(bytes);
  const Cuts cuts(input);
  const auto whole = serve({input.rest()});
  const auto cut = serve(cuts.of(input.rest()));
  if (whole.error) check_refusal(*whole.error);
  if (cut.error) check_refusal(*cut.error);
  for (std::size_t i = 0; i < std::min(whole.requests.size(), cut.requests.size()); ++i) {
    DRAY_CHECK(whole.requests[i].method == cut.requests[i].method);
    DRAY_CHECK(whole.requests[i].target == cut.requests[i].target);
    DRAY_CHECK(whole.requests[i].headers == cut.requests[i].headers);
    DRAY_CHECK(whole.requests[i].body == cut.requests[i].body);
  }
  // The limit of headers counts the first line only where it comes apart from them.
  if (is_too_large(whole) || is_too_large(cut)) return;
  // What is wrong in a header may be found at its end only.
  if (!whole.error) DRAY_CHECK(!cut.error || whole.in_header);
  if (!cut.error) DRAY_CHECK(!whole.error || cut.in_header);
  DRAY_CHECK(whole.requests.size() == cut.requests.size());
}

}  // namespace dray::fuzz

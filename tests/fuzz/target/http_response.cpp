#include <string>
#include <string_view>
#include <vector>

#include "dray/base/check.h"
#include "kube/informer.h"
#include "net/http_parser.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

const net::HttpLimits& response_limits() {
  static const net::HttpLimits limits{512, 256, {}};
  return limits;
}

/// What a client makes of the bytes of a connection that ends after them.
struct Answer {
  bool good = false;
  net::HttpResponse response;
};

Answer receive(const std::vector<std::string_view>& pieces, bool head_request) {
  net::HttpResponseParser parser(response_limits(), head_request);
  std::string inbox;
  for (const auto piece : pieces) {
    inbox += piece;
    const auto used = parser.feed(inbox);
    if (!used) {
      DRAY_CHECK(!used.error().message.empty());
      return {};
    }
    DRAY_CHECK(*used <= inbox.size());
    inbox.erase(0, *used);
    DRAY_CHECK(parser.response().body.size() <= response_limits().body_bytes);
    if (parser.done()) break;
  }
  if (auto ended = parser.feed_end(); !ended) return {};
  DRAY_CHECK(parser.done() && parser.header_done());
  (void)parser.keep_alive();
  return {true, std::move(parser.response())};
}

}  // namespace

/// However the bytes of a response arrive, it is the same one, or an error; its body is no longer
/// than the limit.
void http_response(std::string_view bytes) {
  Input input(bytes);
  const bool head_request = input.pick(2) == 1;
  const Cuts cuts(input);
  const auto whole = receive({input.rest()}, head_request);
  const auto cut = receive(cuts.of(input.rest()), head_request);
  DRAY_CHECK(whole.good == cut.good);
  if (!whole.good) return;
  DRAY_CHECK(whole.response.status == cut.response.status);
  DRAY_CHECK(whole.response.headers == cut.response.headers);
  DRAY_CHECK(whole.response.body == cut.response.body);
  if (const auto wait = kube::retry_after_of(whole.response)) DRAY_CHECK(*wait >= Duration(0));
}

}  // namespace dray::fuzz

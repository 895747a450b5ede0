#include "kube/feature_gates.h"

#include <utility>

#include "kube/authorize.h"
#include "kube/write_request.h"

namespace dray::kube {

namespace asio = boost::asio;

void take_gate(std::string_view line, alloc::FeatureGates& gates) {
  constexpr std::string_view metric = "kubernetes_feature_enabled{";
  constexpr std::string_view label = "name=\"";
  if (!line.starts_with(metric)) return;
  const auto begin = line.find(label);
  if (begin == std::string_view::npos) return;
  line.remove_prefix(begin + label.size());
  const auto end = line.find('"');
  const auto value = line.rfind("} ");
  if (end == std::string_view::npos || value == std::string_view::npos) return;
  // A gate of several components of one program stands there once for each stage that they name.
  auto& on = gates[std::string(line.substr(0, end))];
  on = on || line.substr(value + 2).starts_with('1');
}

asio::awaitable<Result<alloc::FeatureGates>> read_feature_gates(
    std::shared_ptr<net::HttpClient> client, std::shared_ptr<TokenSource> tokens,
    std::chrono::milliseconds silence) {
  net::HttpRequest request;
  request.target = "/metrics";
  request.headers = {{"Accept", "text/plain"}, {"User-Agent", "dray"}};
  request = co_await authorize(tokens, std::move(request), TokenSource::Clock::now() + silence);
  const auto opened = co_await client->open(std::move(request), silence);
  if (!opened) co_return std::unexpected(opened.error());
  const auto& stream = *opened;
  if (stream->head().status != 200) {
    net::HttpResponse response = stream->head();
    response.body = (co_await stream->rest(silence)).value_or("");
    if (response.status == 401) tokens->refused();
    co_return std::unexpected(error_of(response).within("GET /metrics of the API server"));
  }
  alloc::FeatureGates gates;
  for (;;) {
    const auto lines = co_await stream->lines(silence);
    if (!lines) co_return std::unexpected(lines.error());
    if (lines->empty()) break;
    for (const auto& line : *lines) take_gate(line, gates);
  }
  if (gates.empty())
    co_return fail(ErrorCode::not_found, "/metrics of the API server has no gates");
  co_return gates;
}

}  // namespace dray::kube

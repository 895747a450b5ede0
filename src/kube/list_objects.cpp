#include "kube/list_objects.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <utility>

#include "dray/model/kind_names.h"
#include "kube/api_path.h"
#include "kube/token_source.h"
#include "kube/write_request.h"
#include "net/http_client.h"
#include "wire/object/object_codec.h"

namespace dray::kube {
namespace {

namespace asio = boost::asio;

/// A list that takes longer than etcd keeps its revision (410) is begun again so often.
constexpr int attempts = 3;

/// Lists one kind after the other.
class Lister {
 public:
  Lister(net::HttpClient& client, const ClusterConfig& config, const ListOptions& options)
      : client_(client), tokens_(config), options_(options) {}

  asio::awaitable<Result<void>> run(std::span<const Kind> kinds) {
    for (const Kind kind : kinds) {
      auto listed = co_await list(kind);
      if (!listed) {
        co_return std::unexpected(std::move(listed.error()).within(unique_plural(kind_info(kind))));
      }
    }
    co_return Result<void>{};
  }

  [[nodiscard]] Listed take() && { return std::move(result_); }

 private:
  /// Under the first version of the API that serves the kind.
  asio::awaitable<Result<void>> list(Kind kind) {
    Result<void> listed;
    for (const auto version : kind_info(kind).versions) {
      listed = co_await list_version(kind, version);
      if (listed || listed.error().code != ErrorCode::not_found) co_return listed;
    }
    if (!kind_info(kind).always_served) co_return Result<void>{};
    co_return listed;
  }

  asio::awaitable<Result<void>> list_version(Kind kind, std::string_view version) {
    const auto objects = static_cast<std::ptrdiff_t>(result_.objects.size());
    const auto warnings = static_cast<std::ptrdiff_t>(result_.warnings.size());
    Result<void> listed;
    for (int i = 0; i < attempts; ++i) {
      listed = co_await list_chunks(kind, version);
      if (listed || listed.error().code != ErrorCode::gone) co_return listed;
      result_.objects.erase(result_.objects.begin() + objects, result_.objects.end());
      result_.warnings.erase(result_.warnings.begin() + warnings, result_.warnings.end());
    }
    co_return listed;
  }

  asio::awaitable<Result<void>> list_chunks(Kind kind, std::string_view version) {
    std::string token;
    do {
      auto target = collection_path(kind, version) + fmt::format("?limit={}", options_.chunk);
      if (!token.empty()) target += "&continue=" + net::percent_encode(token);
      auto request = get(std::move(target));
      const auto response = co_await client_.send(std::move(request), options_.request_deadline);
      if (!response) co_return std::unexpected(response.error());
      if (response->status != 200) co_return std::unexpected(error_of(*response));
      auto next = take_chunk(kind, response->body);
      if (!next) co_return std::unexpected(std::move(next.error()));
      token = *std::move(next);
    } while (!token.empty());
    co_return Result<void>{};
  }

  /// Where the list goes on; empty at its end.
  Result<std::string> take_chunk(Kind kind, std::string_view json) {
    auto list = wire::decode_list(json);
    if (!list) return std::unexpected(std::move(list.error()));
    for (const auto& rejected : list->rejected) result_.warnings.push_back(rejected.error.message);
    for (auto& item : list->items) {
      if (kind_of(item) == kind) result_.objects.push_back(std::move(item));
    }
    return std::move(list->continue_token);
  }

  net::HttpRequest get(std::string target) {
    net::HttpRequest request;
    request.target = std::move(target);
    request.headers = {{"Accept", "application/json"}, {"User-Agent", "dray"}};
    if (auto token = tokens_.token(TokenSource::Clock::now()); !token.empty()) {
      request.headers.push_back({"Authorization", "Bearer " + token});
    }
    return request;
  }

  net::HttpClient& client_;
  TokenSource tokens_;
  ListOptions options_;
  Listed result_;
};

}  // namespace

Result<Listed> list_objects(const ClusterConfig& config, std::span<const Kind> kinds,
                            const ListOptions& options) {
  asio::io_context io;
  net::HttpClientOptions http;
  http.base = config.server;
  http.tls = config.tls;
  http.proxy = config.proxy;
  auto client = net::HttpClient::make(io, http);
  if (!client) return std::unexpected(std::move(client.error()));
  Lister lister(**client, config, options);
  auto done = asio::co_spawn(io, lister.run(kinds), asio::use_future);
  // Idle connections keep the context busy: it need not run dry.
  while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    io.run_one_for(std::chrono::milliseconds(100));
    if (options.go_on && !options.go_on()) {
      return fail(ErrorCode::unavailable, "the list was ended before its end");
    }
  }
  if (auto listed = done.get(); !listed) return std::unexpected(std::move(listed.error()));
  return std::move(lister).take();
}

}  // namespace dray::kube

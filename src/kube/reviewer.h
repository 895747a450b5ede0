#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "kube/config_reload.h"
#include "kube/token_source.h"
#include "net/http_client.h"
#include "wire/review_codec.h"

namespace dray::kube {

/// Asks the API server who somebody is, and what he may do, as the account of the configuration:
/// it has to be allowed to create TokenReviews and SubjectAccessReviews. Holds its own connections,
/// few of them. Any executor; an error says that the API server gave no verdict.
class Reviewer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reviewer>> make(
      boost::asio::io_context& io, const ClusterConfig& config,
      std::chrono::milliseconds deadline = std::chrono::seconds(3),
      ConfigReload::Options reload = {});
  ~Reviewer();
  Reviewer(const Reviewer&) = delete;
  Reviewer& operator=(const Reviewer&) = delete;

  /// Whom a bearer token stands for.
  boost::asio::awaitable<Result<wire::TokenVerdict>> who(std::string token);
  /// Whether `user` may do this.
  boost::asio::awaitable<Result<bool>> may(wire::UserInfo user, wire::AccessQuestion question);

 private:
  Reviewer() = default;
  /// `target` is a constant: it outlives the call.
  boost::asio::awaitable<Result<std::string>> post(std::string_view target, std::string body);

  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<TokenSource> tokens_;
  std::shared_ptr<ConfigReload> reload_;
  std::chrono::milliseconds deadline_{};
};

}  // namespace dray::kube

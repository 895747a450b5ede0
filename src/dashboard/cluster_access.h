#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "dashboard/access.h"
#include "dashboard/caller_bounds.h"
#include "kube/reviewer.h"

namespace dray::dashboard {

/// How long verdicts of the API server hold, and how many are kept.
struct AccessOptions {
  std::chrono::milliseconds known_for = std::chrono::seconds(10);   ///< who a token is
  std::chrono::milliseconds rights_for = std::chrono::seconds(30);  ///< what he may list where
  std::size_t most_tokens = 256;
  std::size_t most_token_bytes = 16UL * 1024;
  std::chrono::milliseconds review_time = std::chrono::seconds(3);  ///< for a verdict
  std::size_t namespaces_a_look = 128;  ///< are asked about; more follow with the next look
  Rate new_tokens = {.at_once = 20, .every = std::chrono::milliseconds(200)};  ///< of one host
  Rate new_tokens_of_all = {.at_once = 100, .every = std::chrono::milliseconds(40)};
};

/// Who may see what, as the API server says it: TokenReview for the token, SubjectAccessReviews for
/// the user. Who may `get` the path /dashboard, or list pods and claims in all namespaces, sees
/// everything; all others the namespaces in which they may list both. Without a verdict nobody sees
/// anything. Each user is named in the log when he comes. Lives on the one thread of its `io`.
class ClusterAccess : public std::enable_shared_from_this<ClusterAccess> {
 public:
  ClusterAccess(boost::asio::io_context& io, std::shared_ptr<kube::Reviewer> reviewer,
                AccessOptions options = {});
  ~ClusterAccess();
  ClusterAccess(const ClusterAccess&) = delete;
  ClusterAccess& operator=(const ClusterAccess&) = delete;

  /// See Admit.
  boost::asio::awaitable<Admission> admit(std::string token, std::string from,
                                          std::shared_ptr<const Picture> picture);

 private:
  struct Session;
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<Session> session_of(const std::string& token, const std::string& from);
  void forget_one();
  boost::asio::awaitable<Admission> look(std::shared_ptr<Session> session, std::string token,
                                         std::shared_ptr<const Picture> picture);
  boost::asio::awaitable<Result<void>> learn_who(std::shared_ptr<Session> session,
                                                 std::string token);
  boost::asio::awaitable<Result<bool>> sees(wire::UserInfo user, std::string name_space);
  boost::asio::awaitable<Result<std::size_t>> learn_namespaces(
      std::shared_ptr<Session> session, std::shared_ptr<const Picture> picture);

  Admission no_verdict(const Error& error);

  boost::asio::io_context& io_;
  std::shared_ptr<kube::Reviewer> reviewer_;
  AccessOptions options_;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> sessions_;  ///< by token
  CallerBounds new_tokens_;
  bool silent_ = false;  ///< the API server gives no verdicts, and that was told
};

/// An Admit by the API server of this configuration.
[[nodiscard]] Result<Admit> admit_by_cluster(boost::asio::io_context& io,
                                             const kube::ClusterConfig& config,
                                             const AccessOptions& options = {});

}  // namespace dray::dashboard

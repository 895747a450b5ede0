#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "dashboard/access.h"
#include "kube/reviewer.h"

namespace dray::dashboard {

/// How long verdicts of the API server hold, and how many are kept.
struct AccessOptions {
  std::chrono::milliseconds known_for = std::chrono::seconds(10);   ///< who a token is
  std::chrono::milliseconds rights_for = std::chrono::seconds(30);  ///< what he may list where
  std::size_t most_tokens = 256;
  std::size_t most_token_bytes = 16UL * 1024;
  std::size_t namespaces_a_look = 128;  ///< are asked about; more follow with the next look
  std::size_t new_tokens = 20;          ///< that may come at once
  std::chrono::milliseconds new_token_every = std::chrono::milliseconds(200);  ///< and after that
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
  boost::asio::awaitable<Admission> admit(std::string token,
                                          std::shared_ptr<const Picture> picture);

 private:
  struct Session;
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<Session> session_of(const std::string& token);
  bool may_come();
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
  Clock::time_point next_at_{};  ///< when the bound of new tokens would be free of all that came
  bool silent_ = false;          ///< the API server gives no verdicts, and that was told
};

/// An Admit by the API server of this configuration.
[[nodiscard]] Result<Admit> admit_by_cluster(boost::asio::io_context& io,
                                             const kube::ClusterConfig& config);

}  // namespace dray::dashboard

#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "kube/config.h"
#include "kube/token_source.h"
#include "net/http_client.h"
#include "net/published.h"

namespace dray::kube {

/// Reads a cluster's configuration again and again, and gives what has changed to those who use it:
/// certificate authorities, client certificates and tokens are replaced while dray runs. The
/// content is compared, not times. What cannot be used leaves everything as it was, and is reported
/// once. Any thread.
class ConfigReload : public std::enable_shared_from_this<ConfigReload> {
 public:
  struct Users {
    /// Not kept alive: one may belong to a thread that ends before this one's `io`.
    std::vector<std::weak_ptr<net::HttpClient>> clients;
    std::shared_ptr<TokenSource> tokens;
  };
  struct Options {
    std::chrono::milliseconds every = std::chrono::seconds(2);
    std::function<void(const std::string&)> on_notice = nullptr;
  };

  ConfigReload(boost::asio::io_context& io, ClusterConfig config, Users users, Options options);

  /// Nothing where the configuration was not read from files.
  void start();
  void stop();
  /// What is used now.
  [[nodiscard]] std::shared_ptr<const ClusterConfig> current() const { return current_.load(); }

 private:
  static boost::asio::awaitable<void> run(std::shared_ptr<ConfigReload> self);
  void look();
  Result<bool> take(ClusterConfig fresh);
  void notice(const std::string& text) const;

  // Fixed after construction.
  Users users_;
  Options options_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  boost::asio::steady_timer timer_;
  std::string reported_;
  // Shared.
  Published<ClusterConfig> current_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace dray::kube

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dray/base/error.h"
#include "dray/policy/config.h"

namespace dray::service {

/// The policy file, read again at reload() and when its text has changed (looked at every few
/// seconds: a mounted ConfigMap changes without a signal). A file that has an error changes
/// nothing: the policy before it stays in force. All but open() may be called from any thread.
class PolicyFile {
 public:
  struct Listener {
    /// Another policy is in force.
    std::function<void(std::shared_ptr<const policy::PolicyConfig>)> use;
    /// Why the file as it is now is not in force; empty: it is.
    std::function<void(std::string)> problem;
    /// Why a policy without an error cannot be followed all the same; empty: it can.
    std::function<std::string(const policy::PolicyConfig&)> unfit =
        [](const policy::PolicyConfig&) { return std::string(); };
  };

  PolicyFile(boost::asio::io_context& io, std::string path, Listener listener,
             std::chrono::milliseconds look_every = std::chrono::seconds(5));

  /// Reads it for the first time, when an error is one.
  [[nodiscard]] Result<void> open();
  /// Looks at it from now on.
  void start();
  void reload();
  void stop();

 private:
  [[nodiscard]] Result<void> read();
  void look();
  void arm();

  std::string path_;
  Listener listener_;
  std::chrono::milliseconds look_every_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  boost::asio::steady_timer timer_;
  std::optional<std::string> text_;  ///< as last read
  std::string problem_;              ///< as last told
  bool stopped_ = false;
};

}  // namespace dray::service

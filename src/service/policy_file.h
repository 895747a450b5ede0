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
/// seconds: a mounted ConfigMap changes without a signal). A changed text counts once it is found
/// unchanged a second time, a moment later: an editor that writes in place may have written only
/// half of it, which can be a valid policy with fewer queues. A file that has an error changes
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
             std::chrono::milliseconds look_every = std::chrono::seconds(5),
             std::chrono::milliseconds settle = std::chrono::seconds(1));

  /// Reads it for the first time, when an error is one.
  [[nodiscard]] Result<void> open();
  /// Looks at it from now on.
  void start();
  void reload();
  void stop();

 private:
  [[nodiscard]] Result<void> take(std::string text);
  void look();
  void arm();

  std::string path_;
  Listener listener_;
  std::chrono::milliseconds look_every_;
  std::chrono::milliseconds settle_;  ///< for how long a text has to stay as it is
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  // Owned by the strand.
  boost::asio::steady_timer timer_;
  std::optional<std::string> text_;     ///< as last taken
  std::optional<std::string> changed_;  ///< another text, seen once
  std::string problem_;                 ///< as last told
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace dray::service

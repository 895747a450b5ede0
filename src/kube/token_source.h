#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "dray/base/error.h"
#include "kube/config.h"

namespace dray::kube {

/// The bearer token to send now. Any thread.
class TokenSource {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TokenSource(const ClusterConfig& config);
  /// Ends a plugin that is running.
  ~TokenSource() = default;
  TokenSource(const TokenSource&) = delete;
  TokenSource& operator=(const TokenSource&) = delete;

  /// Reads the file again at most every 30 s (tokens rotate hourly, long before they expire). A
  /// plugin runs on a thread of its own, a minute before its token expires. The last token stays
  /// while there is no other. Nothing: a plugin is running, and there is no token until it ends.
  /// Empty: none is sent.
  [[nodiscard]] std::optional<std::string> try_token(Clock::time_point now);
  /// The same, but waits for the plugin: for commands. Blocks.
  [[nodiscard]] std::string token(Clock::time_point now);
  /// The server refused it: another is wanted at once (of a plugin, at most every ten seconds).
  void refused();
  /// The configuration has been read again. False: it gives tokens as before, and nothing changes.
  bool replace(const ClusterConfig& config);

 private:
  std::optional<std::string> token_now(Clock::time_point now);
  void read_file(Clock::time_point now);
  void run_plugin(Clock::time_point now);
  void take(const Result<wire::ExecCredential>& given, Clock::time_point now);

  std::mutex mutex_;
  std::string fixed_;
  std::string file_;
  std::shared_ptr<const ExecLogin> exec_;
  std::string current_;
  std::optional<Clock::time_point> read_at_;  ///< the file, or the plugin begun
  std::optional<Clock::time_point> expires_;
  bool refused_ = false;
  bool running_ = false;  ///< the plugin, on `beside_`
  std::condition_variable ended_;
  std::jthread beside_;  ///< last: it ends before what it uses
};

}  // namespace dray::kube

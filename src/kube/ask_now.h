#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "dray/alloc/feature_gates.h"
#include "dray/base/error.h"
#include "kube/config.h"

namespace dray::kube {

/// What the API server said to one request.
struct Answer {
  int status = 0;
  std::string body;
  std::string date;  ///< its Date header: the API server's clock, in whole seconds
};

/// Requests one after another, for commands that look at objects which dray does not keep, or
/// change them, and end: as whom the configuration says. Blocks; one thread.
class AskNow {
 public:
  [[nodiscard]] static Result<std::unique_ptr<AskNow>> make(
      const ClusterConfig& config, std::chrono::milliseconds deadline = std::chrono::seconds(30));
  ~AskNow();
  AskNow(const AskNow&) = delete;
  AskNow& operator=(const AskNow&) = delete;

  /// The answer, whatever its status. `unavailable`: there was none.
  [[nodiscard]] Result<Answer> send(std::string_view method, std::string target,
                                    std::string body = {},
                                    std::string_view content_type = "application/json");
  /// The body of an answer of 200 to 299; other answers are the error that their status means.
  [[nodiscard]] Result<std::string> ask(std::string_view method, std::string target,
                                        std::string body = {},
                                        std::string_view content_type = "application/json");
  /// What is asked from now on is asked as that user (impersonation); empty: as the configuration
  /// says.
  void act_as(std::string user);
  /// The API server's feature gates, off its /metrics.
  [[nodiscard]] Result<alloc::FeatureGates> feature_gates();

 private:
  struct State;
  explicit AskNow(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dray::kube

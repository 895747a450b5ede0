#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/planner/explanation.h"
#include "net/http.h"

namespace dray::dashboard {

/// How many explanations may be asked for and not yet answered.
struct ExplainLimits {
  std::size_t of_a_viewer = 4;
  std::size_t of_all = 32;
};

/// Answers why a pod waits, on a thread of its own: neither the engine's strand nor other views
/// wait for it. An explanation ends when its caller leaves and when the service stops. Lives on the
/// one thread of its `io`.
class Explanations {
 public:
  /// Nothing: the token was triggered.
  using Explain = std::function<std::optional<planner::Explanation>(const planner::Question&,
                                                                    const std::stop_token&)>;
  /// Counts as under way as long as it is held.
  class Slot;

  Explanations(boost::asio::io_context& io, ExplainLimits limits, Explain explain);
  /// As end() does.
  ~Explanations();
  Explanations(const Explanations&) = delete;
  Explanations& operator=(const Explanations&) = delete;

  /// A place for one explanation for that user, or the refusal: 429 where as many of his are under
  /// way as may, 503 where as many of all, or the service stops.
  [[nodiscard]] std::expected<std::shared_ptr<Slot>, net::HttpResponse> reserve(
      const std::string& viewer);
  /// A response whose body follows once the explanation is made.
  [[nodiscard]] net::HttpResponse answer(std::shared_ptr<Slot> slot, planner::Question question);
  /// Those under way end within milliseconds, and there are no others. On the thread.
  void stop();
  /// None runs any more, and none will. Blocks; not on its own thread, nor while `io` runs.
  void end();

 private:
  struct Counts;
  struct Run;
  boost::asio::awaitable<void> stream(std::shared_ptr<Run> run,
                                      std::shared_ptr<net::BodySink> sink);
  void work(const std::shared_ptr<Run>& run);

  boost::asio::io_context& io_;
  ExplainLimits limits_;
  Explain explain_;
  std::shared_ptr<Counts> counts_;
  std::vector<std::weak_ptr<Run>> runs_;
  bool stopped_ = false;
  boost::asio::thread_pool thread_;  ///< the last, so that it ends first
};

/// The planner's, for a service with these options.
[[nodiscard]] Explanations::Explain explain_by_planner(alloc::AllocatorOptions options);

}  // namespace dray::dashboard

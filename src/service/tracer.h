#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/model/meta.h"
#include "metrics/metrics.h"
#include "net/http_client.h"
#include "net/own_thread.h"
#include "net/url.h"
#include "service/log.h"
#include "wire/otlp_codec.h"

namespace dray::service {

struct TracerOptions {
  net::Url endpoint;    ///< of an OTLP/HTTP collector, with its path: http://otel:4318/v1/traces
  double sampling = 1;  ///< part of the traces that is sent, where no caller has decided, 0 to 1
  wire::SpanSource source;
  std::size_t most_waiting = 4096;  ///< spans; more are dropped, and counted
  std::size_t batch = 256;          ///< spans a request
  std::size_t most_pods = 4096;     ///< whose last call is remembered
  int attempts = 5;                 ///< to send a batch
  std::chrono::milliseconds every = std::chrono::seconds(1);
  std::chrono::milliseconds deadline = std::chrono::seconds(5);
  std::chrono::milliseconds first_pause = std::chrono::milliseconds(500);  ///< then twice as long
};

/// The trace of a pod: its uid's digits, where they are as many as a UUID's, else made of them.
[[nodiscard]] std::string trace_id_of(std::string_view uid);

/// What a caller's `traceparent` (W3C Trace Context, version 00) says.
struct TraceParent {
  std::string trace_id;
  std::string span_id;
  bool sampled = false;

  bool operator==(const TraceParent&) const = default;
};
[[nodiscard]] std::optional<TraceParent> parse_traceparent(std::string_view header);

/// Sends spans of decisions to a collector. What was decided for one pod is one trace, that of its
/// uid, or the caller's. Spans wait in a bounded queue; a thread of its own sends them: whoever
/// makes one never waits for the network. Any thread.
class Tracer {
 public:
  Tracer(TracerOptions options, metrics::Metrics& metrics);
  /// Sends what waits, for at most a second.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// A call of kube-scheduler for a pod begins. Writes for the pod are its children from now on.
  /// Nothing: this trace is not sampled.
  [[nodiscard]] std::optional<wire::Span> begin_call(std::string name, const Uid& pod,
                                                     std::string_view traceparent);
  /// Something is begun for an object: of its trace, below the last call for it.
  [[nodiscard]] std::optional<wire::Span> begin(std::string name, const Uid& object);
  /// Something that is of no one object.
  [[nodiscard]] std::optional<wire::Span> begin(std::string name);
  /// It ends now, and waits to be sent.
  void end(wire::Span span);

  /// The trace of an object; empty: it is not sampled.
  [[nodiscard]] std::string trace_of(const Uid& object) const;

 private:
  [[nodiscard]] bool samples(std::string_view trace_id) const;
  [[nodiscard]] TraceParent own_context(const Uid& object) const;
  [[nodiscard]] TraceParent context_of(const Uid& object) const;
  [[nodiscard]] wire::Span started(std::string name, const TraceParent& context);
  [[nodiscard]] std::string random_id(std::size_t digits);
  std::vector<wire::Span> take_batch();
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> send_all();
  boost::asio::awaitable<void> finish();
  boost::asio::awaitable<void> send(std::vector<wire::Span> spans);

  // Fixed after construction.
  const TracerOptions options_;
  metrics::Metrics& metrics_;
  // Shared, under the mutex.
  mutable std::mutex mutex_;
  std::deque<wire::Span> waiting_;
  std::map<Uid, TraceParent> calls_;  ///< the last one of each pod
  std::deque<Uid> order_;             ///< of calls_, the oldest first
  std::uint64_t next_id_;
  // Owned by the thread; it comes last, so that it has ended before the rest goes.
  std::size_t sending_ = 0;  ///< batches that are under way
  bool silent_ = false;      ///< that a batch was lost was told
  net::OwnThread thread_;
  std::unique_ptr<net::HttpClient> client_;
  boost::asio::steady_timer wake_;
};

/// What a line of the log says of an object: its trace, if it is sampled.
void add_trace(LogFields& fields, const Tracer& tracer, const Uid& object);

}  // namespace dray::service

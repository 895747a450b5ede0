#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/alloc/feature_gates.h"
#include "dray/cluster/event.h"
#include "dray/engine/engine.h"
#include "dray/engine/outbox.h"
#include "dray/engine/write.h"
#include "dray/model/object.h"

namespace dray::kube {

/// What a cluster tells its watcher: changes in the order of each kind's watch, and once, when
/// every kind has been listed, Synced.
using WatchEvent = std::variant<cluster::ObjectChanged, cluster::ObjectGone,
                                cluster::ObjectUnreadable, engine::Synced>;
using WatchSink = std::function<void(WatchEvent)>;

/// Whether a write may still be sent: asked, on any thread, right before its bytes go out. Empty:
/// it may.
using Permit = std::function<bool()>;

/// What holds for a write, besides what it is.
struct WriteTerms {
  Permit permit = {};
  /// Who writes, and under which epoch; empty: not said (the Lease's own writes).
  std::string field_manager = {};
  Time since = {};  ///< when the work began that it is part of: among alike the oldest goes first
  std::string trace = {};  ///< id of the trace that it is part of; an Event tells it
};

/// What a cluster has.
struct Listed {
  std::vector<KubeObject> objects;    ///< by kind
  std::vector<std::string> warnings;  ///< objects that could not be read
};

/// How one kind's list and watch do.
struct WatchFigures {
  Kind kind = Kind::node;
  std::uint64_t lists = 0;        ///< whole ones that were told
  std::uint64_t corrections = 0;  ///< objects that a list showed otherwise than the watch had
  std::chrono::duration<double> silence{};  ///< since the API server last said something of it
  std::chrono::duration<double> failing{};  ///< since when nothing works; 0: it works
};

/// TLS keeps dray from the API server: neither accepts the other's certificate, for example.
struct TlsTrouble {
  std::chrono::duration<double> lasting{};  ///< since the first failure after the last answer
  std::string what;
};

/// The cluster as the service sees it: a real API server (KubeApi), or the embedded one.
class ClusterApi {
 public:
  virtual ~ClusterApi() = default;

  /// Carries out one write when its turn has come, in several requests where it takes more than
  /// one, each while its permit allows it. Any executor; many may be under way at a time.
  virtual boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write,
                                                             WriteTerms terms) = 0;
  /// What waits for its turn to be written: for metrics. Any executor.
  virtual boost::asio::awaitable<engine::Outbox::Status> backlog() = 0;

  /// By kind; empty where nothing is watched over a network. Any executor.
  virtual boost::asio::awaitable<std::vector<WatchFigures>> watches() = 0;

  /// Lists and watches until stop(). `sink` is called on any thread, but never twice at a time, and
  /// must not block.
  virtual void watch(WatchSink sink) = 0;
  virtual void stop() = 0;

  /// Makes sure that the sink has been told of every claim as it is now: what a new leader does
  /// before its first allocation, since a watch may be behind.
  virtual boost::asio::awaitable<Result<void>> refresh_claims(
      std::chrono::milliseconds at_most) = 0;

  /// Every object of the kinds that are watched, as it is now: read anew, for who looks at all of
  /// the cluster beside the engine. Blocks the calling thread, which must not be one that the
  /// cluster works on; `go_on` is asked now and then, and false ends it.
  virtual Result<Listed> list_now(const std::function<bool()>& go_on) = 0;

  /// How the API server's feature gates stand; nothing where there is none that has any.
  virtual boost::asio::awaitable<Result<std::optional<alloc::FeatureGates>>> feature_gates() = 0;

  /// Cuts off whatever writes are under way, and drops those that wait: leadership is lost.
  virtual void abandon_writes() = 0;

  /// For readyz and logs: nothing while all is well, else what is missing or broken.
  [[nodiscard]] virtual std::string trouble() const = 0;

  /// Nothing while TLS keeps nothing from the API server. Any thread.
  [[nodiscard]] virtual std::optional<TlsTrouble> tls_trouble() const { return std::nullopt; }
};

}  // namespace dray::kube

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>

#include "dashboard/picture.h"
#include "net/async_event.h"
#include "service/engine_strand.h"

namespace dray::dashboard {

/// Takes pictures of the engine when somebody asks for one: steps of at most `jobs_a_step` jobs,
/// between which the strand does its own work. Lives on the one thread of its `io`.
class PictureReader {
 public:
  /// What a picture costs the strand in one step: some tens of microseconds.
  static constexpr std::size_t jobs_a_step = 256;

  /// A picture is used again until it is `fresh_for` old, or until ten times what it took have
  /// passed, whichever is longer: however large the cluster, it takes a tenth of a thread.
  PictureReader(boost::asio::io_context& io, service::EngineStrand& engine,
                std::chrono::milliseconds fresh_for);

  /// Null: there never was one, and the engine is broken. After that, the last one.
  boost::asio::awaitable<std::shared_ptr<const Picture>> picture();

 private:
  boost::asio::awaitable<std::shared_ptr<Picture>> take();
  void keep(std::shared_ptr<Picture> made);

  service::EngineStrand& engine_;
  std::chrono::milliseconds fresh_for_;
  std::shared_ptr<const Picture> last_;
  std::chrono::steady_clock::time_point good_until_;
  bool taking_ = false;
  net::AsyncEvent taken_;  ///< notified when a picture is there
};

}  // namespace dray::dashboard

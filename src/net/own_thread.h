#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace dray::net {

/// An io_context with a thread of its own, for what may not wait behind anything else. What is
/// still under way when it ends is dropped where it stands.
class OwnThread {
 public:
  OwnThread() : work_(boost::asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {}
  ~OwnThread() { stop(); }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  /// Nothing runs on it any more. Not from its own thread.
  void stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace dray::net

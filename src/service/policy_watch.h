#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "service/engine_strand.h"

namespace dray::service {

/// Compares the policy in force with the cluster (policy::check_against) once it has been listed:
/// within ten seconds of a change of the policy or of DeviceClasses, and once a minute for all
/// else. A change of what it finds is logged. Any thread.
class PolicyWatch {
 public:
  PolicyWatch(boost::asio::io_context& io, EngineStrand& engine);
  ~PolicyWatch();
  PolicyWatch(const PolicyWatch&) = delete;
  PolicyWatch& operator=(const PolicyWatch&) = delete;

  void start();
  void stop();
  /// What the policy names that the cluster does not have, each with its key; empty: all is there,
  /// or nothing is known yet.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct State;
  static boost::asio::awaitable<void> run(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace dray::service

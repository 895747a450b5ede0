#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dray/engine/standby.h"
#include "kube/cluster_api.h"
#include "service/clock.h"

namespace dray::service {

/// Carries a StandbyKeeper's commands: says that this replica stands by while `stands_by` holds,
/// and who else does. Any thread.
class StandbyWatch {
 public:
  /// Whether this replica could take over now; asked on any thread.
  using StandsBy = std::function<bool()>;

  StandbyWatch(boost::asio::io_context& io, engine::StandbyKeeper::Options options,
               kube::ClusterApi& api, const Clock& clock, StandsBy stands_by);
  ~StandbyWatch();
  StandbyWatch(const StandbyWatch&) = delete;
  StandbyWatch& operator=(const StandbyWatch&) = delete;

  void start();
  void stop();
  /// What is known of them, as of the last round.
  struct Seen {
    std::vector<std::string> names;  ///< who stands by, this replica too; sorted
    /// Which right dray lacks, so that names may be missing, and where it is given; empty: none.
    std::string trouble;
  };
  [[nodiscard]] Seen seen() const;

 private:
  struct State;
  static boost::asio::awaitable<void> run(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace dray::service

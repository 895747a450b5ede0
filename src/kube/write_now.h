#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "dray/base/error.h"
#include "dray/engine/write.h"
#include "kube/config.h"
#include "kube/kube_api.h"

namespace dray::kube {

/// Writes and reads one after another, for commands that change a cluster and end: as whom the
/// configuration says, under no epoch. Blocks; one thread.
class WriteNow {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WriteNow>> make(const ClusterConfig& config);
  ~WriteNow();
  WriteNow(const WriteNow&) = delete;
  WriteNow& operator=(const WriteNow&) = delete;

  /// What came of it, within the deadline of KubeApiOptions.
  [[nodiscard]] engine::WriteOutcome write(engine::Write write);

 private:
  WriteNow() = default;

  boost::asio::io_context io_;
  std::unique_ptr<KubeApi> api_;
};

}  // namespace dray::kube

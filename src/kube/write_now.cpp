#include "kube/write_now.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <future>
#include <utility>

namespace dray::kube {

Result<std::unique_ptr<WriteNow>> WriteNow::make(const ClusterConfig& config) {
  std::unique_ptr<WriteNow> made(new WriteNow);
  auto api = KubeApi::make(made->io_, config, {});
  if (!api) return std::unexpected(std::move(api.error()));
  made->api_ = *std::move(api);
  return made;
}

WriteNow::~WriteNow() {
  if (!api_) return;
  api_->stop();
  api_->abandon_writes();
}

engine::WriteOutcome WriteNow::write(engine::Write write) {
  auto done =
      boost::asio::co_spawn(io_, api_->write(std::move(write), {}), boost::asio::use_future);
  // Idle connections keep the context busy: it need not run dry.
  while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io_.run_one();
  return done.get();
}

}  // namespace dray::kube

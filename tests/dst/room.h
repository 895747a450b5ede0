#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/dst/facts.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// What is free, counted by hand: by node (empty: all reach it) and driver, or model of GPU. Of
/// parts and cut devices the amount, of others devices.
class Room {
 public:
  Room(const World& world, const sim::ApiServer& server);

  /// Whether the pod alone would fit on some node now.
  [[nodiscard]] bool fits(const Pod& pod, const sim::ApiServer& server) const;
  /// Whether its claims are there, and can be read.
  [[nodiscard]] static bool has_its_claims(const Pod& pod, const sim::ApiServer& server);
  /// What is free where.
  [[nodiscard]] std::string text() const;
  /// Free GPUs of all nodes.
  [[nodiscard]] std::int64_t gpus() const;
  /// Free GPUs that the queue may still have; of one without a limit all.
  [[nodiscard]] std::int64_t gpus_for(const std::optional<std::string>& queue) const;

 private:
  using Place = std::pair<std::string, std::string>;

  [[nodiscard]] Place place_of(const DeviceId& device) const;
  void count_models(const sim::ApiServer& server);

  std::map<Place, std::int64_t> free_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::int64_t> left_;  ///< of a queue's limit
  std::map<DeviceId, std::string> models_;
};

/// How much of its driver a request wants.
std::int64_t wanted(const DeviceRequest& request);
/// The queue that the pod says.
std::optional<std::string> queue_of(const Pod& pod);
/// The queue that it is in.
std::string queue_name(const Pod& pod);
/// By queue, the GPUs that bound pods asked for in claims that were replaced under them: they have
/// none, and count for their queue all the same, as their requests do.
std::map<std::string, std::int64_t> gpus_of_replaced_claims(const sim::ApiServer& server);

}  // namespace dray::dst

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dray::alloc {

/// Why a node does not have the devices for a request: how many it has and what keeps the others
/// out. It names no device, so that nodes that look alike say the same.
struct Shortage {
  std::string request;  ///< request, or request/alternative, where there are several; else empty
  std::string device_class;  ///< empty: it is no single request that lacks devices
  /// It is a constraint: the devices have to be this together (`share one PCIe root`), and the
  /// numbers below are of those that are. Of several requests what they want is said, and no class.
  std::string together;
  bool all = false;         ///< all suitable devices are wanted
  std::int64_t wanted = 0;  ///< at least one for `all`
  std::size_t of_class = 0;
  std::size_t suitable = 0;  ///< of the class, and the request's selectors accept them
  std::size_t left = 0;      ///< suitable, and nothing keeps them out
  /// The request's selector that refuses most of the class's other devices.
  std::optional<std::uint8_t> selector;
  struct KeptOut {
    std::size_t count = 0;
    std::string how;  ///< after a number: "in use"
    bool operator==(const KeptOut&) const = default;
  };
  std::vector<KeptOut> kept_out;  ///< suitable ones, in the order in which people think of it
  std::size_t incomplete_pools = 0;
  std::size_t invalid_pools = 0;
  std::string because;  ///< what else it is: the policy's alignment, a budget

  /// Whether the node would have enough if all its suitable devices were free.
  [[nodiscard]] bool would_do_if_free() const;

  bool operator==(const Shortage&) const = default;
};

/// What is wanted: `9 devices of class gpu.nvidia.com`, `2 devices (1 gpu, 1 nic) that share one
/// PCIe root`.
[[nodiscard]] std::string terms(const Shortage& shortage);

/// For one node: `wants 4 devices of class gpu.nvidia.com; the node has 8: 5 in use, 1
/// tainted, 2 left`.
[[nodiscard]] std::string text(const Shortage& shortage);

/// What keeps suitable devices out: `5 in use, 1 tainted`.
[[nodiscard]] std::string kept_out_text(const Shortage& shortage);

}  // namespace dray::alloc

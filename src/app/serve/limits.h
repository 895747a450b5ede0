#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dashboard/cluster_access.h"
#include "dashboard/dashboard.h"
#include "dray/base/error.h"
#include "kube/kube_api.h"
#include "service/service.h"

namespace dray::app {

/// What the limits of `dray serve` bound, each part as its layer takes it: the defaults are there.
struct LimitedParts {
  service::ServiceOptions service;
  dashboard::DashboardOptions dashboard;
  dashboard::AccessOptions access;
  kube::KubeApiOptions api;
};

enum class LimitUnit : std::uint8_t { count, bytes, time };

/// The member of LimitedParts that a limit is.
using LimitMember =
    std::variant<std::uint32_t*, std::uint64_t*, std::chrono::milliseconds*, Duration*>;

/// A limit that --limit sets. Values are counts, bytes or milliseconds.
struct Limit {
  std::string_view name;  ///< `extender.body`
  std::string_view what;
  LimitUnit unit = LimitUnit::count;
  std::int64_t least = 0;
  std::int64_t most = 0;
  /// Its members, of which each holds the same value.
  std::vector<LimitMember> (*members)(LimitedParts&) = nullptr;

  /// Without --limit.
  [[nodiscard]] std::int64_t standard() const;
};

/// All of them, in the order of docs/limits.md.
[[nodiscard]] std::span<const Limit> all_limits();

/// `32Mi`, `90s`, `2048`.
[[nodiscard]] std::string limit_text(LimitUnit unit, std::int64_t value);
[[nodiscard]] std::optional<std::int64_t> parse_limit(LimitUnit unit, std::string_view text);

/// What `dray serve` starts from when each of these (`NAME=VALUE`) is given. Errors name the limit,
/// what is wrong with it, and what would be right.
[[nodiscard]] Result<LimitedParts> limited_parts(std::span<const std::string> given);

}  // namespace dray::app

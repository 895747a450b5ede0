#include "app/common/policy_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "wire/policy/policy_codec.h"

namespace dray::app {

Result<policy::PolicyConfig> load_policy(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto config = wire::decode_policy(*text);
  if (!config) return std::unexpected(std::move(config.error()).within(path));
  return config;
}

Result<int> refuse_policy(const Error& error) {
  if (error.code != ErrorCode::invalid) return std::unexpected(error);
  fmt::print(stderr, "dray policy: {}\n", error.message);
  return exit_status::invalid_policy;
}

}  // namespace dray::app

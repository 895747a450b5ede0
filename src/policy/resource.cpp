#include "dray/policy/resource.h"

#include <fmt/format.h>

#include <algorithm>

#include "dray/policy/amounts.h"

namespace dray::policy {

namespace {

double divisor(ResourceUnit unit) {
  switch (unit) {
    case ResourceUnit::millicores:
      return 1000;
    case ResourceUnit::bytes:
      return 1e9;
    case ResourceUnit::devices:
      break;
  }
  return 1;
}

}  // namespace

std::optional<std::size_t> find_resource(const ResourceTable& table, std::string_view name) {
  const auto it = std::ranges::find(table, name, &Resource::name);
  if (it == table.end()) return std::nullopt;
  return static_cast<std::size_t>(it - table.begin());
}

std::string humanize(double amount, ResourceUnit unit) {
  if (amount == unlimited) return "Unlimited";
  // Six decimals rounded, then cut to three: as KAI prints.
  auto text = fmt::format("{:.6f}", amount / divisor(unit));
  text.resize(text.size() - 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string display_name(const Resource& resource) {
  switch (resource.unit) {
    case ResourceUnit::millicores:
      return "CPU cores";
    case ResourceUnit::bytes:
      return "memory";
    case ResourceUnit::devices:
      break;
  }
  return resource.name == "gpu" ? "GPUs" : resource.name;
}

std::string display_unit(const Resource& resource) {
  switch (resource.unit) {
    case ResourceUnit::millicores:
      return "cores";
    case ResourceUnit::bytes:
      return "GB";
    case ResourceUnit::devices:
      break;
  }
  return display_name(resource);
}

}  // namespace dray::policy

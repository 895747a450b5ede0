#include "app/time_zones.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dray::app {

std::optional<std::string> read_time_zone(std::string_view name) {
  const char* own = std::getenv("ZONEINFO");
  const std::array<std::filesystem::path, 4> folders{
      own == nullptr ? "" : own, "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo",
      "/usr/lib/locale/TZ"};
  for (const auto& folder : folders) {
    std::error_code error;
    const auto file = folder / (name == "Local" ? "UTC" : name);
    if (folder.empty() || !std::filesystem::is_regular_file(file, error)) continue;
    std::ifstream in(file, std::ios::binary);
    if (in) return std::string(std::istreambuf_iterator<char>(in), {});
  }
  return std::nullopt;
}

}  // namespace dray::app

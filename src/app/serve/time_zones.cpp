#include "app/serve/time_zones.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace dray::app {

namespace {

std::expected<std::string, int> read_zone_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error) return std::unexpected(error.value());
  if (std::filesystem::is_directory(status)) return std::unexpected(EISDIR);
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::unexpected(EACCES);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// `is a directory`: as Go writes what the system calls "Is a directory".
std::string words(int error) {
  std::string text = std::generic_category().message(error);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::expected<std::string, std::string> read_time_zone(std::string_view name) {
  const char* own = std::getenv("ZONEINFO");
  const std::array<std::filesystem::path, 4> folders{
      own == nullptr ? "" : own, "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo",
      "/usr/lib/locale/TZ"};
  int first_error = 0;
  for (const auto& folder : folders) {
    if (folder.empty()) continue;
    auto data = read_zone_file(folder / (name == "Local" ? "UTC" : name));
    if (data) return std::move(*data);
    if (first_error == 0 && data.error() != ENOENT) first_error = data.error();
  }
  return std::unexpected(first_error == 0 ? std::string() : words(first_error));
}

}  // namespace dray::app

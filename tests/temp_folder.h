#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace dray::testing {

/// A folder of its own, gone with the object.
class TempFolder {
 public:
  TempFolder() {
    auto name = (std::filesystem::temp_directory_path() / "dray-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test: " + name);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  /// Replaces the file in one step, as a mounted Secret does; its path.
  std::string write(const std::string& name, std::string_view text) const {
    auto path = path_ + "/" + name;
    std::ofstream(path + ".new", std::ios::binary) << text;
    std::filesystem::rename(path + ".new", path);
    return path;
  }
  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dray::testing

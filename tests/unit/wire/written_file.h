#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace dray::wire {

/// A file of the repository that is made from the code. With DRAY_WRITE set in the environment it
/// is written anew first.
inline std::string written_file(const char* path, const std::string& made) {
  if (std::getenv("DRAY_WRITE") != nullptr) std::ofstream(path) << made;
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace dray::wire

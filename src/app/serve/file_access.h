#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"

namespace dray::app {

/// Files and folders; what is in a folder is included.
struct FileAccess {
  std::vector<std::string> reads;
  std::vector<std::string> writes;  ///< and reads
};

/// Refuses, to this thread and to those that it starts, access to all other files, and to run any
/// (EACCES), by Landlock. What is open already stays open; what does not exist is left out.
/// Returns the version of the kernel's interface; `unsupported`: it has none.
/// Needs PR_SET_NO_NEW_PRIVS.
[[nodiscard]] Result<int> restrict_files(const FileAccess& access);

}  // namespace dray::app

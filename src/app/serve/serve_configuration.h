#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/serve_options.h"
#include "dray/base/error.h"

namespace dray::app {

/// What was given for each flag, by its name without `--`.
using GivenFlags = std::map<std::string, std::vector<std::string>>;

/// What `command` was given so far, on the command line and by a file. A flag that stands at its
/// default counts as not given.
[[nodiscard]] GivenFlags given_flags(const CLI::App& command);

/// Whether a change of this flag in the file that --config names holds from SIGHUP on.
[[nodiscard]] bool is_reloaded(std::string_view flag);

/// The file of --config, read again.
struct Reread {
  ServeFlags flags;                  ///< what a start would take now
  GivenFlags given;                  ///< the same as it was given
  std::vector<std::string> reloads;  ///< flags that differ and are taken over
  std::vector<std::string> restart;  ///< fields that differ and need a restart
};

/// Reads the file again under the command line that dray was started with, and compares with
/// `running`, what it runs by. An error changes nothing.
[[nodiscard]] Result<Reread> read_again(const std::string& file, const GivenFlags& command_line,
                                        const GivenFlags& running);

}  // namespace dray::app

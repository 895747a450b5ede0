#pragma once

#include <string>

#include "app/reference/command_tree.h"

namespace dray::app {

// Scripts that complete commands, flags and their words; where a value is asked for that has no
// words, files.

/// For `source <(dray completion bash)`.
[[nodiscard]] std::string bash_completion(const CommandTree& tree);
/// For a file `_dray` of a folder in $fpath, or `source <(dray completion zsh)`.
[[nodiscard]] std::string zsh_completion(const CommandTree& tree);
/// For `dray completion fish | source`.
[[nodiscard]] std::string fish_completion(const CommandTree& tree);

}  // namespace dray::app

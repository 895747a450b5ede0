#pragma once

#include <string>
#include <vector>

#include "app/serve/serve_options.h"
#include "kube/config.h"

namespace dray::app {

/// What the process needs from now on.
struct SandboxNeeds {
  /// Files that are read again, and folders. Of a file its whole folder is allowed: a mounted
  /// Secret is replaced by new files and a link beside them.
  std::vector<std::string> reads;
  std::vector<std::string> writes;  ///< folders: files in them are made, replaced and removed
  /// An exec plugin of the kubeconfig, which reads and writes files of its own.
  bool runs_programs = false;

  bool operator==(const SandboxNeeds&) const = default;
};

/// What `dray serve` needs by its flags and by the files that they name.
[[nodiscard]] SandboxNeeds sandbox_needs(const ServeFlags& flags, const kube::ClusterConfig& config,
                                         const kube::GetEnv& getenv);

/// Takes from the process, for good, what it does not need: new privileges, core dumps, system
/// calls (seccomp) and files (Landlock). What the kernel does not have is left out. Call it while
/// the process has one thread: Landlock holds for that one and for those that it starts.
///
/// Returns what is in force, and why the rest is not: `no new privileges, no core dumps, seccomp,
/// Landlock (ABI 7)`.
[[nodiscard]] std::string enter_sandbox(const SandboxNeeds& needs);

}  // namespace dray::app

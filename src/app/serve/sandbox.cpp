#include "app/serve/sandbox.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/common/files.h"
#include "app/serve/file_access.h"
#include "app/serve/syscall_filter.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DRAY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DRAY_SANITIZED 1
#endif
#endif

namespace dray::app {
namespace {

namespace fs = std::filesystem;

#ifdef DRAY_SANITIZED
constexpr bool sanitized = true;  // its search for leaks is another process, which looks into this
#else
constexpr bool sanitized = false;
#endif

/// Libraries, names of hosts, authorities, time zones, and what the C library looks at.
constexpr auto of_the_system =
    std::to_array<const char*>({"/etc", "/usr", "/lib", "/lib64", "/proc/self",
                                "/sys/devices/system/cpu", "/dev/urandom", "/run/nscd"});
constexpr auto null_device = "/dev/null";

std::string folder_of(const fs::path& file) {
  const auto folder = file.parent_path();
  if (folder.empty()) return ".";
  return folder == folder.root_path() ? file.string() : folder.string();
}

/// The folder of `file`, and where links lead the one of the file itself.
void add_folder_of(std::vector<std::string>& folders, const std::string& file) {
  if (file.empty()) return;
  std::error_code unknown;
  if (fs::is_directory(file, unknown)) {
    folders.push_back(file);
    return;
  }
  folders.push_back(folder_of(file));
  const auto real = fs::canonical(file, unknown);
  if (!unknown) folders.push_back(folder_of(real));
}

std::string restrict_to(const SandboxNeeds& needs) {
  // It would hold for the plugin, too, whose files nobody names.
  if (needs.runs_programs) return "no Landlock: the kubeconfig has an exec plugin";
  FileAccess access{.reads = needs.reads, .writes = needs.writes};
  access.reads.insert(access.reads.end(), of_the_system.begin(), of_the_system.end());
  add_folder_of(access.reads, "/etc/resolv.conf");
  access.writes.emplace_back(null_device);
  const auto abi = restrict_files(access);
  return abi ? fmt::format("Landlock (ABI {})", *abi) : "no Landlock: " + abi.error().message;
}

}  // namespace

SandboxNeeds sandbox_needs(const ServeFlags& flags, const kube::ClusterConfig& config,
                           const kube::GetEnv& getenv) {
  SandboxNeeds needs;
  needs.runs_programs = config.exec != nullptr;
  for (const auto* file :
       {&flags.config, &flags.policy, &flags.extender_tls_cert, &flags.extender_tls_key,
        &flags.client_ca, &flags.admin_tls_cert, &flags.admin_tls_key, &flags.dashboard_tls_cert,
        &flags.dashboard_tls_key}) {
    add_folder_of(needs.reads, *file);
  }
  for (const auto& file : config.files) add_folder_of(needs.reads, file);
  needs.reads.insert(needs.reads.end(), flags.cluster.begin(), flags.cluster.end());
  if (const auto page = find_web("dashboard.html")) add_folder_of(needs.reads, *page);
  for (const auto* variable : {"ZONEINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF"}) {
    add_folder_of(needs.reads, getenv(variable).value_or(""));
  }
  if (!flags.record.empty()) needs.writes.push_back(flags.record);
  add_folder_of(needs.writes, flags.history);
  return needs;
}

std::string enter_sandbox(const SandboxNeeds& needs) {
  if (sanitized) return "off: built with a sanitizer";
  const rlimit none{0, 0};
  const bool dumps = setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0;
  const std::string no_dumps = dumps ? "core dumps" : "no core dumps";
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return no_dumps + "; nothing else: this kernel has no PR_SET_NO_NEW_PRIVS";
  }
  for (const auto& folder : needs.writes) {  // who writes there makes it, and tells of errors
    std::error_code ignored;
    fs::create_directories(folder, ignored);
  }
  const auto files = restrict_to(needs);
  const auto calls = filter_system_calls(needs.runs_programs);
  return fmt::format("no new privileges, {}, {}, {}", no_dumps,
                     calls ? "seccomp" : "no seccomp: " + calls.error().message, files);
}

}  // namespace dray::app

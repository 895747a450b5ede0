#include "app/serve/file_access.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace dray::app {
namespace {

/// landlock_ruleset_attr and rights of later kernels than the headers of Debian 12 know.
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  ///< not restricted
  std::uint64_t scoped = 0;
};
constexpr std::uint64_t truncate_files = 1ULL << 14;   // from ABI 3
constexpr std::uint64_t control_devices = 1ULL << 15;  // from ABI 5
constexpr std::uint64_t scope_sockets = 1ULL << 0;     // abstract ones, from ABI 6
constexpr std::uint64_t scope_signals = 1ULL << 1;     // from ABI 6
constexpr std::size_t size_of_first = sizeof(std::uint64_t);

constexpr std::uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t write_rights =
    read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    truncate_files;
/// Of rights those that mean something for a file that is no folder.
constexpr std::uint64_t of_a_file =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_files;
constexpr std::uint64_t rights_of_abi_1 = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;

std::uint64_t known_rights(int abi) {
  auto rights = rights_of_abi_1;
  if (abi >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) rights |= truncate_files;
  if (abi >= 5) rights |= control_devices;
  return rights;
}

class Descriptor {
 public:
  explicit Descriptor(long number) : number_(static_cast<int>(number)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Error failure(const char* what) {
  return {ErrorCode::unsupported, std::string(what) + ": " + std::strerror(errno)};
}

Result<void> allow(const Descriptor& ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor at(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status{};
  if (at.number() < 0 || fstat(at.number(), &status) != 0) return {};  // there is no such file
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & of_a_file;
  rule.parent_fd = at.number();
  if (syscall(SYS_landlock_add_rule, ruleset.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0U) !=
      0) {
    return std::unexpected(failure(path.c_str()));
  }
  return {};
}

}  // namespace

Result<int> restrict_files(const FileAccess& access) {
  const auto abi = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0U, LANDLOCK_CREATE_RULESET_VERSION));
  if (abi < 1) return std::unexpected(failure("this kernel does not have it"));
  const auto known = known_rights(abi);
  const Ruleset attributes{
      .files = known, .network = 0, .scoped = abi >= 6 ? scope_sockets | scope_signals : 0};
  const auto size = abi >= 6 ? sizeof(attributes) : size_of_first;
  const Descriptor ruleset(syscall(SYS_landlock_create_ruleset, &attributes, size, 0U));
  if (ruleset.number() < 0) return std::unexpected(failure("no rules"));
  for (const auto& path : access.reads) {
    if (auto done = allow(ruleset, path, read_rights); !done) return std::unexpected(done.error());
  }
  for (const auto& path : access.writes) {
    if (auto done = allow(ruleset, path, write_rights & known); !done) {
      return std::unexpected(done.error());
    }
  }
  if (syscall(SYS_landlock_restrict_self, ruleset.number(), 0U) != 0) {
    return std::unexpected(failure("not allowed"));
  }
  return abi;
}

}  // namespace dray::app

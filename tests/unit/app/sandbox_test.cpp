#include "app/serve/sandbox.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/temp_folder.h"

namespace dray::app::sandbox_test {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

const std::string can_not_run = "skipped: ";

/// What `work` returns in a process of its own, which may enter a sandbox: 0 to 255.
int in_child(const std::function<int()>& work) {
  const auto pid = fork();
  if (pid == 0) _exit(work());
  int status = -1;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  INFO("status " << status);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

std::string what_is_in_force(const SandboxNeeds& needs) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(in_child([&] {
            const auto text = enter_sandbox(needs);
            return write(ends[1], text.data(), text.size()) > 0 ? 0 : 1;
          }) == 0);
  close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], text.data(), 4096))));
  close(ends[0]);
  return text;
}

/// `result` of a system call: 0, or its errno.
int error_of(long result) {
  return result < 0 ? errno : 0;
}

struct Call {
  std::string name;
  std::function<int()> attempt;
  bool also_of_plugins = true;   ///< refused to them, too
  bool works_elsewhere = false;  ///< in every process without a sandbox
};

/// Attempts that do no harm where they succeed.
std::vector<Call> calls() {
  const auto nothing = [](long number) {
    return [number] { return error_of(syscall(number, 0L, 0L, 0L, 0L, 0L, 0L)); };
  };
  return {
      {"ptrace", [] { return error_of(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)); }},
      {"process_vm_readv", nothing(SYS_process_vm_readv)},
      {"process_vm_writev", nothing(SYS_process_vm_writev)},
      {"mount", nothing(SYS_mount)},
      {"move_mount", nothing(SYS_move_mount)},
      {"bpf", nothing(SYS_bpf)},
      {"keyctl", nothing(SYS_keyctl)},
      {"add_key", nothing(SYS_add_key)},
      {"kexec_load", [] { return error_of(syscall(SYS_kexec_load, 0L, 0L, nullptr, -1L)); }},
      {"finit_module", [] { return error_of(syscall(SYS_finit_module, -1L, "", 0L)); }},
      {"perf_event_open", nothing(SYS_perf_event_open)},
      {"userfaultfd", [] { return error_of(syscall(SYS_userfaultfd, 1L)); }},
      {"unshare", [] { return error_of(unshare(CLONE_NEWUSER)); }},
      {"setns", [] { return error_of(setns(-1, 0)); }},
      {"clone of a namespace",
       [] {
         const auto pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0L, 0L, 0L, 0L);
         if (pid == 0) _exit(0);
         return error_of(pid);
       }},
      {"fork",
       [] {
         const auto pid = fork();
         if (pid == 0) _exit(0);
         return error_of(pid);
       },
       false, true},
      {"execve",
       [] {
         std::array<char*, 1> none{nullptr};
         return error_of(execve("/nothing", none.data(), none.data()));
       },
       false, true},
      {"memfd_create", [] { return error_of(memfd_create("x", 0)); }, false, true},
      {"io_uring_setup", nothing(SYS_io_uring_setup), false},
      {"setuid", [] { return error_of(syscall(SYS_setuid, geteuid())); }, false, true},
  };
}

bool has_filter() {
  return what_is_in_force({}).contains(", seccomp,");
}

bool can_read(const std::string& path) {
  return std::ifstream(path).good();
}
bool can_write(const std::string& path) {
  return std::ofstream(path).good();
}

}  // namespace

TEST_CASE("system calls that a network service does not need are refused") {
  if (!has_filter()) {
    WARN(can_not_run << what_is_in_force({}));
    return;
  }
  for (const bool plugin : {false, true}) {
    for (const auto& call : calls()) {
      const int error = in_child([&] {
        static_cast<void>(enter_sandbox({.reads = {}, .writes = {}, .runs_programs = plugin}));
        return call.attempt();
      });
      INFO(call.name << (plugin ? ", where a plugin may run" : ""));
      if (!plugin || call.also_of_plugins) {
        CHECK(error == EPERM);
      } else if (call.works_elsewhere) {
        CHECK(error != EPERM);
      }
    }
  }
  for (const auto& call : calls()) {
    INFO(call.name << ", without a sandbox");
    if (call.works_elsewhere) CHECK(in_child(call.attempt) != EPERM);
  }
}

TEST_CASE("sockets are those of networks and of this host") {
  if (!has_filter()) {
    WARN(can_not_run << what_is_in_force({}));
    return;
  }
  const auto open_socket = [](int family, int type) {
    return in_child([=] {
      static_cast<void>(enter_sandbox({}));
      return error_of(socket(family, type, 0));
    });
  };
  CHECK(open_socket(AF_INET, SOCK_STREAM) == 0);
  CHECK(open_socket(AF_UNIX, SOCK_STREAM) == 0);
  CHECK(open_socket(AF_PACKET, SOCK_RAW) == EAFNOSUPPORT);
  CHECK(open_socket(AF_VSOCK, SOCK_STREAM) == EAFNOSUPPORT);
  CHECK(open_socket(AF_ALG, SOCK_SEQPACKET) == EAFNOSUPPORT);
}

TEST_CASE("nothing is left to read in a core dump, and no program gives new privileges") {
  if (what_is_in_force({}).starts_with("off")) {
    WARN(can_not_run << what_is_in_force({}));
    return;
  }
  CHECK(what_is_in_force({}).starts_with("no new privileges, no core dumps, "));
  CHECK(in_child([] {
          static_cast<void>(enter_sandbox({}));
          rlimit cores{1, 1};
          return getrlimit(RLIMIT_CORE, &cores) == 0 && cores.rlim_max == 0 ? 0 : 1;
        }) == 0);
}

TEST_CASE("files are those that are needed: others can be neither read nor written") {
  if (!what_is_in_force({}).contains(", Landlock (ABI")) {
    WARN(can_not_run << what_is_in_force({}));
    return;
  }
  const TempFolder read;
  const TempFolder written;
  const TempFolder other;
  const auto file = read.write("file", "text");
  const auto secret = other.write("secret", "text");
  const auto after = [&](const std::function<bool()>& done) {
    return in_child([&] {
             static_cast<void>(enter_sandbox({.reads = {read.path()}, .writes = {written.path()}}));
             return done() ? 0 : 1;
           }) == 0;
  };
  CHECK(after([&] { return can_read(file); }));
  CHECK(after([&] { return can_read("/etc/hosts"); }));
  CHECK(after([&] { return can_read("/proc/self/statm"); }));
  CHECK(after([&] { return can_write("/dev/null"); }));
  CHECK(after([&] {
    const auto path = written.path() + "/new";
    return can_write(path) && rename(path.c_str(), (path + "er").c_str()) == 0 &&
           truncate((path + "er").c_str(), 0) == 0 && unlink((path + "er").c_str()) == 0;
  }));
  CHECK_FALSE(after([&] { return can_read(secret); }));
  CHECK_FALSE(after([&] { return can_write(secret); }));
  CHECK_FALSE(after([&] { return truncate(secret.c_str(), 0) == 0; }));
  CHECK_FALSE(after([&] { return can_write(file); }));
  CHECK_FALSE(after([&] { return can_write(read.path() + "/new"); }));
  CHECK_FALSE(after([&] { return can_write("/tmp/dray-sandbox-test"); }));
  CHECK_FALSE(after([&] { return unlink(file.c_str()) == 0; }));
  CHECK_FALSE(after([&] { return can_read("/proc/1/status"); }));
}

TEST_CASE("a mounted Secret that is replaced can still be read") {
  const TempFolder mount;
  const auto put = [&](const std::string& folder) {
    fs::create_directory(mount.path() + "/" + folder);
    std::ofstream(mount.path() + "/" + folder + "/tls.crt") << folder;
    fs::remove(mount.path() + "/..data");
    fs::create_directory_symlink(folder, mount.path() + "/..data");
  };
  put("..1");
  fs::create_symlink("..data/tls.crt", mount.path() + "/tls.crt");
  ServeFlags flags;
  flags.extender_tls_cert = mount.path() + "/tls.crt";
  const auto needs =
      sandbox_needs(flags, {}, [](const char*) { return std::optional<std::string>(); });
  const TempFolder turn;  // says when it is replaced
  const auto pid = fork();
  if (pid == 0) {
    auto both = needs;
    both.reads.push_back(turn.path());
    both.writes.push_back(turn.path());
    static_cast<void>(enter_sandbox(both));
    std::ofstream(turn.path() + "/entered") << "yes";
    while (!fs::exists(turn.path() + "/replaced")) usleep(1000);
    std::string text;
    std::ifstream(flags.extender_tls_cert) >> text;
    _exit(text == "..2" ? 0 : 1);
  }
  while (!fs::exists(turn.path() + "/entered")) usleep(1000);
  put("..2");
  turn.write("replaced", "yes");
  int status = -1;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
}

TEST_CASE("what is needed is what flags and the kubeconfig name: folders, and none beside them") {
  const TempFolder folder;
  const auto in = [&](const std::string& name) {
    fs::create_directories(folder.path() + "/" + name);
    return folder.write(name + "/file", "x");
  };
  ServeFlags flags;
  flags.policy = in("policy");
  flags.client_ca = in("ca");
  flags.record = folder.path() + "/record";
  flags.history = folder.path() + "/history/file";
  kube::ClusterConfig config;
  config.files = {in("kube"), in("token")};
  const auto zone = folder.path() + "/zones";
  fs::create_directory(zone);
  const auto needs = sandbox_needs(flags, config, [&](const char* name) {
    return name == std::string("ZONEINFO") ? std::optional(zone) : std::nullopt;
  });
  std::vector<std::string> here;
  for (const auto& path : needs.reads) {
    if (path.starts_with(folder.path())) here.push_back(path.substr(folder.path().size()));
  }
  std::ranges::sort(here);
  here.erase(std::ranges::unique(here).begin(), here.end());
  CHECK(here == std::vector<std::string>{"/ca", "/kube", "/policy", "/token", "/zones"});
  CHECK(needs.writes ==
        std::vector<std::string>{folder.path() + "/record", folder.path() + "/history"});
  CHECK_FALSE(needs.runs_programs);
}

TEST_CASE("with an exec plugin, files are not restricted: nobody names those of the plugin") {
  const SandboxNeeds needs{.reads = {}, .writes = {}, .runs_programs = true};
  if (what_is_in_force({}).starts_with("off")) {
    WARN(can_not_run << what_is_in_force({}));
    return;
  }
  CHECK(what_is_in_force(needs).ends_with("no Landlock: the kubeconfig has an exec plugin"));
  CHECK(in_child([&] {
          static_cast<void>(enter_sandbox(needs));
          std::array<char*, 1> none{nullptr};
          const std::string program = "/bin/true";
          std::string name = program;
          std::array<char*, 2> words{name.data(), nullptr};
          pid_t pid = -1;
          if (posix_spawn(&pid, program.c_str(), nullptr, nullptr, words.data(), none.data()) !=
              0) {
            return 1;
          }
          int status = -1;
          return waitpid(pid, &status, 0) == pid ? status : 2;
        }) == 0);
}

}  // namespace dray::app::sandbox_test

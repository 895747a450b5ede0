#include "app/serve/syscall_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace dray::app {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t first_foreign_call = 0x40000000;  // of x32, whose numbers are others
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t first_foreign_call = std::numeric_limits<std::uint32_t>::max();
#else
constexpr std::uint32_t architecture = 0;  // no filter
constexpr std::uint32_t first_foreign_call = 0;
#endif

/// Other processes' memory, the kernel, mounts, namespaces, keys, clocks and the machine: neither
/// dray nor a plugin of a kubeconfig has business with them.
constexpr auto never = std::to_array<std::uint32_t>({
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_acct,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_syslog,
    SYS_vhangup,
    SYS_lookup_dcookie,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_nfsservctl,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_memfd_secret
    SYS_memfd_secret,
#endif
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_query_module,
    SYS__sysctl,
    SYS_ustat,
    SYS_sysfs,
#endif
});

/// What programs may do that dray starts, and dray itself does not.
constexpr auto not_itself = std::to_array<std::uint32_t>({
    SYS_execve,      SYS_execveat,       SYS_memfd_create,   SYS_mknodat,
    SYS_personality, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_vmsplice,    SYS_setuid,         SYS_setgid,         SYS_setreuid,
    SYS_setregid,    SYS_setresuid,      SYS_setresgid,      SYS_setgroups,
    SYS_setfsuid,    SYS_setfsgid,       SYS_capset,
#ifdef __x86_64__
    SYS_fork,        SYS_vfork,          SYS_mknod,
#endif
});

constexpr std::uint32_t new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr auto socket_families =
    std::to_array<std::uint32_t>({AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});

using Code = std::vector<sock_filter>;

void add(Code& code, unsigned operation, std::uint32_t value, std::uint8_t yes = 0,
         std::uint8_t no = 0) {
  code.push_back({static_cast<std::uint16_t>(operation), yes, no, value});
}
void load(Code& code, std::size_t offset) {
  add(code, BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
void refuse(Code& code, int with) {
  add(code, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(with));
}
void refuse_call(Code& code, std::uint32_t call, int with) {
  add(code, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
  refuse(code, with);
}
/// Of an argument the lower half: that of a flag or a family.
constexpr std::size_t argument(std::size_t index) {
  return offsetof(seccomp_data, args) + index * sizeof(std::uint64_t);
}
void allow(Code& code) {
  add(code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

void check_clone(Code& code, bool runs_programs) {
  add(code, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, runs_programs ? 4 : 6);
  load(code, argument(0));
  add(code, BPF_JMP | BPF_JSET | BPF_K, new_namespaces, 0, 1);
  refuse(code, EPERM);
  if (!runs_programs) {  // threads alone
    add(code, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    refuse(code, EPERM);
  }
  allow(code);
}

void check_socket(Code& code) {
  constexpr auto families = socket_families.size();
  add(code, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, families + 3);
  load(code, argument(0));
  for (std::size_t i = 0; i < families; ++i) {
    add(code, BPF_JMP | BPF_JEQ | BPF_K, socket_families.at(i),
        static_cast<std::uint8_t>(families - i));
  }
  refuse(code, EAFNOSUPPORT);
  allow(code);
}

Code filter(bool runs_programs) {
  Code code;
  load(code, offsetof(seccomp_data, arch));
  add(code, BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
  refuse(code, EPERM);
  load(code, offsetof(seccomp_data, nr));
  add(code, BPF_JMP | BPF_JGE | BPF_K, first_foreign_call, 0, 1);
  refuse(code, EPERM);
  for (const auto call : never) refuse_call(code, call, EPERM);
  if (!runs_programs) {
    for (const auto call : not_itself) refuse_call(code, call, EPERM);
  }
  // Its flags are in memory, which a filter cannot read; glibc takes clone() then.
  refuse_call(code, SYS_clone3, ENOSYS);
  check_clone(code, runs_programs);
  check_socket(code);
  allow(code);
  return code;
}

}  // namespace

Result<void> filter_system_calls(bool runs_programs) {
  if (architecture == 0) return fail(ErrorCode::unsupported, "not known for this processor");
  auto code = filter(runs_programs);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return fail(ErrorCode::unsupported, std::string("seccomp: ") + std::strerror(errno));
  }
  return {};
}

}  // namespace dray::app

#include "probe.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../launcher/base/kernel_abi.h"
#include "../launcher/confine/ownerless.h"
#include "landlock.h"

namespace ion {
namespace {

constexpr unsigned kNewListener = 1u << 3;
constexpr unsigned kWaitKillableRecv = 1u << 5;
constexpr int kNamespaceFlags = CLONE_NEWNS | CLONE_NEWIPC;

/// Shares this process's memory (no page is copied) and stops it until the child is gone, as vfork(2) does. The child
/// must touch nothing but its own stack and make system calls by itself.
int run_in_child(int (*body)(void*), void* argument) {
  alignas(16) static thread_local char stack[32 * 1024];
  // No exit signal: Node's own SIGCHLD handling is not disturbed.
  pid_t pid = clone(body, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, argument);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, __WALL) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A user namespace without a mapped user is useless. Root without CAP_SETFCAP may not map itself (Linux 5.12).
bool map_self(uid_t uid) {
  char line[64];
  int length = snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
  // The new capabilities have made this task undumpable, and its /proc files belong to root.
  prctl(PR_SET_DUMPABLE, 1);
  int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool mapped = write(fd, line, static_cast<size_t>(length)) == length;
  close(fd);
  return mapped;
}

int mount_call(const char* target, unsigned long flags) {
  return static_cast<int>(syscall(SYS_mount, nullptr, target, nullptr, flags, nullptr));
}

bool make_read_only() {
  ion_mount_attr attr = {};
  attr.attr_set = ION_MOUNT_ATTR_RDONLY;
  return syscall(__NR_mount_setattr, AT_FDCWD, "/", ION_AT_RECURSIVE, &attr, sizeof(attr)) == 0;
}

/// Does the same as native/launcher/confine/view.c: a new file system becomes the root, read-only by the available means.
bool turn_root() {
  int context = static_cast<int>(syscall(__NR_fsopen, "tmpfs", 1));
  if (context < 0 || syscall(__NR_fsconfig, context, ION_FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) return false;
  int tree = static_cast<int>(syscall(__NR_fsmount, context, 1, 0));
  int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  constexpr unsigned kFlags = ION_MOVE_MOUNT_F_EMPTY_PATH | ION_MOVE_MOUNT_T_EMPTY_PATH;
  if (tree < 0 || root < 0 || syscall(__NR_move_mount, tree, "", root, "", kFlags) < 0) return false;
  if (fchdir(tree) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0) return false;
  return mount_call("/", MS_REMOUNT | MS_BIND | MS_RDONLY) == 0;
}

/// Runs in a child: the process that has unshared the PID namespace is not in it. Where a container hides parts of its
/// /proc, the kernel refuses a new one in a user namespace (EPERM).
int mount_proc(void*) {
  int context = static_cast<int>(syscall(__NR_fsopen, "proc", 1));
  if (context < 0 || syscall(__NR_fsconfig, context, ION_FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) return 1;
  constexpr unsigned kAttributes = ION_MOUNT_ATTR_RDONLY | ION_MOUNT_ATTR_NOSUID | ION_MOUNT_ATTR_NODEV | ION_MOUNT_ATTR_NOEXEC;
  return syscall(__NR_fsmount, context, 1, kAttributes) < 0 ? 1 : 0;
}

/// The other features that the launcher needs for the processes of a run (native/launcher/confine/pid_namespace.c).
bool has_own_processes() {
  alignas(16) char stack[8 * 1024];
  int process = static_cast<int>(syscall(__NR_pidfd_open, getppid(), 0));
  if (process < 0 || unshare(CLONE_NEWPID) < 0) return false;
  pid_t pid = clone(mount_proc, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, nullptr);
  int status = 0;
  return pid > 0 && waitpid(pid, &status, __WALL) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Attempt {
  int flags;       ///< of unshare(2), beside those of every run
  bool maps_self;  ///< in the user namespace; root maps all users instead, from outside
  bool view;       ///< the run has a root of its own: where there is no Landlock
  bool own_processes = false;  ///< result: a PID namespace with a /proc
  bool ownerless = false;  ///< result: /etc can be mounted so that root has no more rights there than other users
};

int try_namespaces(void* argument) {
  Attempt& attempt = *static_cast<Attempt*>(argument);
  int flags = kNamespaceFlags | attempt.flags;
  uid_t uid = geteuid();
  if (unshare(flags) < 0) return 1;
  if (attempt.maps_self && !map_self(uid)) return 1;
  // Ubuntu 24.04 grants the user namespace, but no capability in it. Only a mount call shows that.
  if (mount_call("/", MS_REC | MS_PRIVATE) < 0) return 1;
  // This is done while /proc is writable: the ids of a user namespace are mapped through it.
  attempt.ownerless = !attempt.flags && mount_ownerless("/etc") == 0;
  attempt.own_processes = has_own_processes();
  return (attempt.view ? turn_root() : make_read_only()) ? 0 : 1;
}

int try_filter(void* argument) {
  sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {1, allow};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return 1;
  return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, *static_cast<unsigned*>(argument), &program) < 0 ? 1 : 0;
}

bool can_take_descriptors() {
  int process = static_cast<int>(syscall(__NR_pidfd_open, getpid(), 0));
  if (process < 0) return false;
  int copy = static_cast<int>(syscall(__NR_pidfd_getfd, process, process, 0));
  if (copy >= 0) close(copy);
  close(process);
  return copy >= 0;
}

/// Whether a supervisor may read the memory of its children. A filter may refuse the call, and Yama the access (2: root only, 3:
/// no process). Without this access a supervisor would have to refuse every call that it is notified of.
bool can_read_children() {
  char from = 1, to = 0;
  iovec local = {&to, 1}, remote = {&from, 1};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1) return false;
  int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;  // no Yama
  char scope = '0';
  ssize_t length = read(fd, &scope, 1);
  close(fd);
  return length != 1 || scope < '2' || (scope == '2' && geteuid() == 0);
}

void probe_namespaces(Granted& granted) {
  bool view = landlock_abi() == 0;
  Attempt as_root = {view ? CLONE_NEWUSER : 0, false, view};
  Attempt as_user = {CLONE_NEWUSER, true, view};
  if (geteuid() == 0 && run_in_child(try_namespaces, &as_root) == 0) granted.namespaces = Namespaces::kRoot;
  else if (run_in_child(try_namespaces, &as_user) == 0) granted.namespaces = Namespaces::kUser;
  granted.ownerless_etc = granted.namespaces == Namespaces::kRoot && as_root.ownerless;
  granted.own_processes = granted.namespaces == Namespaces::kRoot ? as_root.own_processes :
                          granted.namespaces == Namespaces::kUser && as_user.own_processes;
}

}  // namespace

Granted probe_granted() {
  Granted granted;
  unsigned plain = 0;
  unsigned listener = kNewListener | kWaitKillableRecv;
  probe_namespaces(granted);
  bool listens = run_in_child(try_filter, &listener) == 0;
  granted.listener = listens && can_read_children();
  granted.seccomp = listens || run_in_child(try_filter, &plain) == 0;
  granted.pidfd_getfd = can_take_descriptors();
  return granted;
}

}  // namespace ion

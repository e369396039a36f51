/// The features that this kernel grants this process, found by trying them in a short-lived child. Plain C++: no N-API in here.
#pragma once

namespace ion {

enum class Namespaces { kNone, kRoot, kUser };

struct Granted {
  /// Mount, IPC and network namespaces with the mounts made read-only: as real root, else in a user namespace.
  Namespaces namespaces = Namespaces::kNone;
  /// As root: /etc can be mounted so that root has no more rights there than other users (ownerless.h).
  bool ownerless_etc = false;
  /// Besides these namespaces, a PID namespace with a /proc of its own.
  bool own_processes = false;
  /// A seccomp filter can be installed.
  bool seccomp = false;
  /// A seccomp listener whose notifications survive signals (WAIT_KILLABLE_RECV, Linux 5.19). It is missing within another sandbox
  /// that has one (EBUSY), and where a parent may not read its children's memory.
  bool listener = false;
  /// Descriptors of own children can be borrowed (pidfd_getfd): default Docker refuses.
  bool pidfd_getfd = false;
};

Granted probe_granted();

}  // namespace ion

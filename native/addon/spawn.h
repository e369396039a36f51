/// Starts the launcher without node:child_process, whose modules slow down a start by 5 ms. Plain C++: no N-API in here.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ion {

struct SpawnSpec {
  std::string file;
  std::vector<std::string> argv;
  /// The child's descriptors 0, 1, 2 ...; -1: /dev/null. Nothing else is inherited.
  std::vector<int> descriptors;
};

struct SpawnResult {
  pid_t pid = -1;
  /// The errno of the step that failed, or 0.
  int error = 0;
  /// "clone" | "dup2" | "exec"
  const char* step = "";
};

/// Start a process with an empty environment and every signal blocked, so that no signal ends it before it can handle
/// them. Returns once it has executed its file, or has failed. No exit signal is sent for it: reap() it.
SpawnResult spawn_process(const SpawnSpec& spec);

/// Send descriptors (SCM_RIGHTS; -1: /dev/null) over a unix socket, with one byte. Returns 0 or -errno: -EPIPE when the
/// other end is closed.
int send_descriptors(int socket, const std::vector<int>& descriptors);

/// Wait for a process of spawn_process, at most `limit_ms` (negative: no limit). Returns its status as from waitpid(2), or
/// -errno; 0 when it has not ended in time.
int reap_process(pid_t pid, int limit_ms);

}  // namespace ion

/// Starting the launcher without node:child_process, whose modules cost a start 5 ms. Plain C++: no N-API in here.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ion {

struct SpawnSpec {
  std::string file;
  std::string name;  ///< argv[0]
  std::string cwd;
  std::vector<std::string> environment;  ///< NAME=value
  /// What the child has as descriptors 0, 1, 2 ...; -1: /dev/null. Nothing else is inherited.
  std::vector<int> descriptors;
};

struct SpawnResult {
  pid_t pid = -1;
  /// The errno of the step that failed, or 0.
  int error = 0;
  /// "clone" | "chdir" | "dup2" | "exec"
  const char* step = "";
};

/// Start a process. Returns once it executes its file, or has failed to. No exit signal is sent for it: reap() it.
SpawnResult spawn_process(const SpawnSpec& spec);

/// Wait for a process of spawn_process. Returns its status as from waitpid(2), or -errno.
int reap_process(pid_t pid);

}  // namespace ion

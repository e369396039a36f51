/// Landlock rulesets as descriptors. Plain C++: no N-API in here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ion {

struct PathRule {
  std::string path;
  uint64_t access;
  /// A path that does not exist, or that this user may not reach, is left out instead of being an error.
  bool optional;
  /// The path comes from realpath(3). If it leads elsewhere by now, another process swapped it for a symlink (ELOOP).
  bool canonical;
};

struct RulesetSpec {
  uint64_t handled_fs = 0;
  uint64_t handled_net = 0;
  uint64_t scoped = 0;
  std::vector<PathRule> rules;
};

struct RulesetResult {
  int fd = -1;
  /// The errno of the step that failed, or 0.
  int error = 0;
  /// "create" | "open" | "rule"
  const char* step = "";
  /// The path at fault, for "open" and "rule".
  std::string path;
  /// Optional paths that were left out.
  std::vector<std::string> skipped;
};

/// The Landlock ABI of the running kernel, 1 or more. 0 when Landlock is absent (ENOSYS) or off at boot (EOPNOTSUPP), or when a
/// filter refuses the call (EPERM, EACCES: containers).
int landlock_abi();

/// Landlock's errata bits; 0 when the kernel does not report them (before 6.15).
int landlock_errata();

/// Build a ruleset. Each path is opened O_PATH, following symlinks, and the rule belongs to the opened file: a later
/// exchange of the path does not move it. Rights that are not valid on a file are removed from a file's rule (the kernel
/// would refuse it with EINVAL).
RulesetResult create_ruleset(const RulesetSpec& spec);

}  // namespace ion

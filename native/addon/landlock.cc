#include "landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "../launcher/base/kernel_abi.h"

namespace ion {
namespace {

// UAPI of Linux 7.2 (ABI 10), under our own names: distribution headers are years behind.
struct RulesetAttr {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

struct __attribute__((packed)) PathBeneathAttr {
  uint64_t allowed_access;
  int32_t parent_fd;
};

constexpr int kRulePathBeneath = 1;
constexpr uint32_t kCreateVersion = 1u << 0;
constexpr uint32_t kCreateErrata = 1u << 1;

// EXECUTE, WRITE_FILE, READ_FILE, TRUNCATE, IOCTL_DEV, RESOLVE_UNIX: the rights that a rule on a file may have.
constexpr uint64_t kFileRights = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 15 | 1u << 16;

struct Descriptor {
  int fd;
  explicit Descriptor(int descriptor) : fd(descriptor) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

/// Whether the file was opened at exactly this path, with no symlink on the way.
bool is_at(int fd, const std::string& path) {
  std::vector<char> there(path.size() + 1);
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  ssize_t length = readlink(link.c_str(), there.data(), there.size());
  return length == static_cast<ssize_t>(path.size()) && path.compare(0, path.size(), there.data(), path.size()) == 0;
}

int add_rule(int ruleset, int parent, uint64_t access) {
  struct stat info;
  if (fstat(parent, &info) < 0) return errno;
  if (!S_ISDIR(info.st_mode)) access &= kFileRights;
  if (access == 0) return 0;
  PathBeneathAttr attr{access, parent};
  return syscall(__NR_landlock_add_rule, ruleset, kRulePathBeneath, &attr, 0) < 0 ? errno : 0;
}

RulesetResult failure(RulesetResult result, const char* step, int error, const std::string& path) {
  if (result.fd >= 0) close(result.fd);
  result.fd = -1;
  result.step = step;
  result.error = error;
  result.path = path;
  return result;
}

}  // namespace

int landlock_abi() {
  long abi = syscall(__NR_landlock_create_ruleset, nullptr, 0, kCreateVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

int landlock_errata() {
  long errata = syscall(__NR_landlock_create_ruleset, nullptr, 0, kCreateErrata);
  return errata > 0 ? static_cast<int>(errata) : 0;
}

RulesetResult create_ruleset(const RulesetSpec& spec) {
  RulesetResult result;
  // An older kernel accepts a larger struct as long as its unknown part is zero (E2BIG otherwise).
  RulesetAttr attr{spec.handled_fs, spec.handled_net, spec.scoped};
  result.fd = static_cast<int>(syscall(__NR_landlock_create_ruleset, &attr, sizeof(attr), 0));
  if (result.fd < 0) return failure(std::move(result), "create", errno, "");
  for (const PathRule& rule : spec.rules) {
    Descriptor path(open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (path.fd < 0) {
      int error = errno;
      if (!rule.optional || !is_absence(error)) return failure(std::move(result), "open", error, rule.path);
      result.skipped.push_back(rule.path);
      continue;
    }
    if (rule.canonical && !is_at(path.fd, rule.path)) return failure(std::move(result), "open", ELOOP, rule.path);
    int error = add_rule(result.fd, path.fd, rule.access & spec.handled_fs);
    if (error != 0) return failure(std::move(result), "rule", error, rule.path);
  }
  return result;
}

}  // namespace ion

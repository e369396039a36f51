#include "closed_to_others.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace ion {
namespace {

constexpr size_t kMostEntries = 50000;
constexpr int kDeepest = 32;

struct Search {
  std::vector<std::string> found;
  size_t looked = 0;
};

bool is_closed(const struct stat& info) {
  const mode_t needed = S_ISDIR(info.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  return (info.st_mode & needed) != needed;
}

bool is_dot(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

/// Takes `fd`.
void look_below(int fd, const std::string& prefix, int depth, Search& search) {
  DIR* entries = fdopendir(fd);
  if (!entries) {
    close(fd);
    return;
  }
  while (const dirent* entry = readdir(entries)) {
    if (is_dot(entry->d_name)) continue;
    const std::string name = prefix + entry->d_name;
    struct stat info;
    // Through links: a root is granted where it leads.
    if (fstatat(dirfd(entries), entry->d_name, &info, 0) < 0) continue;
    if (++search.looked > kMostEntries || depth > kDeepest || is_closed(info)) {
      search.found.push_back(name);
    } else if (S_ISDIR(info.st_mode) && entry->d_type != DT_LNK) {
      int below = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (below >= 0) look_below(below, name + "/", depth + 1, search);
    }
  }
  closedir(entries);
}

}  // namespace

std::vector<std::string> closed_to_others(const std::string& folder) {
  Search search;
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) look_below(fd, "", 0, search);
  return search.found;
}

}  // namespace ion

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
  const std::vector<std::string>& apart;
  std::vector<std::string> found;
  size_t looked = 0;
};

bool is_closed(const struct stat& info) {
  const mode_t needed = S_ISDIR(info.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  return (info.st_mode & needed) != needed;
}

bool is_dot(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

/// One of the caller's excluded names is below this folder, so the folder is granted entry by entry.
bool is_taken_apart(const std::string& prefix, const Search& search) {
  for (const std::string& name : search.apart) {
    if (name.compare(0, prefix.size(), prefix) == 0) return true;
  }
  return false;
}

/// Adds the entry when others may not read it. Follows links: a root is granted at their target. Returns whether it is a
/// folder that still has to be searched.
bool look_at(int folder, const char* entry, const std::string& name, int depth, Search& search) {
  struct stat info;
  if (fstatat(folder, entry, &info, 0) < 0) return false;
  if (++search.looked > kMostEntries || depth > kDeepest || is_closed(info)) {
    search.found.push_back(name);
    return false;
  }
  return S_ISDIR(info.st_mode);
}

/// Takes `fd`. Checks links last, and only where the folder is granted entry by entry: a grant of the folder as a whole
/// does not cover the targets of its links. Most entries of /etc are such links.
void look_below(int fd, const std::string& prefix, int depth, Search& search) {
  DIR* entries = fdopendir(fd);
  if (!entries) {
    close(fd);
    return;
  }
  const size_t found_before = search.found.size();
  std::vector<std::string> links;
  while (const dirent* entry = readdir(entries)) {
    if (is_dot(entry->d_name)) continue;
    if (entry->d_type == DT_LNK) {
      links.emplace_back(entry->d_name);
      continue;
    }
    const std::string name = prefix + entry->d_name;
    if (!look_at(dirfd(entries), entry->d_name, name, depth, search)) continue;
    // Where the file system does not tell the type of an entry: looks it up without following a link.
    int below = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) look_below(below, name + "/", depth + 1, search);
  }
  if (search.found.size() > found_before || is_taken_apart(prefix, search)) {
    for (const std::string& link : links) look_at(dirfd(entries), link.c_str(), prefix + link, depth, search);
  }
  closedir(entries);
}

}  // namespace

std::vector<std::string> closed_to_others(const std::string& folder, const std::vector<std::string>& apart) {
  Search search{apart, {}, 0};
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) look_below(fd, "", 0, search);
  return search.found;
}

}  // namespace ion

#include "audit_files.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>

namespace ion {
namespace {

constexpr int64_t kLockWaitMs = 5000;

int open_folder(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int64_t monotonic_ms() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

}  // namespace

int open_log_folder(const std::string& path, File* folder) {
  folder->reset(open_folder(path));
  if (folder->get() < 0 && errno == ENOENT) {
    std::string parent = path.substr(0, path.find_last_of('/'));
    if (mkdir(parent.c_str(), 0700) < 0 && errno != EEXIST) return errno;
    if (mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) return errno;
    folder->reset(open_folder(path));
  }
  if (folder->get() < 0) return errno;
  struct stat st;
  if (fstat(folder->get(), &st) < 0) return errno;
  // A user who may write the folder may exchange the log.
  return st.st_uid == geteuid() && (st.st_mode & 022) == 0 ? 0 : EPERM;
}

int open_log_file(int folder, const char* name, File* file) {
  // O_NONBLOCK: an open of another user's FIFO would wait for ever.
  file->reset(openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file->get() < 0) return errno;
  struct stat st;
  if (fstat(file->get(), &st) < 0) return errno;
  return S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 ? 0 : EPERM;
}

int lock_file(int fd) {
  int64_t deadline = monotonic_ms() + kLockWaitMs;
  for (int tries = 0; tries < 20 || monotonic_ms() < deadline; tries++) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK && errno != EINTR) return errno;
    if (tries < 20) {
      sched_yield();
      continue;
    }
    // Spread by the clock's own jitter: writers that wait in step would wake in step.
    struct timespec pause = {0, 200000 + (tries * 7919L + getpid() * 104729L) % 1600000};
    nanosleep(&pause, nullptr);
  }
  return ETIMEDOUT;
}

int read_bytes(int fd, uint64_t from, uint64_t to, std::string* text) {
  text->resize(to - from);
  size_t done = 0;
  while (done < text->size()) {
    ssize_t count = pread(fd, text->data() + done, text->size() - done, static_cast<off_t>(from + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  text->resize(done);
  return 0;
}

}  // namespace ion

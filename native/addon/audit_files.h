// The files of the audit log's folder: opened, locked and read so that no other user can exchange them.
#ifndef ION_AUDIT_FILES_H
#define ION_AUDIT_FILES_H

#include <unistd.h>

#include <cstdint>
#include <string>

namespace ion {

/// A descriptor that is closed with its owner.
class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { reset(-1); }
  void reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Each of these returns 0 or an errno.

/// Opens the folder of the log, and makes it and its parent when missing. EPERM: another user may write it.
int open_log_folder(const std::string& path, File* folder);

/// Opens a file of the log: created 0600 when missing; a regular file of this user and nothing else.
int open_log_file(int folder, const char* name, File* file);

/// Waits for the lock of `fd`, five seconds at most (ETIMEDOUT).
int lock_file(int fd);

/// Reads the bytes from `from` to `to`, or as many as there are.
int read_bytes(int fd, uint64_t from, uint64_t to, std::string* text);

}  // namespace ion

#endif

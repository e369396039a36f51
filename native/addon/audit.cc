#include "audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "audit_files.h"
#include "audit_head.h"

namespace ion {
namespace {

/// ion examines at most this many bytes behind the head's size; a crash never leaves more.
constexpr uint64_t kMaxTailBytes = 64u << 20;
constexpr size_t kMaxEventBytes = 4u << 20;

/// One append, step by step. Each step returns 0 or an errno.
class Appender {
 public:
  explicit Appender(const AuditAppendSpec& spec) : spec_(spec) {}

  AuditAppendResult run() {
    struct {
      const char* name;
      int (Appender::*step)();
    } steps[] = {{"event", &Appender::check_events}, {"folder", &Appender::open_folder},
                 {"head", &Appender::open_head},     {"lock", &Appender::lock},
                 {"head", &Appender::read_head},     {"log", &Appender::open_log},
                 {"log", &Appender::reconcile},      {"rotate", &Appender::rotate},
                 {"write", &Appender::write_records}, {"head", &Appender::write_head}};
    for (const auto& [name, step] : steps) {
      if (int error = (this->*step)()) return {error, name, 0, ""};
    }
    return {0, "", head_.sequence, head_.hash};
  }

 private:
  int check_events() {
    for (const std::string& event : spec_.events) {
      if (event.size() < 2 || event.size() > kMaxEventBytes || event.front() != '{' || event.back() != '}' ||
          event.find('\n') != std::string::npos) {
        return EINVAL;
      }
    }
    return 0;
  }

  int open_folder() { return open_log_folder(spec_.folder, &folder_); }

  int open_own(const char* name, File* file) { return open_log_file(folder_.get(), name, file); }

  int open_head() { return open_own("head", &head_file_); }

  int lock() { return lock_file(head_file_.get()); }

  int read_head() {
    std::string text(kHeadBytes + 1, '\0');
    ssize_t count = pread(head_file_.get(), text.data(), text.size(), 0);
    if (count < 0) return errno;
    text.resize(static_cast<size_t>(count));
    had_head_ = parse_head(text, &head_);
    head_bytes_ = static_cast<size_t>(count);
    return 0;
  }

  int open_log() {
    if (int error = open_own("audit.jsonl", &log_)) return error;
    struct stat st;
    if (fstat(log_.get(), &st) < 0) return errno;
    size_ = static_cast<uint64_t>(st.st_size);
    return 0;
  }

  /// Makes head and log agree where a crash or an edit left them different. Removes no record.
  int reconcile() {
    if (had_head_ && head_.size == size_) return 0;
    if (!had_head_) return without_head();
    if (size_ < head_.size) return shorter();
    std::string tail;
    if (size_ - head_.size > kMaxTailBytes) {
      if (int error = read_range(size_ - 1, size_, &tail)) return error;
      recovered("foreign_bytes", size_ - head_.size);
      end_line(tail);
      return 0;
    }
    if (int error = read_range(head_.size, size_, &tail)) return error;
    adopt(tail);
    return 0;
  }

  /// The head is missing or unreadable.
  int without_head() {
    if (head_bytes_ > 0) recovered("head_unreadable", head_bytes_);
    // A new log gets its head before its first record, so that a full disk leaves no log without a head.
    if (size_ == 0) return head_bytes_ == 0 ? write_head() : 0;
    std::string text;
    // The last record is the position to continue from. `ion audit verify` checks its text.
    if (int error = read_range(size_ > kMaxEventBytes ? size_ - kMaxEventBytes : 0, size_, &text)) return error;
    for (size_t end = text.size(); end > 0;) {
      size_t start = end < 2 ? std::string::npos : text.find_last_of('\n', end - 2);
      start = start == std::string::npos ? 0 : start + 1;
      std::string line = text.substr(start, end - start);
      if (!line.empty() && line.back() == '\n') line.pop_back();
      if (stated_position(line, &head_.sequence, &head_.hash)) break;
      end = start;
    }
    if (head_bytes_ == 0) recovered("head_missing", size_);
    end_line(text);
    return 0;
  }

  int shorter() {
    struct stat st;
    char name[32];
    aside_name(name, head_.file);
    if (size_ == 0 && fstatat(folder_.get(), name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
      // A process put the log aside, and was stopped before it wrote the head.
      head_.file += 1;
      return 0;
    }
    std::string text;
    if (int error = read_range(size_ > 0 ? size_ - 1 : 0, size_, &text)) return error;
    recovered("log_shorter", head_.size - size_);
    end_line(text);
    return 0;
  }

  void adopt(const std::string& tail) {
    size_t start = 0;
    for (size_t end; (end = tail.find('\n', start)) != std::string::npos; start = end + 1) {
      if (!continues_chain(tail.substr(start, end - start), &head_.sequence, &head_.hash)) break;
    }
    if (start == tail.size()) return;
    bool torn = begins_next(tail.substr(start), head_.sequence, head_.hash);
    recovered(torn ? "torn_line" : "foreign_bytes", tail.size() - start);
    end_line(tail);
  }

  void end_line(const std::string& text) {
    if (!text.empty() && text.back() != '\n') batch_ += '\n';
  }

  void recovered(const char* reason, uint64_t bytes) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    char event[256];
    std::snprintf(event, sizeof event,
                  "{\"bytes\":%llu,\"reason\":\"%s\",\"run_id\":null,\"schema\":1,"
                  "\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\",\"type\":\"log.recovered\"}",
                  static_cast<unsigned long long>(bytes), reason, utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                  utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(now.tv_nsec / 1000000));
    recovery_.emplace_back(event);
  }

  int read_range(uint64_t from, uint64_t to, std::string* text) { return read_bytes(log_.get(), from, to, text); }

  static void aside_name(char (&name)[32], uint64_t number) {
    std::snprintf(name, sizeof name, "audit-%06llu.jsonl", static_cast<unsigned long long>(number));
  }

  int rotate() {
    size_t bytes = 0;
    for (const std::string& event : spec_.events) bytes += event.size() + 200;
    if (size_ == 0 || size_ + bytes <= spec_.max_file_bytes || !recovery_.empty()) return 0;
    char name[32];
    struct stat st;
    for (aside_name(name, head_.file); fstatat(folder_.get(), name, &st, AT_SYMLINK_NOFOLLOW) == 0;
         aside_name(name, head_.file)) {
      head_.file += 1;
    }
    // Not RENAME_NOREPLACE: not every file system has it, and the lock keeps other writers out.
    if (renameat(folder_.get(), "audit.jsonl", folder_.get(), name) < 0) return errno;
    head_.file += 1;
    return open_log();
  }

  int write_records() {
    add_records(recovery_);
    add_records(spec_.events);
    size_t done = 0;
    while (done < batch_.size()) {
      ssize_t count = pwrite(log_.get(), batch_.data() + done, batch_.size() - done, static_cast<off_t>(size_ + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        int error = count < 0 ? errno : EIO;
        // Cuts back to whole records: half a line would stay in the chain.
        if (ftruncate(log_.get(), static_cast<off_t>(size_)) < 0) return errno;
        return error;
      }
      done += static_cast<size_t>(count);
    }
    head_.size = size_ + batch_.size();
    return spec_.sync && fdatasync(log_.get()) < 0 ? errno : 0;
  }

  void add_records(const std::vector<std::string>& events) {
    for (const std::string& event : events) batch_ += render_record(event, &head_.sequence, &head_.hash);
  }

  int write_head() {
    std::string text = render_head(head_);
    ssize_t count = pwrite(head_file_.get(), text.data(), text.size(), 0);
    if (count != static_cast<ssize_t>(text.size())) return count < 0 ? errno : ENOSPC;
    if (head_bytes_ > kHeadBytes && ftruncate(head_file_.get(), kHeadBytes) < 0) return errno;
    return spec_.sync && fdatasync(head_file_.get()) < 0 ? errno : 0;
  }

  const AuditAppendSpec& spec_;
  File folder_, head_file_, log_;
  AuditHead head_;
  bool had_head_ = false;
  size_t head_bytes_ = 0;
  uint64_t size_ = 0;
  std::string batch_;
  std::vector<std::string> recovery_;
};

}  // namespace

AuditAppendResult audit_append(const AuditAppendSpec& spec) { return Appender(spec).run(); }

}  // namespace ion

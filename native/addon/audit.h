/// The audit log's append. Plain C++: no N-API in here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ion {

struct AuditAppendSpec {
  /// The log's folder; created (0700) when missing, with its parent.
  std::string folder;
  /// Events, each one line of canonical JSON without the line break. All are written, or none.
  std::vector<std::string> events;
  /// A file that would exceed this size is first put aside as audit-NNNNNN.jsonl.
  uint64_t max_file_bytes;
  /// fdatasync before returning: an event that was reported as written survives a power cut.
  bool sync;
};

struct AuditAppendResult {
  /// The errno of the step that failed, or 0.
  int error = 0;
  /// "folder" | "head" | "lock" | "log" | "rotate" | "write" | "event": the failed step.
  const char* step = "";
  /// The number and hash of the last record.
  uint64_t sequence = 0;
  std::string hash;
};

/// Append events as records of one chain, under an exclusive flock on the head file, so that parallel writers never tear,
/// interleave or lose a line.
///
/// A record is `{"seq":N,"prev":"H","hash":"H","event":E}`, with hash = SHA-256("N\nprev\nE"). The head, a separate file, holds the
/// number and hash of the last record and the log's size, so a cut at the end is detected. Head and log can disagree after a crash
/// between the two writes, or after an edit. Then no record is removed. Records that continue the chain are adopted. Anything else
/// is reported in a `log.recovered` record.
///
/// Does not fsync unless requested. Waits at most five seconds for the lock (ETIMEDOUT): a stopped process must not hang every
/// other. Refuses a folder or file that belongs to another user or is not a regular file (EPERM), and follows no symlink (ELOOP).
/// If the disk is full, the log is cut back to whole records.
AuditAppendResult audit_append(const AuditAppendSpec& spec);

}  // namespace ion

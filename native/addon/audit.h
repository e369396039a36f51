/// The audit log's append. Plain C++: no N-API in here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ion {

struct AuditAppendSpec {
  /// The log's folder; made (0700) when it is missing, and its parent too.
  std::string folder;
  /// Events, each one line of canonical JSON without the line break. All are written, or none.
  std::vector<std::string> events;
  /// A file that would grow beyond this is put aside as audit-NNNNNN.jsonl first.
  uint64_t max_file_bytes;
  /// fdatasync before returning: what was reported as written outlives a power cut.
  bool sync;
};

struct AuditAppendResult {
  /// The errno of the step that failed, or 0.
  int error = 0;
  /// "folder" | "head" | "lock" | "log" | "rotate" | "write" | "event"; what was being done.
  const char* step = "";
  /// The number and hash of the last record.
  uint64_t sequence = 0;
  std::string hash;
};

/// Append events as records of one chain, under an exclusive flock on the head file, so that parallel writers never
/// tear, interleave or lose a line.
///
/// A record is `{"seq":N,"prev":"H","hash":"H","event":E}`, with hash = SHA-256("N\nprev\nE"). The head, a file of
/// its own, holds the number and hash of the last record and the log's size: a cut at the end shows. Where head and
/// log disagree (a crash between the two writes, or somebody's edit), nothing is taken away: records that continue
/// the chain are adopted, and anything else is followed by a `log.recovered` record that says so.
///
/// Does not fsync unless asked to. Waits at most five seconds for the lock (ETIMEDOUT): a stopped process must not
/// hang every other. Refuses a folder or file that belongs to somebody else or is no regular file (EPERM), and
/// follows no symlink (ELOOP). On a full disk the log is cut back to whole records.
AuditAppendResult audit_append(const AuditAppendSpec& spec);

}  // namespace ion

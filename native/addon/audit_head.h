/// The two text forms of the audit log: its head, and the fixed front part of each record.
#pragma once

#include <cstdint>
#include <string>

namespace ion {

/// The size of the head. It is rewritten in place and fits one sector, so a crash leaves the old one or the new one.
constexpr size_t kHeadBytes = 256;

struct AuditHead {
  uint64_t sequence = 0;
  std::string hash = std::string(64, '0');
  /// The size of audit.jsonl.
  uint64_t size = 0;
  /// The number that audit.jsonl gets when it is put aside.
  uint64_t file = 1;
};

std::string render_head(const AuditHead& head);
/// False when the text is not a head; then `head` is unchanged.
bool parse_head(const std::string& text, AuditHead* head);

/// One record with its line break; `sequence` and `hash` move on to it.
std::string render_record(const std::string& event, uint64_t* sequence, std::string* hash);
/// Whether this line (without its break) is the record that follows `sequence` and `hash`. If so, sets both to its own.
bool continues_chain(const std::string& line, uint64_t* sequence, std::string* hash);
/// Whether this text, without a line break, is the beginning of the next record. Then a write was interrupted: no earlier
/// record is missing, and the unfinished one was never reported as written.
bool begins_next(const std::string& text, uint64_t sequence, const std::string& hash);
/// Sequence and hash as a line states them, unchecked. False when it is not a record.
bool stated_position(const std::string& line, uint64_t* sequence, std::string* hash);

}  // namespace ion

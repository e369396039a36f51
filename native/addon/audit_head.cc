#include "audit_head.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "sha256.h"

namespace ion {
namespace {

std::string digest(uint64_t sequence, const std::string& previous, const std::string& event) {
  Sha256 sha;
  sha.update(std::to_string(sequence) + "\n" + previous + "\n");
  sha.update(event);
  return sha.hex();
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The parts of a line, split at the fixed places of `{"seq":N,"prev":"H","hash":"H","event":E}`.
struct Parts {
  uint64_t sequence;
  std::string previous, hash, event;
};

bool take_apart(const std::string& line, Parts* parts) {
  int front = 0;
  char previous[65], hash[65];
  if (std::sscanf(line.c_str(), "{\"seq\":%" SCNu64 ",\"prev\":\"%64[0-9a-f]\",\"hash\":\"%64[0-9a-f]\",\"event\":%n",
                  &parts->sequence, previous, hash, &front) != 3 ||
      front == 0 || line.size() < static_cast<size_t>(front) + 2 || line.back() != '}') {
    return false;
  }
  parts->previous = previous;
  parts->hash = hash;
  parts->event = line.substr(front, line.size() - front - 1);
  return is_hash(parts->previous) && is_hash(parts->hash);
}

}  // namespace

std::string render_head(const AuditHead& head) {
  std::string text = "{\"version\":1,\"seq\":" + std::to_string(head.sequence) + ",\"hash\":\"" + head.hash +
                     "\",\"size\":" + std::to_string(head.size) + ",\"file\":" + std::to_string(head.file) + "}";
  text.resize(kHeadBytes - 1, ' ');
  return text + "\n";
}

bool parse_head(const std::string& text, AuditHead* head) {
  AuditHead parsed;
  char hash[65];
  if (text.size() != kHeadBytes ||
      std::sscanf(text.c_str(),
                  "{\"version\":1,\"seq\":%" SCNu64 ",\"hash\":\"%64[0-9a-f]\",\"size\":%" SCNu64 ",\"file\":%" SCNu64,
                  &parsed.sequence, hash, &parsed.size, &parsed.file) != 4) {
    return false;
  }
  parsed.hash = hash;
  // The text must equal the head that these values give: a mix of two heads does not count.
  if (render_head(parsed) != text) return false;
  *head = parsed;
  return true;
}

std::string render_record(const std::string& event, uint64_t* sequence, std::string* hash) {
  *sequence += 1;
  std::string previous = *hash;
  *hash = digest(*sequence, previous, event);
  return "{\"seq\":" + std::to_string(*sequence) + ",\"prev\":\"" + previous + "\",\"hash\":\"" + *hash +
         "\",\"event\":" + event + "}\n";
}

bool continues_chain(const std::string& line, uint64_t* sequence, std::string* hash) {
  Parts parts;
  if (!take_apart(line, &parts) || parts.sequence != *sequence + 1 || parts.previous != *hash ||
      parts.hash != digest(parts.sequence, parts.previous, parts.event)) {
    return false;
  }
  *sequence = parts.sequence;
  *hash = parts.hash;
  return true;
}

bool begins_next(const std::string& text, uint64_t sequence, const std::string& hash) {
  std::string front = "{\"seq\":" + std::to_string(sequence + 1) + ",\"prev\":\"" + hash + "\",\"hash\":\"";
  size_t length = std::min(front.size(), text.size());
  return text.find('\n') == std::string::npos && text.compare(0, length, front, 0, length) == 0;
}

bool stated_position(const std::string& line, uint64_t* sequence, std::string* hash) {
  Parts parts;
  if (!take_apart(line, &parts)) return false;
  *sequence = parts.sequence;
  *hash = parts.hash;
  return true;
}

}  // namespace ion

/// SHA-256 (FIPS 180-4). ion has its own, because node:crypto slows down a start by 2 ms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ion {

class Sha256 {
 public:
  void update(const void* data, size_t length);
  void update(const std::string& text) { update(text.data(), text.size()); }
  /// The digest in lower-case hexadecimal, 64 characters. The object is used up.
  std::string hex();

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  size_t pending_length_ = 0;
  uint64_t total_ = 0;
};

}  // namespace ion

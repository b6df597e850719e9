// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softfeb::febctl {

using Bytes = std::vector<std::uint8_t>;

/// A piece of the register space: address and size are multiples of 4, size 4…4096 bytes.
struct Range {
  std::uint32_t address = 0;
  std::uint32_t bytes = 4;

  bool operator==(const Range&) const = default;
};

/// What a pipelined read gave for one range.
struct ReadResult {
  Bytes bytes;        ///< as they lie in memory: little-endian words
  std::string error;  ///< why the board refused; empty: it did not
};

/// The register space of a board. Calls block. A board that does not answer ends in NoAnswer, a refused
/// access in Refusal.
class RegisterPort {
 public:
  virtual ~RegisterPort() = default;

  virtual Bytes read(Range range) = 0;
  /// All in flight at once as far as the link lets them; a refused one does not stop the others.
  virtual std::vector<ReadResult> read_many(std::span<const Range> ranges) = 0;
  virtual void write(std::uint32_t address, ByteSpan data) = 0;
  /// Not answered: returns when it is on its way.
  virtual void post(std::uint32_t address, ByteSpan data) = 0;

  std::uint32_t read_word(std::uint32_t address) { return load_le32(read({address, 4}).data()); }
  void write_word(std::uint32_t address, std::uint32_t value) {
    std::uint8_t bytes[4];
    store_le32(bytes, value);
    write(address, bytes);
  }
};

}  // namespace softfeb::febctl

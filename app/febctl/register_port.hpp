// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softfeb::febctl {

using Bytes = std::vector<std::uint8_t>;

/// A range of the register space. Address and size are multiples of 4; the size is 4 to 4096 bytes.
struct Range {
  std::uint32_t address = 0;
  std::uint32_t bytes = 4;

  bool operator==(const Range&) const = default;
};

/// Result of a pipelined read of one range.
struct ReadResult {
  Bytes bytes;        ///< little-endian words as in memory
  std::string error;  ///< reason why the board refused the read; empty if it succeeded
};

/// Blocking access to a board's register space. Throws NoAnswer if there is no response, and Refusal if the
/// board refuses an access.
class RegisterPort {
 public:
  virtual ~RegisterPort() = default;

  virtual Bytes read(Range range) = 0;
  /// Keeps as many reads in flight as the link allows. If the board refuses a read, the others are still
  /// performed.
  virtual std::vector<ReadResult> read_many(std::span<const Range> ranges) = 0;
  virtual void write(std::uint32_t address, ByteSpan data) = 0;
  /// Sends a posted write, to which there is no response.
  virtual void post(std::uint32_t address, ByteSpan data) = 0;

  std::uint32_t read_word(std::uint32_t address) { return load_le32(read({address, 4}).data()); }
  void write_word(std::uint32_t address, std::uint32_t value) {
    std::uint8_t bytes[4];
    store_le32(bytes, value);
    write(address, bytes);
  }
};

}  // namespace softfeb::febctl

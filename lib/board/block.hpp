// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/live_state.hpp"
#include "board/register_file.hpp"

#include <cstdint>

namespace softfeb::board {

/// One word of a write, after its bits that clients may change were stored.
struct WordWrite {
  std::uint32_t offset;  ///< inside the block
  std::uint32_t before;  ///< what was stored
  std::uint32_t now;     ///< what is stored
  std::uint32_t strobe;  ///< bits of write-only registers and commands

  bool rose(unsigned bit) const { return ((now & ~before) >> bit & 1) != 0; }
};

/// An access: what others show at its moment, and what it asks of them.
struct Access {
  const LiveState& live;
  Time now;
  Actions& actions;
};

/// What a block of registers does beyond keeping what is written to it. The register file has masked every
/// access before a block hears of it.
class Block {
 public:
  virtual ~Block() = default;

  /// A read of this block comes: bring its words up to date. Called once for an access, so that what it reads
  /// is of one moment.
  virtual void refresh(BlockWords& /*words*/, const LiveState& /*live*/, Time /*now*/) {}
  /// A word of the access was written.
  virtual void on_write(BlockWords& /*words*/, const WordWrite& /*word*/, Access& /*access*/) {}
  /// All words of the access that lie in this block were written.
  virtual void end_write(BlockWords& /*words*/, Access& /*access*/) {}

  /// Whether LiveState::data is looked at in a read of the block, in a write of the word at `offset`.
  virtual bool reads_data_path() const { return false; }
  virtual bool write_needs_data_path(std::uint32_t /*offset*/) const { return false; }
};

}  // namespace softfeb::board

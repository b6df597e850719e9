// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/live_state.hpp"
#include "board/register_file.hpp"

#include <cstdint>

namespace softfeb::board {

/// One word of a register write. The register file has already stored the word's writable bits.
struct WordWrite {
  std::uint32_t offset;  ///< byte offset in the block
  std::uint32_t before;  ///< stored value before the write
  std::uint32_t now;     ///< stored value after the write
  std::uint32_t strobe;  ///< written bits of write-only registers and commands

  bool rose(unsigned bit) const { return ((now & ~before) >> bit & 1) != 0; }
};

/// Context of a register access: the live state at the time of the access, and the list to which actions are
/// added.
struct Access {
  const LiveState& live;
  Time now;
  Actions& actions;
};

/// Behaviour of a register block, apart from storing the written values. BoardRegisters stores the writable
/// bits of a write before it calls the block.
class Block {
 public:
  virtual ~Block() = default;

  /// Updates the words of this block before they are read. Called once per read, so that all words of the
  /// read are sampled at the same time.
  virtual void refresh(BlockWords& /*words*/, const LiveState& /*live*/, Time /*now*/) {}
  /// Called after each word written.
  virtual void on_write(BlockWords& /*words*/, const WordWrite& /*word*/, Access& /*access*/) {}
  /// Called after the access has written its last word in this block.
  virtual void end_write(BlockWords& /*words*/, Access& /*access*/) {}

  /// reads_data_path() returns true if a read of the block uses LiveState::data. write_needs_data_path()
  /// returns true if a write of the word at `offset` uses it.
  virtual bool reads_data_path() const { return false; }
  virtual bool write_needs_data_path(std::uint32_t /*offset*/) const { return false; }
};

}  // namespace softfeb::board

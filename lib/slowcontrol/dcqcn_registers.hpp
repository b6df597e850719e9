// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "board/profile.hpp"
#include "dcqcn/fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::slowcontrol {

/// The registers of one slot of DCQCN in a board's register space, as parameters.
class DcqcnRegisters {
 public:
  /// Everything that is read at once: parameters, Rc, Rt, alpha, DcqcnBypass.
  static constexpr std::size_t kBytes = 0x28;
  using Words = std::array<std::uint8_t, kBytes>;

  /// Throws std::out_of_range where the profile has no such slot.
  DcqcnRegisters(const board::Profile& profile, std::size_t slot);

  std::uint32_t address() const { return block_->base; }
  /// As PyRogue's tree names it.
  const std::string& path() const { return block_->path; }
  /// What the profile has, and can be read: kBytes, or less without DcqcnBypass.
  std::size_t bytes() const { return bypass_ ? kBytes : kBypassAt; }

  dcqcn::FirmwareParameters decode(const Words& words) const;
  /// Puts the parameters into what was read. Written back are the first kWritten bytes, and, where it has
  /// DcqcnBypass, the word at kBypassAt.
  void encode(const dcqcn::FirmwareParameters& parameters, Words& words) const;
  static constexpr std::size_t kWritten = 0x18, kBypassAt = dcqcn::kBypassOffset;
  bool has_bypass() const { return bypass_; }

 private:
  bool has(const dcqcn::FirmwareField& field) const { return bypass_ || field.bits.offset != kBypassAt; }

  const board::BlockSpec* block_;
  bool bypass_;
};

}  // namespace softfeb::slowcontrol

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "board/profile.hpp"
#include "dcqcn/fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::slowcontrol {

/// Converts between the registers of one DCQCN slot of a board and DCQCN parameters.
class DcqcnRegisters {
 public:
  /// Size of the registers that are read in one access: parameters, Rc, Rt, alpha, DcqcnBypass.
  static constexpr std::size_t kBytes = 0x28;
  using Words = std::array<std::uint8_t, kBytes>;

  /// Throws std::out_of_range if the profile has no such slot.
  DcqcnRegisters(const board::Profile& profile, std::size_t slot);

  std::uint32_t address() const { return block_->base; }
  /// Path of the register block in PyRogue's tree.
  const std::string& path() const { return block_->path; }
  /// Number of readable bytes: kBytes, or less if the profile has no DcqcnBypass.
  std::size_t bytes() const { return bypass_ ? kBytes : kBypassAt; }

  dcqcn::FirmwareParameters decode(const Words& words) const;
  /// Stores `parameters` in `words`, which must contain the registers as read before. The caller must then
  /// write back the first kWritten bytes and, if the profile has DcqcnBypass, the word at kBypassAt.
  void encode(const dcqcn::FirmwareParameters& parameters, Words& words) const;
  static constexpr std::size_t kWritten = 0x18, kBypassAt = dcqcn::kBypassOffset;
  bool has_bypass() const { return bypass_; }

 private:
  bool has(const dcqcn::FirmwareField& field) const { return bypass_ || field.bits.offset != kBypassAt; }

  const board::BlockSpec* block_;
  bool bypass_;
};

}  // namespace softfeb::slowcontrol

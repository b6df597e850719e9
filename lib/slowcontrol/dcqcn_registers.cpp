// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/dcqcn_registers.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::slowcontrol {
namespace {

const board::BlockSpec* find_block(const board::Profile& profile, std::size_t slot) {
  const auto& blocks = profile.blocks();
  const auto it = std::find_if(blocks.begin(), blocks.end(), [slot](const board::BlockSpec& b) {
    return b.type == board::BlockType::kDcqcn && b.index == slot;
  });
  if (it == blocks.end()) throw std::out_of_range("the profile has no DCQCN slot " + std::to_string(slot));
  return &*it;
}

}  // namespace

DcqcnRegisters::DcqcnRegisters(const board::Profile& profile, std::size_t slot)
    : block_(find_block(profile, slot)),
      bypass_(profile.map().find(block_->path + ".DcqcnBypass") != nullptr) {}

dcqcn::FirmwareParameters DcqcnRegisters::decode(const Words& words) const {
  dcqcn::FirmwareParameters p;
  for (const dcqcn::FirmwareField& f : dcqcn::firmware_fields()) {
    if (has(f)) f.set(p, f.bits.get(load_le32(&words[f.bits.offset])));
  }
  return p;
}

void DcqcnRegisters::encode(const dcqcn::FirmwareParameters& p, Words& words) const {
  for (const dcqcn::FirmwareField& f : dcqcn::firmware_fields()) {
    if (!has(f)) continue;
    std::uint8_t* const at = &words[f.bits.offset];
    store_le32(at, f.bits.put(load_le32(at), static_cast<std::uint32_t>(f.get(p))));
  }
}

}  // namespace softfeb::slowcontrol

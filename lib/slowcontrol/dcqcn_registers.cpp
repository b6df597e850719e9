// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/dcqcn_registers.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::slowcontrol {
namespace {

using dcqcn::FirmwareParameters;

struct Field {
  const char* name;
  std::uint32_t (*get)(const FirmwareParameters&);
  void (*set)(FirmwareParameters&, std::uint32_t);
};

template <auto Member>
constexpr Field field(const char* name) {
  return {name, [](const FirmwareParameters& p) { return static_cast<std::uint32_t>(p.*Member); },
          [](FirmwareParameters& p, std::uint32_t v) {
            p.*Member = static_cast<std::remove_reference_t<decltype(p.*Member)>>(v);
          }};
}

using P = FirmwareParameters;
constexpr Field kFields[] = {
    field<&P::alpha_g>("AlphaG"),
    field<&P::dec_gain>("DecGain"),
    field<&P::time_stage_threshold>("TimeStageThreshold"),
    field<&P::clamp_tgt_rate>("ClampTgtRate"),
    field<&P::rai>("Rai"),
    field<&P::rhai>("Rhai"),
    field<&P::rmin>("Rmin"),
    field<&P::rate_inc_interval>("RateIncInterval"),
    field<&P::rate_dec_interval>("RateDecInterval"),
    field<&P::alpha_upd_interval>("AlphaUpdInterval"),
    field<&P::dcqcn_bypass>("DcqcnBypass"),
};

const board::BlockSpec* find_block(const board::Profile& profile, std::size_t slot) {
  const auto& blocks = profile.blocks();
  const auto it = std::find_if(blocks.begin(), blocks.end(), [slot](const board::BlockSpec& b) {
    return b.type == board::BlockType::kDcqcn && b.index == slot;
  });
  if (it == blocks.end()) throw std::out_of_range("the profile has no DCQCN slot " + std::to_string(slot));
  return &*it;
}

const board::Register* find(const board::Profile& profile, const board::BlockSpec& block, const char* name) {
  return profile.map().find(block.path + '.' + name);
}

std::uint32_t mask_of(const board::Register& r) {
  return r.bit_size >= 32 ? UINT32_MAX : (std::uint32_t{1} << r.bit_size) - 1;
}

}  // namespace

DcqcnRegisters::DcqcnRegisters(const board::Profile& profile, std::size_t slot)
    : profile_(&profile),
      block_(find_block(profile, slot)),
      bypass_(find(profile, *block_, "DcqcnBypass") != nullptr) {}

FirmwareParameters DcqcnRegisters::decode(const Words& words) const {
  FirmwareParameters p;
  for (const Field& f : kFields) {
    const board::Register* const r = find(*profile_, *block_, f.name);
    if (r == nullptr) continue;
    const std::uint32_t word = load_le32(&words[r->address - block_->base]);
    f.set(p, word >> r->bit_offset & mask_of(*r));
  }
  return p;
}

void DcqcnRegisters::encode(const FirmwareParameters& p, Words& words) const {
  for (const Field& f : kFields) {
    const board::Register* const r = find(*profile_, *block_, f.name);
    if (r == nullptr) continue;
    std::uint8_t* const at = &words[r->address - block_->base];
    const std::uint32_t mask = mask_of(*r) << r->bit_offset;
    store_le32(at, (load_le32(at) & ~mask) | (f.get(p) << r->bit_offset & mask));
  }
}

}  // namespace softfeb::slowcontrol

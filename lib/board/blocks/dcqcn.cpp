// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"
#include "dcqcn/fields.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace softfeb::board {
namespace dcqcn_block {
namespace {

// Offsets of the registers that are not parameters. dcqcn/fields.hpp defines the registers of the parameters.
constexpr std::uint32_t kRc = 0x018, kRt = 0x01c, kAlpha = 0x020;
constexpr unsigned kCounterResetBit = 10, kCounterBit = 11;

constexpr EnumText kOnOff[] = {{0, "Disabled"}, {1, "Enabled"}};

constexpr RegisterSpec kState[] = {
    ro("Rc", kRc, 32).as(NumberFormat::kSigned).polled(1).resets_to(1'250'000'000),
    ro("Rt", kRt, 32).as(NumberFormat::kSigned).polled(1).resets_to(1'250'000'000),
    ro("Alpha", kAlpha, 10).polled(1).resets_to(1023),
    rw("CnpCounterReset", kAlpha, 1).bit(kCounterResetBit).polled(1),
    ro("CnpCounter", kAlpha, 16).bit(kCounterBit).as(NumberFormat::kSigned).polled(1),
};
constexpr RegisterSpec kBypassRegisters[] = {rw("DcqcnBypass", dcqcn::kBypassOffset, 1)};

RegisterSpec register_of(const dcqcn::FirmwareField& field) {
  const dcqcn::RegisterBits& bits = field.bits;
  RegisterSpec spec = rw(bits.name, bits.offset, bits.count)
                          .bit(bits.first)
                          .resets_to(field.get(dcqcn::FirmwareParameters{}));
  if (field.unit == dcqcn::Unit::kRate) spec.format = NumberFormat::kSigned;
  if (field.unit == dcqcn::Unit::kSwitch) spec.texts = kOnOff;
  return spec;
}

/// The registers common to all profiles, in address order.
std::vector<RegisterSpec> make_registers() {
  std::vector<RegisterSpec> all;
  for (const dcqcn::FirmwareField& field : dcqcn::firmware_fields()) {
    if (field.bits.offset != dcqcn::kBypassOffset) all.push_back(register_of(field));
  }
  std::sort(all.begin(), all.end(), [](const RegisterSpec& a, const RegisterSpec& b) {
    return std::pair(a.offset, a.bit_offset) < std::pair(b.offset, b.bit_offset);
  });
  all.insert(all.end(), std::begin(kState), std::end(kState));
  return all;
}

/// Calls `visit` for every parameter that has a register.
template <class Visit>
void for_each_field(bool bypass, Visit visit) {
  for (const dcqcn::FirmwareField& field : dcqcn::firmware_fields()) {
    if (bypass || field.bits.offset != dcqcn::kBypassOffset) visit(field);
  }
}

void store(BlockWords& words, const dcqcn::FirmwareParameters& p, bool bypass) {
  for_each_field(bypass, [&](const dcqcn::FirmwareField& f) {
    words.set(f.bits.offset, f.bits.first, f.bits.count, static_cast<std::uint32_t>(f.get(p)));
  });
}

bool holds_parameters(std::uint32_t offset) {
  const auto fields = dcqcn::firmware_fields();
  return std::any_of(fields.begin(), fields.end(),
                     [offset](const dcqcn::FirmwareField& f) { return f.bits.offset == offset; });
}

constexpr std::uint16_t word_bit(std::uint32_t offset) {
  return static_cast<std::uint16_t>(1U << offset / 4);
}

/// Limits a rate in bytes per second to the width of the register, 32 bits. Rates above 34 Gb/s need more
/// bits.
std::uint32_t shown(std::uint64_t rate) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rate, UINT32_MAX));
}

class Dcqcn final : public Block {
 public:
  Dcqcn(std::size_t qp, const dcqcn::FirmwareParameters& start, std::uint64_t line_rate, bool bypass)
      : qp_(qp), last_(start), line_rate_(line_rate), bypass_(bypass) {}

  void refresh(BlockWords& words, const LiveState& live, Time /*now*/) override {
    const auto at = std::find_if(live.data.qps.begin(), live.data.qps.end(),
                                 [this](const QpLive& q) { return q.qp == qp_; });
    // Without a report from the data path, show the line rate as Rc and Rt, and the reset values of alpha and
    // the CNP counter.
    const bool told = at != live.data.qps.end() && (at->exists || at->rc != 0);
    words.set(kRc, shown(told ? at->rc : line_rate_));
    words.set(kRt, shown(told ? at->rt : line_rate_));
    words.set(kAlpha, 0, 10, told ? std::min<std::uint32_t>(at->alpha, 1023) : 1023);
    words.set(kAlpha, kCounterBit, 16, told ? at->cnp_counter : 0);
    if (!told || !at->parameters) return;
    last_ = at->parameters->cut_to_width();
    store(words, last_, bypass_);
  }

  void on_write(BlockWords& /*words*/, const WordWrite& word, Access& access) override {
    if (word.offset == kAlpha) {
      const bool level = (word.now >> kCounterResetBit & 1) != 0;
      access.actions.data_path.emplace_back(SetCnpCounterReset{.qp = qp_, .level = level});
    } else if (holds_parameters(word.offset)) {
      written_ |= word_bit(word.offset);
    }
  }

  void end_write(BlockWords& words, Access& access) override {
    if (written_ == 0) return;
    access.actions.data_path.emplace_back(
        SetDcqcn{.qp = qp_, .parameters = as_written(words), .words = std::exchange(written_, 0)});
  }

  bool reads_data_path() const override { return true; }

 private:
  dcqcn::FirmwareParameters as_written(const BlockWords& words) const {
    dcqcn::FirmwareParameters p = last_;
    for_each_field(bypass_, [&](const dcqcn::FirmwareField& f) {
      f.set(p, words.get(f.bits.offset, f.bits.first, f.bits.count));
    });
    return p;
  }

  std::size_t qp_;
  /// Parameters last reported by the data path. SetDcqcn also contains parameters that have no register;
  /// their values are copied from this member.
  dcqcn::FirmwareParameters last_;
  std::uint64_t line_rate_;
  bool bypass_;                ///< the profile has DcqcnBypass
  std::uint16_t written_ = 0;  ///< bit mask of the words written in this access
};

}  // namespace
}  // namespace dcqcn_block

dcqcn::FirmwareParameters SetDcqcn::applied_to(const dcqcn::FirmwareParameters& now) const {
  using namespace dcqcn_block;
  dcqcn::FirmwareParameters p = now;
  for (const dcqcn::FirmwareField& f : dcqcn::firmware_fields()) {
    if ((words & word_bit(f.bits.offset)) != 0) f.set(p, f.get(parameters));
  }
  return p;
}

tables::Table tables::dcqcn() {
  using namespace dcqcn_block;
  static const std::vector<RegisterSpec> registers = make_registers();
  return registers;
}
tables::Table tables::dcqcn_bypass() {
  using namespace dcqcn_block;
  return kBypassRegisters;
}

std::unique_ptr<Block> blocks::dcqcn(BlockWords words, const Config& config, std::size_t slot, bool bypass) {
  using namespace dcqcn_block;
  const dcqcn::FirmwareParameters start =
      slot < config.dcqcn.size() ? config.dcqcn[slot].cut_to_width() : dcqcn::FirmwareParameters{};
  store(words, start, bypass);
  return std::make_unique<Dcqcn>(config.dcqcn_qps[slot], start, config.line_rate, bypass);
}

}  // namespace softfeb::board

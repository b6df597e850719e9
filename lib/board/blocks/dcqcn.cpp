// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::board {
namespace {

constexpr std::uint32_t kGains = 0x000, kRai = 0x004, kRhai = 0x008, kRmin = 0x00c, kRateIncInterval = 0x010,
                        kIntervals = 0x014, kRc = 0x018, kRt = 0x01c, kAlpha = 0x020, kBypass = 0x024;
constexpr unsigned kDecGainBit = 10, kThresholdBit = 14, kClampBit = 22, kAlphaUpdBit = 16,
                   kCounterResetBit = 10, kCounterBit = 11;

constexpr EnumText kOnOff[] = {{0, "Disabled"}, {1, "Enabled"}};
constexpr dcqcn::FirmwareParameters kReset{};

constexpr RegisterSpec kRegisters[] = {
    rw("AlphaG", kGains, 10).resets_to(kReset.alpha_g),
    rw("DecGain", kGains, 4).bit(kDecGainBit).resets_to(kReset.dec_gain),
    rw("TimeStageThreshold", kGains, 8).bit(kThresholdBit).resets_to(kReset.time_stage_threshold),
    rw("ClampTgtRate", kGains, 1).bit(kClampBit).named(kOnOff).resets_to(kReset.clamp_tgt_rate ? 1 : 0),
    rw("Rai", kRai, 32).as(NumberFormat::kSigned).resets_to(kReset.rai),
    rw("Rhai", kRhai, 32).as(NumberFormat::kSigned).resets_to(kReset.rhai),
    rw("Rmin", kRmin, 32).as(NumberFormat::kSigned).resets_to(kReset.rmin),
    rw("RateIncInterval", kRateIncInterval, 32).resets_to(kReset.rate_inc_interval),
    rw("RateDecInterval", kIntervals, 16).resets_to(kReset.rate_dec_interval),
    rw("AlphaUpdInterval", kIntervals, 16).bit(kAlphaUpdBit).resets_to(kReset.alpha_upd_interval),
    ro("Rc", kRc, 32).as(NumberFormat::kSigned).polled(1).resets_to(1'250'000'000),
    ro("Rt", kRt, 32).as(NumberFormat::kSigned).polled(1).resets_to(1'250'000'000),
    ro("Alpha", kAlpha, 10).polled(1).resets_to(1023),
    rw("CnpCounterReset", kAlpha, 1).bit(kCounterResetBit).polled(1),
    ro("CnpCounter", kAlpha, 16).bit(kCounterBit).as(NumberFormat::kSigned).polled(1),
};
constexpr RegisterSpec kBypassRegisters[] = {rw("DcqcnBypass", kBypass, 1)};

void store(BlockWords& words, const dcqcn::FirmwareParameters& p, bool bypass) {
  words.set(kGains, 0, 10, p.alpha_g);
  words.set(kGains, kDecGainBit, 4, p.dec_gain);
  words.set(kGains, kThresholdBit, 8, p.time_stage_threshold);
  words.set(kGains, kClampBit, 1, p.clamp_tgt_rate ? 1 : 0);
  words.set(kRai, p.rai);
  words.set(kRhai, p.rhai);
  words.set(kRmin, p.rmin);
  words.set(kRateIncInterval, p.rate_inc_interval);
  words.set(kIntervals, 0, 16, p.rate_dec_interval);
  words.set(kIntervals, kAlphaUpdBit, 16, p.alpha_upd_interval);
  if (bypass) words.set(kBypass, 0, 1, p.dcqcn_bypass ? 1 : 0);
}

constexpr std::uint16_t word_bit(std::uint32_t offset) {
  return static_cast<std::uint16_t>(1U << offset / 4);
}

/// Saturates at 32 bits, the width of the register; links faster than 34 Gb/s exceed it.
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
    // Without a report from the data path, show the reset values.
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
    } else if (word.offset <= kIntervals || word.offset == kBypass) {
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
    p.alpha_g = static_cast<std::uint16_t>(words.get(kGains, 0, 10));
    p.dec_gain = static_cast<std::uint8_t>(words.get(kGains, kDecGainBit, 4));
    p.time_stage_threshold = static_cast<std::uint8_t>(words.get(kGains, kThresholdBit, 8));
    p.clamp_tgt_rate = words.get(kGains, kClampBit, 1) != 0;
    p.rai = words.get(kRai);
    p.rhai = words.get(kRhai);
    p.rmin = words.get(kRmin);
    p.rate_inc_interval = words.get(kRateIncInterval);
    p.rate_dec_interval = static_cast<std::uint16_t>(words.get(kIntervals, 0, 16));
    p.alpha_upd_interval = static_cast<std::uint16_t>(words.get(kIntervals, kAlphaUpdBit, 16));
    if (bypass_) p.dcqcn_bypass = words.get(kBypass, 0, 1) != 0;
    return p;
  }

  std::size_t qp_;
  /// Last reported parameters; also the source of those without a register.
  dcqcn::FirmwareParameters last_;
  std::uint64_t line_rate_;
  bool bypass_;                ///< the profile has DcqcnBypass
  std::uint16_t written_ = 0;  ///< bit mask of the words written in this access
};

}  // namespace

dcqcn::FirmwareParameters SetDcqcn::applied_to(const dcqcn::FirmwareParameters& now) const {
  dcqcn::FirmwareParameters p = now;
  const auto written = [this](std::uint32_t offset) { return (words & word_bit(offset)) != 0; };
  if (written(kGains)) {
    p.alpha_g = parameters.alpha_g;
    p.dec_gain = parameters.dec_gain;
    p.time_stage_threshold = parameters.time_stage_threshold;
    p.clamp_tgt_rate = parameters.clamp_tgt_rate;
  }
  if (written(kRai)) p.rai = parameters.rai;
  if (written(kRhai)) p.rhai = parameters.rhai;
  if (written(kRmin)) p.rmin = parameters.rmin;
  if (written(kRateIncInterval)) p.rate_inc_interval = parameters.rate_inc_interval;
  if (written(kIntervals)) {
    p.rate_dec_interval = parameters.rate_dec_interval;
    p.alpha_upd_interval = parameters.alpha_upd_interval;
  }
  if (written(kBypass)) p.dcqcn_bypass = parameters.dcqcn_bypass;
  return p;
}

tables::Table tables::dcqcn() { return kRegisters; }
tables::Table tables::dcqcn_bypass() { return kBypassRegisters; }

std::unique_ptr<Block> blocks::dcqcn(BlockWords words, const Config& config, std::size_t slot, bool bypass) {
  const dcqcn::FirmwareParameters start =
      slot < config.dcqcn.size() ? config.dcqcn[slot].cut_to_width() : dcqcn::FirmwareParameters{};
  store(words, start, bypass);
  return std::make_unique<Dcqcn>(config.dcqcn_qps[slot], start, config.line_rate, bypass);
}

}  // namespace softfeb::board

// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

#include <algorithm>

namespace softfeb::board {
namespace ten_gig_eth_reg_block {
namespace {

constexpr unsigned kCounters = 19;
constexpr std::uint32_t kStatus = 0x100, kPhyStatus = 0x108, kMacAddress = 0x200, kRollOverEn = 0xf00,
                        kCounterReset = 0xff4, kHardReset = 0xffc;

constexpr RegisterSpec counter(const char* name, unsigned i) { return ro(name, i * 4, 32).polled(1); }
constexpr RegisterSpec status(const char* name, unsigned i) { return ro(name, kStatus, 1).bit(i).polled(1); }

constexpr RegisterSpec kRegisters[] = {
    counter("phyReadyCnt", 0),
    counter("rxPauseCnt", 1),
    counter("txPauseCnt", 2),
    counter("rxFrameCnt", 3),
    counter("rxOverFlowCnt", 4),
    counter("rxCrcErrorCnt", 5),
    counter("txFrameCnt", 6),
    counter("txUnderRunCnt", 7),
    counter("txNotReadyCnt", 8),
    counter("txDisableCnt", 9),
    counter("sigDetCnt", 10),
    counter("txFaultCnt", 11),
    counter("gtTxRstCnt", 12),
    counter("gtRxRstCnt", 13),
    counter("rstCntDoneCnt", 14),
    counter("qplllockCnt", 15),
    counter("txRstdoneCnt", 16),
    counter("rxRstdoneCnt", 17),
    counter("txUsrRdyCnt", 18),
    status("phyReady", 0),
    status("rxPause", 1),
    status("txPause", 2),
    status("rxFrame", 3),
    status("rxOverFlow", 4),
    status("rxCrcError", 5),
    status("txFrame", 6),
    status("txUnderRun", 7),
    status("txNotReady", 8),
    status("txDisable", 9),
    status("sigDet", 10),
    status("txFault", 11),
    status("gtTxRst", 12),
    status("gtRxRst", 13),
    status("rstCntDone", 14),
    status("qplllock", 15),
    status("txRstdone", 16),
    status("rxRstdone", 17),
    status("txUsrRdy", 18),
    ro("PhyStatus", kPhyStatus, 8).polled(1),
    ro("MacAddress", kMacAddress, 48),
    ro("PauseTime", 0x21c, 16).resets_to(0xff),
    ro("FilterEnable", 0x228, 1).resets_to(1),
    ro("PauseEnable", 0x22c, 1).resets_to(1),
    ro("PauseFifoThreshold", 0x800, 16).resets_to(9000 / 16),
    rw("RollOverEn", kRollOverEn, kCounters),
    command("CounterReset", kCounterReset),
    command("SoftReset", 0xff8),
    command("HardReset", kHardReset),
};

using Totals = std::array<std::uint64_t, kCounters>;

/// Event counts since program start. The counter of a status line counts its rising edges; it is 1 for a line
/// that has been high since the start.
Totals totals(const LiveState& live) {
  const PortState& p = live.port;
  const std::uint64_t up = p.link_ups;
  return {up,
          p.rx_pause + live.data.rx_pause,
          p.tx_pause,
          p.rx_frames,
          p.rx_overflow,
          p.rx_crc_errors,
          p.tx_frames,
          p.tx_underruns,
          p.tx_not_ready,
          0,
          up,
          0,
          1,
          1,
          1,
          1,
          1,
          1,
          1};
}

/// Current levels of the status lines. Lines that signal frames and errors read as 0, because their pulses
/// are too short to be visible to a read.
std::uint32_t lines(const PortState& p) {
  constexpr std::uint32_t kAlways = 0b111'1100'0000'0000'0000;  // bits rstCntDone … txUsrRdy
  return kAlways | (p.link_up ? 1U << 10 | 1U : 0U);
}

class TenGigEthReg final : public Block {
 public:
  bool reads_data_path() const override { return true; }
  bool write_needs_data_path(std::uint32_t offset) const override {
    return offset == kHardReset || offset == kCounterReset;
  }

  void refresh(BlockWords& words, const LiveState& live, Time /*now*/) override {
    const Totals all = totals(live);
    const std::uint32_t roll_over = words.get(kRollOverEn, 0, kCounters);
    for (unsigned i = 0; i < kCounters; ++i) {
      // When the port is restarted, its counters start again at 0, and the baseline no longer applies.
      if (all[i] < baseline_[i]) baseline_[i] = 0;
      const std::uint64_t n = all[i] - baseline_[i];
      const bool rolls = (roll_over >> i & 1) != 0;
      words.set(i * 4, static_cast<std::uint32_t>(rolls ? n : std::min<std::uint64_t>(n, UINT32_MAX)));
    }
    words.set(kStatus, 0, kCounters, lines(live.port));
    words.set(kPhyStatus, 0, 8, live.port.link_up ? 1 : 0);
  }

  void on_write(BlockWords& words, const WordWrite& word, Access& access) override {
    const bool hard = word.offset == kHardReset && (word.strobe & 1) != 0;
    if (hard) words.set(kRollOverEn, 0, kCounters, 0);
    if (hard || (word.offset == kCounterReset && (word.strobe & 1) != 0)) baseline_ = totals(access.live);
  }

 private:
  Totals baseline_{};
};

}  // namespace
}  // namespace ten_gig_eth_reg_block

tables::Table tables::ten_gig_eth_reg() {
  using namespace ten_gig_eth_reg_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::ten_gig_eth_reg(BlockWords words, const Config& config) {
  using namespace ten_gig_eth_reg_block;
  words.set_bytes(kMacAddress, config.mac);
  return std::make_unique<TenGigEthReg>();
}

}  // namespace softfeb::board

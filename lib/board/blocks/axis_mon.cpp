// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"
#include "board/stream_monitor.hpp"

namespace softfeb::board {
namespace axis_mon_block {
namespace {

constexpr std::uint32_t kConfig = 0x00, kStep = 0x40;
constexpr std::uint32_t kFrameCnt = 0x04, kFrameRate = 0x0c, kBandwidth = 0x18, kFrameSize = 0x30;

constexpr EnumText kBool[] = {{0, "False"}, {1, "True"}};
constexpr EnumText kUserModes[] = {{0, "TUSER_NORMAL_C"},
                                   {1, "TUSER_FIRST_LAST_C"},
                                   {2, "TUSER_LAST_C"},
                                   {3, "TUSER_NONE_C"},
                                   {15, "UNDEFINED"}};
constexpr EnumText kKeepModes[] = {{0, "TKEEP_NORMAL_C"},
                                   {1, "TKEEP_COMP_C"},
                                   {2, "TKEEP_FIXED_C"},
                                   {3, "TKEEP_COUNT_C"},
                                   {15, "UNDEFINED"}};

constexpr RegisterSpec rate(const char* name, std::uint32_t offset) {
  return ro(name, offset, 32).as(NumberFormat::kSigned).polled(1);
}
constexpr RegisterSpec wide(const char* name, std::uint32_t offset) { return ro(name, offset, 64).polled(1); }

// The reset values describe the monitored stream: the 64-bit stream of the RSSI links.
constexpr RegisterSpec kRegisters[] = {
    ro("COMMON_CLK_G", kConfig, 1).as(NumberFormat::kBool).named(kBool).resets_to(1),
    command("CntRst", kConfig),
    ro("AXIS_CONFIG_G_TSTRB_EN_C", kConfig, 1).bit(1).as(NumberFormat::kBool).named(kBool),
    ro("AXIS_CONFIG_G_TUSER_MODE_C", kConfig, 4).bit(4).named(kUserModes).resets_to(1),
    ro("AXIS_CONFIG_G_TKEEP_MODE_C", kConfig, 4).bit(8).named(kKeepModes).resets_to(1),
    ro("AXIS_CONFIG_G_TID_BITS_C", kConfig, 4).bit(12),
    ro("AXIS_CONFIG_G_TUSER_BITS_C", kConfig, 4).bit(16).resets_to(2),
    ro("AXIS_CONFIG_G_TDEST_BITS_C", kConfig, 4).bit(20),
    ro("AXIS_CONFIG_G_TDATA_BYTES_C", kConfig, 8).bit(24).resets_to(8),
    wide("Ch[0].FrameCnt", kFrameCnt),
    rate("Ch[0].FrameRate", kFrameRate),
    rate("Ch[0].FrameRateMax", kFrameRate + 4),
    rate("Ch[0].FrameRateMin", kFrameRate + 8),
    wide("Ch[0].RawBandwidth", kBandwidth),
    wide("Ch[0].RawBandwidthMax", kBandwidth + 8),
    wide("Ch[0].RawBandwidthMin", kBandwidth + 16),
    rate("Ch[0].FrameSize", kFrameSize),
    rate("Ch[0].FrameSizeMax", kFrameSize + 4),
    rate("Ch[0].FrameSizeMin", kFrameSize + 8),
    wide("Ch[1].FrameCnt", kStep + kFrameCnt),
    rate("Ch[1].FrameRate", kStep + kFrameRate),
    rate("Ch[1].FrameRateMax", kStep + kFrameRate + 4),
    rate("Ch[1].FrameRateMin", kStep + kFrameRate + 8),
    wide("Ch[1].RawBandwidth", kStep + kBandwidth),
    wide("Ch[1].RawBandwidthMax", kStep + kBandwidth + 8),
    wide("Ch[1].RawBandwidthMin", kStep + kBandwidth + 16),
    rate("Ch[1].FrameSize", kStep + kFrameSize),
    rate("Ch[1].FrameSizeMax", kStep + kFrameSize + 4),
    rate("Ch[1].FrameSizeMin", kStep + kFrameSize + 8),
};

void set_words(BlockWords& words, std::uint32_t offset, const StreamMonitor::Range& r) {
  words.set(offset, static_cast<std::uint32_t>(r.now));
  words.set(offset + 4, static_cast<std::uint32_t>(r.max));
  words.set(offset + 8, static_cast<std::uint32_t>(r.min));
}

void set_channel(BlockWords& words, std::uint32_t base, const StreamMonitor::Values& v) {
  words.set64(base + kFrameCnt, v.frames);
  set_words(words, base + kFrameRate, v.frame_rate);
  words.set64(base + kBandwidth, v.bandwidth.now);
  words.set64(base + kBandwidth + 8, v.bandwidth.max);
  words.set64(base + kBandwidth + 16, v.bandwidth.min);
  set_words(words, base + kFrameSize, v.frame_size);
}

class AxisMon final : public Block {
 public:
  AxisMon(StreamMonitor& to_client, StreamMonitor& from_client) : channels_{&to_client, &from_client} {}

  void refresh(BlockWords& words, const LiveState& /*live*/, Time now) override {
    for (std::uint32_t i = 0; i < channels_.size(); ++i)
      set_channel(words, i * kStep, channels_[i]->values(now));
  }

  /// Clears the counters on any write to the word kConfig, regardless of the value, as the firmware does.
  void on_write(BlockWords& /*words*/, const WordWrite& word, Access& access) override {
    if (word.offset != kConfig) return;
    for (StreamMonitor* channel : channels_) channel->reset(access.now);
  }

 private:
  std::array<StreamMonitor*, 2> channels_;
};

}  // namespace
}  // namespace axis_mon_block

tables::Table tables::axis_mon() {
  using namespace axis_mon_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::axis_mon(StreamMonitor& to_client, StreamMonitor& from_client) {
  using namespace axis_mon_block;
  return std::make_unique<AxisMon>(to_client, from_client);
}

}  // namespace softfeb::board

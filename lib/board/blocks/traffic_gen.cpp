// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

#include <algorithm>

namespace softfeb::board {
namespace traffic_gen_block {
namespace {

constexpr std::uint32_t kControl = 0x00, kSize = 0x04, kCount = 0x08, kGap = 0x0c, kPort = 0x10,
                        kStreams = 0x14, kIp = 0x18, kMode = 0x1c, kSent = 0x20, kBusy = 0x24;

constexpr EnumText kBool[] = {{0, "False"}, {1, "True"}};
constexpr EnumText kModes[] = {{0, "Write"}, {1, "Udp"}};

constexpr RegisterSpec kRegisters[] = {
    rw("Start", kControl, 1),
    rw("Stop", kControl, 1).bit(1),
    rw("PacketSize", kSize, 14).resets_to(TrafficGenSettings{}.packet_size),
    rw("PacketCount", kCount, 32),
    rw("Gap", kGap, 32),
    rw("DestPort", kPort, 16).resets_to(TrafficGenSettings{}.dest_port),
    rw("Streams", kStreams, 16).resets_to(TrafficGenSettings{}.streams),
    rw("DestIp", kIp, 32),
    rw("Mode", kMode, 1).named(kModes),
    ro("Sent", kSent, 32).polled(1),
    ro("Busy", kBusy, 1).polled(1).as(NumberFormat::kBool).named(kBool),
};

TrafficGenSettings as_written(const BlockWords& words) {
  TrafficGenSettings s;
  s.packet_size = words.get(kSize);
  s.packet_count = words.get(kCount);
  s.gap = words.get(kGap);
  s.dest_port = static_cast<std::uint16_t>(words.get(kPort));
  s.streams = static_cast<std::uint16_t>(words.get(kStreams));
  s.dest_ip = words.get(kIp);
  s.mode = static_cast<TrafficGenSettings::Mode>(words.get(kMode));
  return s;
}

class TrafficGen final : public Block {
 public:
  void refresh(BlockWords& words, const LiveState& live, Time /*now*/) override {
    words.set(kSent, live.data.traffic_gen.sent);
    words.set(kBusy, live.data.traffic_gen.busy ? 1 : 0);
  }

  void on_write(BlockWords& words, const WordWrite& word, Access& /*access*/) override {
    written_ = true;
    if (word.offset == kControl) {
      start_ = start_ || word.rose(0);
      stop_ = stop_ || word.rose(1);
    }
    if (word.offset == kSize) words.set(kSize, std::clamp(word.now, 1U, TrafficGenSettings::kLongest));
  }

  /// Reports the registers to the data path at the end of a write, so that rising edges of Start and Stop
  /// take effect after the other words of the same write.
  void end_write(BlockWords& words, Access& access) override {
    if (written_) access.actions.data_path.emplace_back(SetTrafficGen{as_written(words), start_, stop_});
    written_ = start_ = stop_ = false;
  }

  bool reads_data_path() const override { return true; }

 private:
  bool written_ = false;
  bool start_ = false;
  bool stop_ = false;
};

}  // namespace
}  // namespace traffic_gen_block

tables::Table tables::traffic_gen() {
  using namespace traffic_gen_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::traffic_gen(BlockWords words, const TrafficGenSettings& settings) {
  using namespace traffic_gen_block;
  words.set(kSize, settings.packet_size);
  words.set(kCount, settings.packet_count);
  words.set(kGap, settings.gap);
  words.set(kPort, settings.dest_port);
  words.set(kStreams, settings.streams);
  words.set(kIp, settings.dest_ip);
  words.set(kMode, static_cast<std::uint32_t>(settings.mode));
  return std::make_unique<TrafficGen>();
}

}  // namespace softfeb::board

// SPDX-License-Identifier: BSD-3-Clause
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

namespace softfeb::board {
namespace udp_engine_block {
namespace {

// Registers with "Raw" in their names contain an address or port in network order: the first byte is at the
// lowest address.
constexpr std::uint32_t kClientPort = 0x000, kClientIp = 0x004, kServerPort = 0x800, kServerIp = 0x804,
                        kServerStep = 8, kLocalIp = 0xff4, kLocalMac = 0xff8, kTrafficClass = 0xffc;
constexpr unsigned kEcnBit = 16, kDscpBit = 18;

constexpr RegisterSpec kRegisters[] = {
    rw("ClientRemotePortRaw[0]", kClientPort, 16),
    rw("ClientRemoteIpRaw[0]", kClientIp, 32),
    ro("ServerRemotePortRaw[0]", kServerPort, 16),
    ro("ServerRemoteIpRaw[0]", kServerIp, 32),
    ro("ServerRemotePortRaw[1]", kServerPort + kServerStep, 16),
    ro("ServerRemoteIpRaw[1]", kServerIp + kServerStep, 32),
    rw("SoftIpRaw", 0xfe4, 32),
    rw("SoftMacRaw", 0xfe8, 48),
    rw("BroadcastIpRaw", 0xff0, 32),
    ro("LocalIpRaw", kLocalIp, 32),
    ro("LocalMacRaw", kLocalMac, 48),
};

constexpr EnumText kEcn[] = {{0, "Not-ECT"}, {1, "ECT(1)"}, {2, "ECT(0)"}, {3, "CE"}};
constexpr RegisterSpec kTrafficClassRegisters[] = {
    rw("EcnFlag", kTrafficClass, 2).bit(kEcnBit).named(kEcn),
    rw("Dscp", kTrafficClass, 6).bit(kDscpBit),
};

ByteSpan v4_bytes(const roce::IpAddress& ip) { return ByteSpan(ip.bytes).last(4); }

void set_port(BlockWords& words, std::uint32_t offset, std::uint16_t port) {
  std::uint8_t bytes[2];
  store_be16(bytes, port);
  words.set_bytes(offset, bytes);
}

class UdpEngine final : public Block {
 public:
  explicit UdpEngine(bool traffic_class) : traffic_class_(traffic_class) {}

  void refresh(BlockWords& words, const LiveState& live, Time /*now*/) override {
    for (std::uint32_t i = 0; i < live.rssi.size(); ++i) {
      set_port(words, kServerPort + i * kServerStep, live.rssi[i].peer_port);
      words.set_bytes(kServerIp + i * kServerStep, v4_bytes(live.rssi[i].peer_ip));
    }
  }

  void on_write(BlockWords& words, const WordWrite& word, Access& access) override {
    if (word.offset == kClientPort || word.offset == kClientIp) destination_written_ = true;
    if (traffic_class_ && word.offset == kTrafficClass) {
      access.actions.data_path.emplace_back(
          SetTrafficClass{.dscp = static_cast<std::uint8_t>(words.get(kTrafficClass, kDscpBit, 6)),
                          .ecn = static_cast<std::uint8_t>(words.get(kTrafficClass, kEcnBit, 2))});
    }
  }

  void end_write(BlockWords& words, Access& access) override {
    if (!destination_written_) return;
    destination_written_ = false;
    std::uint8_t port[2], ip[4];
    words.get_bytes(kClientPort, port);
    words.get_bytes(kClientIp, ip);
    const roce::IpAddress address =
        load_be32(ip) == 0 ? roce::IpAddress{} : roce::IpAddress::from_v4_wire(ip);
    access.actions.data_path.emplace_back(SetDestination{.ip = address, .udp_port = load_be16(port)});
  }

 private:
  bool traffic_class_;
  bool destination_written_ = false;
};

}  // namespace
}  // namespace udp_engine_block

tables::Table tables::udp_engine() {
  using namespace udp_engine_block;
  return kRegisters;
}
tables::Table tables::udp_engine_traffic_class() {
  using namespace udp_engine_block;
  return kTrafficClassRegisters;
}

std::unique_ptr<Block> blocks::udp_engine(BlockWords words, const Config& config, bool traffic_class) {
  using namespace udp_engine_block;
  set_port(words, kClientPort, config.destination.udp_port);
  words.set_bytes(kClientIp, v4_bytes(config.destination.ip));
  words.set_bytes(kLocalIp, v4_bytes(config.ip));
  words.set_bytes(kLocalMac, config.mac);
  if (traffic_class) {
    words.set(kTrafficClass, kEcnBit, 2, config.ecn);
    words.set(kTrafficClass, kDscpBit, 6, config.dscp);
  }
  return std::make_unique<UdpEngine>(traffic_class);
}

}  // namespace softfeb::board

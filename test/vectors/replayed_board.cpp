// SPDX-License-Identifier: BSD-3-Clause
#include "replayed_board.hpp"

#include "srp/srp.hpp"

#include <algorithm>
#include <vector>

namespace softfeb::test {

namespace srp = srp;

namespace {

constexpr std::uint32_t kGitHash = 0x600;
constexpr std::uint32_t kBuildStamp = 0x800;
constexpr std::uint32_t kLocalIp = 0x110ff4;
constexpr std::uint32_t kLocalMac = 0x110ff8;
constexpr std::uint32_t kMetaDataTx = 0x150f04;
constexpr std::uint32_t kMetaDataRx = 0x150f2c;

/// Returns the data of the first response to a read of `address`, or an empty vector if there is no response.
std::vector<std::uint8_t> data_from(const CapturedConnection& connection, std::uint32_t address) {
  srp::Depacketizer packets(srp::kMaxMessage);
  for (const CapturedSegment& s : connection.segments) {
    const ByteSpan packet = s.parsed().payload;
    if (s.from_client || packet.empty()) continue;
    if (packets.push(packet) != srp::Depacketizer::Result::kFrame) continue;
    const auto response = srp::parse_response(packets.frame());
    if (!response || load_le32(&response->header[8]) != address) continue;
    return {response->data.begin(), response->data.end()};
  }
  return {};
}

/// Returns true if the message is a destroy request for a queue pair. Bits 302:301 contain the type of the
/// object, and bits 300:299 the operation.
bool destroys(ByteSpan meta_data_tx) {
  return meta_data_tx.size() == 40 && (meta_data_tx[37] & 0x78) == 0x48;
}

/// Clears the PD handler (bits 248:217) of a response. The captured board is a model, whose response to a
/// destroy request contains 0 in this field. The RTL returns the handler (wire/fix2026_teardown.txt and
/// others), and softfeb follows the RTL.
void blank_pd_handler(MutableByteSpan meta_data_rx) {
  store_le32(&meta_data_rx[24], load_le32(&meta_data_rx[24]) & 0x01ff'ffff);
  store_le32(&meta_data_rx[28], load_le32(&meta_data_rx[28]) & 0xfe00'0000);
}

srp::BusResult as_bus(const board::AccessResult& r) {
  const bool ok = r.status == board::AccessStatus::kOk;
  return {ok ? srp::BusStatus::kOk : srp::BusStatus::kDecodeError, r.words};
}

}  // namespace

board::BoardRegistersConfig configuration_of(const CapturedConnection& connection) {
  board::BoardRegistersConfig config;
  const auto stamp = data_from(connection, kBuildStamp);
  config.build_stamp.assign(stamp.begin(), std::find(stamp.begin(), stamp.end(), 0));
  const auto hash = data_from(connection, kGitHash);
  if (hash.size() == config.git_hash.size())
    std::reverse_copy(hash.begin(), hash.end(), config.git_hash.begin());
  const auto ip = data_from(connection, kLocalIp);
  if (ip.size() == 4) config.ip = roce::IpAddress::from_v4_wire(ip.data());
  const auto mac = data_from(connection, kLocalMac);
  if (mac.size() == 8) std::copy_n(mac.begin(), config.mac.size(), config.mac.begin());
  return config;
}

ReplayedBoard::ReplayedBoard(const board::BoardRegistersConfig& config) : registers_(config) {
  for (const std::size_t qp : registers_.live_qps()) live_.data.qps.push_back({.qp = qp, .exists = true});
}

void ReplayedBoard::read(std::uint32_t address, MutableByteSpan out, Time now, Done done) {
  const board::AccessResult r = registers_.read(address, out, live_, now);
  if (destroyed_ && address == kMetaDataRx && out.size() == 36) blank_pd_handler(out);
  done(as_bus(r), now);
}

void ReplayedBoard::write(std::uint32_t address, ByteSpan data, Time now, Done done) {
  actions_.clear();
  const board::AccessResult r = registers_.write(address, data, live_, now, actions_);
  if (address == kMetaDataTx) destroyed_ = destroys(data);
  done(as_bus(r), now);
}

}  // namespace softfeb::test

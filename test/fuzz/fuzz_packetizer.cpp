// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: passes arbitrary packets through a depacketizer, with valid CRCs if the input requests this, and
// passes arbitrary bytes as a frame through a packetizer and a depacketizer.
#include "input.hpp"
#include "roce/icrc.hpp"
#include "srp/packetizer.hpp"

#include <algorithm>
#include <vector>

using namespace softfeb;
using namespace softfeb::srp;
using fuzz::Input;
using fuzz::require;
using Result = Depacketizer::Result;

namespace {

constexpr std::size_t kMaxFrame = 3000;

/// Computes the CRC of a frame's next packet as a correct sender would.
class Sealer {
 public:
  void seal(std::vector<std::uint8_t>& packet) {
    if (packet.size() < Packetizer::kMinPacket) return;
    if ((packet[7] & 0x80) != 0) crc_ = 0;
    const std::size_t end = packet.size() - 4;
    const bool payload_only = packet[0] >> 4 == 1;
    const std::size_t from = payload_only ? Packetizer::kHeader : 0;
    const std::size_t to = payload_only ? packet.size() - Packetizer::kTail : end;
    crc_ = roce::crc32(crc_, ByteSpan(packet).subspan(from, to - from));
    store_be32(&packet[end], crc_);
  }

 private:
  std::uint32_t crc_ = 0;
};

/// Reads records. A record consists of a size, a byte that selects how valid the packet is, and the bytes of
/// the packet.
void hear(Input in) {
  Depacketizer depacketizer(kMaxFrame);
  Sealer sealer;
  std::uint64_t dropped = 0;
  while (!in.empty()) {
    const std::size_t size = in.size(2048);
    const std::uint8_t how = in.byte();
    const ByteSpan bytes = in.bytes(size);
    std::vector<std::uint8_t> packet(bytes.begin(), bytes.end());
    if ((how & 1) != 0) packet.resize(packet.size() / 8 * 8);
    if ((how & 2) != 0) sealer.seal(packet);
    if ((how & 4) != 0) depacketizer.reset();
    const Result result = depacketizer.push(packet);
    require(depacketizer.frame().size() <= kMaxFrame);
    require(result != Result::kFrame || !depacketizer.frame().empty());
    require(depacketizer.in_frame() == (result == Result::kPart));
    dropped += result == Result::kDropped ? 1 : 0;
    require(depacketizer.dropped() == dropped);
  }
}

void pass_through(ByteSpan frame, std::size_t room, CrcMode mode) {
  if (frame.empty() || frame.size() > kMaxFrame) return;
  Packetizer packetizer(mode);
  Depacketizer depacketizer(kMaxFrame);
  std::vector<std::uint8_t> out(room);
  for (std::size_t at = 0; at < frame.size();) {
    const std::size_t n = std::min(Packetizer::payload_room(room), frame.size() - at);
    const bool last = at + n == frame.size();
    const std::size_t size = packetizer.write(out, frame.subspan(at, n), last);
    require(size != 0);
    require(depacketizer.push(ByteSpan(out).first(size)) == (last ? Result::kFrame : Result::kPart));
    at += n;
  }
  require(std::equal(frame.begin(), frame.end(), depacketizer.frame().begin(), depacketizer.frame().end()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hear(Input(data, size));
  if (size < 2) return 0;
  const std::size_t room = Packetizer::kMinPacket + data[0] * 4;
  pass_through(ByteSpan(data + 2, size - 2), room, static_cast<CrcMode>(data[1] % 3));
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends responses to the targets of a board. The input is a sequence of five-byte records, one for
// each packet: QP and elapsed time, opcode, syndrome, distance of the response's PSN from the last PSN sent,
// and length.
#include "fuzz_support.hpp"

using namespace softfeb;
using namespace softfeb::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world(2, false);
  Pair& pair = *world.pairs[0];
  for (Input in(data, size); !in.empty();) {
    const std::uint8_t first = in.byte();
    const std::size_t qp = kVictims + first % kTargets;
    const Time pause = kMicrosecond << (first >> 5);
    roce::Bth bth;
    bth.opcode = in.byte();
    bth.dest_qp = kBoardQpn + static_cast<roce::Qpn>(qp);
    const roce::Aeth aeth{in.byte(), 0};
    bth.psn =
        roce::psn_add(pair.last_psn[qp], static_cast<std::uint32_t>(static_cast<std::int8_t>(in.byte())));
    std::vector<std::uint8_t> packet(roce::Bth::kSize + roce::Aeth::kSize);
    bth.encode(packet.data());
    aeth.encode(&packet[roce::Bth::kSize]);
    const std::uint8_t length = in.byte();
    // Change the length rarely, because packets with most other lengths are refused immediately.
    if (length >= 0xf0) packet.resize(length - 0xf0U + 12);
    send(world, pair, pair.board_party, packet);
    world.step(pause);
  }
  finish(world);
  return 0;
}

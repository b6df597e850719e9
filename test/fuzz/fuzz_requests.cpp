// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends requests to the targets of a receiver. The input is a sequence of packets, each of which
// consists of the QP, the difference between its PSN and the expected PSN, its length, the BTH (whose QPN and
// PSN are replaced), other headers, and payload.
#include "fuzz_support.hpp"

using namespace softfeb;
using namespace softfeb::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world(2, false);
  Pair& pair = *world.pairs[0];
  for (Input in(data, size); !in.empty();) {
    const std::size_t qp = kVictims + in.byte() % kTargets;
    const auto off = static_cast<std::int8_t>(in.byte());
    const std::size_t length = std::size_t{in.byte()} * 2 + in.byte() % 2;
    const ByteSpan given = in.bytes(length);
    std::vector<std::uint8_t> packet(std::max(given.size(), roce::Bth::kSize));
    if (!given.empty()) std::memcpy(packet.data(), given.data(), given.size());
    const roce::Psn expected = pair.receiver->qp(qp).responder().expected_psn();
    packet[1] &= 0xf0;  // other tests cover the transport version
    store_be16(&packet[2], roce::kDefaultPkey);
    store_be24(&packet[5], kReceiverQpn + static_cast<roce::Qpn>(qp));
    store_be24(&packet[9], roce::psn_add(expected, static_cast<std::uint32_t>(off)));
    send(world, pair, pair.receiver_party, packet);
    world.step(kMicrosecond);
  }
  finish(world);
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Tests a receiver whose queue pairs are created and destroyed, like those of the boards' metadata buses.
#include "board_builder.hpp"
#include "engine/snapshot.hpp"
#include "frames.hpp"
#include "roce/packet.hpp"
#include "roce/udp_source_port.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::AethKind;
using roce::Operation;
using roce::Transport;

namespace {

constexpr std::uint32_t kPmtu = 256;
/// A response of the receiver.
struct Answer {
  AethKind kind = AethKind::kAck;
  roce::Psn psn = 0;
  roce::Qpn to = 0;
  std::uint16_t udp_port = 0;
  roce::MacAddress to_mac{};
};

/// The sending side, which makes the packets of a board's QP.
struct Sender {
  Identity who = test::identity(1);
  roce::Qpn dest_qpn = 0x11;
  roce::Psn psn = 100;
  std::uint8_t counter = 0;
};

class Rig {
 public:
  /// Creates a receiver with a configured QP 0x800 for peer 1 and three slots, two for peer 1 and one for
  /// peer 2.
  Rig() {
    test::ReceiverBuilder builder(test::identity(100));
    ReceiverConfig& c = builder.config;
    ReceiveQpSetup configured;
    configured.qp.responder.qpn = 0x800;
    configured.reply_path = test::path(c.identity, test::identity(1));
    c.qps.push_back(configured);
    for (const std::uint32_t peer : {1U, 1U, 2U})
      c.slots.push_back({test::path(c.identity, test::identity(peer))});
    receiver = builder.build();
  }

  static SetReceiveQp qp(std::size_t slot, const Sender& s, bool goes_on = true) {
    SetReceiveQp a;
    a.slot = 1 + slot;
    a.responder.qpn = s.dest_qpn;
    a.responder.dest_qpn = 0x123456;
    a.responder.pmtu = kPmtu;
    a.responder.expected_psn = s.psn;
    a.counter_goes_on = goes_on;
    return a;
  }
  SetReceiveRegions region(std::size_t slot, std::uint64_t address, std::uint64_t length) {
    return {1 + slot, {{address, length, test::kRkey, memory.data()}}};
  }

  /// Sends a WRITE with immediate of `length` bytes to `address`. Returns the first response.
  std::optional<Answer> write(Sender& s, std::uint64_t address, std::uint32_t length) {
    std::optional<Answer> answer;
    for (std::uint32_t done = 0; done < length; done += kPmtu) {
      const auto a = packet(s, address, length, done);
      if (!answer) answer = a;
    }
    return answer;
  }

  /// Makes the receiver answer an ARP request of `who`. The receiver then knows the MAC address of `who`.
  void resolve(const Identity& who) {
    Host host(who);
    std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
    TxFrame request{.header = room.data()};
    host.write_request(receiver->identity().ip, request);
    const test::Bytes frame = test::bytes_of(request);
    receiver->receive(roce::parse_frame(ByteSpan(frame)), 0);
    std::array<TxFrame, 1> reply{TxFrame{.header = room.data()}};
    CHECK(receiver->poll(0, reply) == 1);
  }

  std::optional<Answer> packet(Sender& s, std::uint64_t address, std::uint32_t length, std::uint32_t done) {
    const bool first = done == 0;
    const bool last = done + kPmtu >= length;
    const Operation op = first && last ? Operation::kWriteOnlyImm
                         : first       ? Operation::kWriteFirst
                         : last        ? Operation::kWriteLastImm
                                       : Operation::kWriteMiddle;
    roce::RequestPacket r;
    r.opcode = roce::opcode(Transport::kRc, op);
    r.ack_req = last;
    r.psn = s.psn;
    r.reth = {address, test::kRkey, length};
    r.payload_length = std::min(kPmtu, length - done);
    std::vector<std::uint8_t> payload(r.payload_length);
    for (auto& b : payload) b = s.counter++;
    std::array<std::uint8_t, 128> header{};
    std::array<std::uint8_t, 8> trailer{};
    const roce::Crafted c = roce::craft_request(roce::HeaderTemplate(test::path(s.who, receiver->identity())),
                                                r, s.dest_qpn, roce::kDefaultPkey, 0, payload.data(),
                                                std::nullopt, header.data(), trailer.data());
    std::vector<std::uint8_t> frame(header.begin(), header.begin() + c.header_length);
    frame.insert(frame.end(), payload.begin(), payload.end());
    frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
    if (fragmentable) {
      frame[20] = 0;
      store_be16(&frame[24], static_cast<std::uint16_t>(load_be16(&frame[24]) + 0x4000));
    }
    receiver->receive(roce::parse_frame(ByteSpan(frame)), 0);
    s.psn = roce::psn_add(s.psn, 1);
    return hold ? std::nullopt : answer();
  }

  std::optional<Answer> answer() {
    std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
    std::array<TxFrame, 1> out;
    out[0].header = room.data();
    if (receiver->poll(0, out) == 0) return std::nullopt;
    const test::Bytes frame = test::bytes_of(out[0]);
    const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
    const auto p = roce::parse_transport(roce::transport_bytes(f));
    CHECK(roce::icrc_matches(f));
    return Answer{p.aeth.kind(), p.request.bth.psn, p.request.bth.dest_qp, f.source_port, f.dest_mac};
  }

  std::uint64_t messages(std::size_t slot) const { return receiver->responder_counters(1 + slot).messages; }
  std::uint64_t wrong(std::size_t slot) const { return receiver->qp(1 + slot).bytes_wrong(); }

  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(1 << 16, 0xee);
  std::unique_ptr<Receiver> receiver;
  bool fragmentable = false;  ///< whether write() sends packets without DF
  bool hold = false;          ///< whether write() leaves responses in the receiver
};

}  // namespace

TEST_CASE("a slot's queue pair accepts writes into its region, and answers its peer", "[slots]") {
  Rig rig;
  Sender s;
  CHECK(rig.receiver->first_slot() == 1);
  CHECK(rig.receiver->qp_count() == 4);
  CHECK_FALSE(rig.receiver->qp_exists(1));
  CHECK_FALSE(rig.write(s, 0x1000, 1000));
  CHECK(rig.receiver->counters().rx_unknown_qp == 4);

  s.psn = 0xfffffe;
  rig.receiver->apply(Rig::qp(0, s));
  rig.receiver->apply(rig.region(0, 0x1000, 4000));
  CHECK(rig.receiver->qp_exists(1));
  const auto answer = rig.write(s, 0x1000 + 1000, 1000);
  REQUIRE(answer);
  CHECK(answer->kind == AethKind::kAck);
  CHECK(answer->psn == 1);
  CHECK(answer->to == 0x123456);
  CHECK(answer->udp_port == roce::hashed_source_port(0x11, 0x123456));
  CHECK(rig.messages(0) == 1);
  CHECK(rig.memory[1000] == static_cast<std::uint8_t>(1000));
  CHECK(rig.memory[999] == 0xee);
  CHECK(rig.memory[2000] == 0xee);
  // An access outside the region is refused, as on a host.
  const auto refused = rig.write(s, 0x1000 + 3001, 1000);
  REQUIRE(refused);
  CHECK(refused->kind == AethKind::kNakRemoteAccess);
}

TEST_CASE("a resolved MAC address of a peer does not change with a packet", "[slots]") {
  const Identity board = test::identity(1);
  for (const bool resolved : {false, true}) {
    Rig rig;
    Sender s;
    rig.receiver->apply(Rig::qp(0, s));
    rig.receiver->apply(rig.region(0, 0x1000, 4000));
    if (resolved) rig.resolve(board);
    s.who.mac[5] ^= 0x40;
    const auto answer = rig.write(s, 0x1000, 100);
    REQUIRE(answer);
    CHECK(answer->to_mac == (resolved ? board.mac : s.who.mac));
  }
}

TEST_CASE("a request without DF is dropped", "[slots]") {
  Rig rig;
  Sender s;
  rig.receiver->apply(Rig::qp(0, s));
  rig.receiver->apply(rig.region(0, 0x1000, 4000));
  rig.fragmentable = true;
  CHECK_FALSE(rig.write(s, 0x1000, 100));
  CHECK(rig.receiver->counters().rx_bad_transport == 1);
  s.psn = 100;
  rig.fragmentable = false;
  CHECK(rig.write(s, 0x1000, 100));
}

TEST_CASE("the byte counter and the statistics continue over queue pairs", "[slots]") {
  Rig rig;
  Sender s;
  rig.receiver->apply(rig.region(0, 0, 65536));
  for (std::uint32_t life = 0; life < 3; ++life) {
    s.dest_qpn = 0x20 + life;
    s.psn = 1000 * life;
    rig.receiver->apply(Rig::qp(0, s));
    for (int i = 0; i < 5; ++i) REQUIRE(rig.write(s, 0, 1111));
    rig.receiver->apply(RemoveReceiveQp{1});
    rig.receiver->apply(rig.region(0, 0, 65536));
  }
  CHECK(rig.messages(0) == 15);
  CHECK(rig.wrong(0) == 0);
  CHECK(rig.receiver->qp(1).continuity().checked() == 15 * 1111);

  // A new queue pair uses the slot of the previous one. If counter_goes_on is set, the counter pattern must
  // continue with the new queue pair, so that a missing byte is detected.
  ++s.counter;
  rig.receiver->apply(Rig::qp(0, s, false));
  REQUIRE(rig.write(s, 0, 500));
  CHECK(rig.wrong(0) == 0);
  ++s.counter;
  rig.receiver->apply(Rig::qp(0, s, true));
  REQUIRE(rig.write(s, 0, 500));
  CHECK(rig.wrong(0) == 1);

  EndpointSnapshot snapshot = make_snapshot(*rig.receiver);
  REQUIRE(take_snapshot(*rig.receiver, snapshot, 0, 100, 0) == 4);
  CHECK(snapshot.receive_qps[1].responder.messages == 17);
  CHECK(snapshot.receive_qps[1].bytes_checked == 15 * 1111 + 1000);
  CHECK(snapshot.receive_qps[1].bytes_wrong == 1);
}

TEST_CASE("two peers may use the same QPN; a configured one stays", "[slots]") {
  Rig rig;
  Sender a;
  Sender b;
  b.who = test::identity(2);
  b.counter = 100;
  rig.receiver->apply(Rig::qp(0, a));
  rig.receiver->apply(Rig::qp(2, b));
  rig.receiver->apply(rig.region(0, 0, 1000));
  rig.receiver->apply(rig.region(2, 0, 1000));
  CHECK(rig.write(a, 0, 600));
  CHECK(rig.write(b, 0, 600));
  CHECK(rig.messages(0) == 1);
  CHECK(rig.messages(2) == 1);
  CHECK(rig.wrong(0) + rig.wrong(2) == 0);
  // A second slot of the same peer cannot use a QPN that is in use.
  rig.receiver->apply(Rig::qp(1, a));
  CHECK_FALSE(rig.receiver->qp_exists(2));
  // This sender is not a peer of any slot.
  Sender c = a;
  c.who = test::identity(3);
  CHECK_FALSE(rig.write(c, 0, 100));
  CHECK(rig.receiver->counters().rx_wrong_peer == 1);
  Sender d;
  d.dest_qpn = 0x800;
  rig.receiver->apply(Rig::qp(1, d));
  CHECK_FALSE(rig.receiver->qp_exists(2));
  // Actions for slots that do not exist have no effect.
  rig.receiver->apply(Rig::qp(3, d));
  rig.receiver->apply(RemoveReceiveQp{99});
  rig.receiver->apply(RemoveReceiveQp{0});
  CHECK(rig.receiver->qp_exists(0));
}

TEST_CASE("pending responses of a destroyed queue pair are not sent", "[slots]") {
  Rig rig;
  Sender s;
  rig.receiver->apply(Rig::qp(0, s));
  rig.receiver->apply(rig.region(0, 0, 1000));
  rig.hold = true;
  rig.write(s, 0, 100);
  s.dest_qpn = 0x12;
  rig.receiver->apply(Rig::qp(0, s));
  CHECK_FALSE(rig.answer());
  rig.write(s, 0, 100);
  const auto answer = rig.answer();
  REQUIRE(answer);
  CHECK(answer->psn == 101);
  CHECK_FALSE(rig.answer());
  CHECK(rig.receiver->next_event(5) == kNever);
}

TEST_CASE("regions change during a message", "[slots]") {
  for (const bool covered : {true, false}) {
    Rig rig;
    Sender s;
    rig.receiver->apply(Rig::qp(0, s));
    rig.receiver->apply(rig.region(0, 0, 1000));
    CHECK_FALSE(rig.packet(s, 0, 600, 0));
    rig.receiver->apply(covered ? rig.region(0, 0, 600) : rig.region(0, 512, 4000));
    const auto second = rig.packet(s, 0, 600, 256);
    if (covered) {
      CHECK_FALSE(second);
      REQUIRE(rig.packet(s, 0, 600, 512));
      CHECK(rig.messages(0) == 1);
      CHECK(rig.memory[599] == static_cast<std::uint8_t>(599));
      CHECK(rig.memory[600] == 0xee);
    } else {
      REQUIRE(second);
      CHECK(second->kind == AethKind::kNakRemoteAccess);
      CHECK(rig.memory[256] == 0xee);
    }
  }
}

TEST_CASE("regions beyond the limit are ignored", "[slots]") {
  Rig rig;
  Sender s;
  rig.receiver->apply(Rig::qp(0, s));
  SetReceiveRegions many{1, {}};
  for (std::uint32_t i = 0; i < 20; ++i) many.regions.push_back({0, 1000, i + 1, rig.memory.data()});
  rig.receiver->apply(many);
  const auto answer = rig.write(s, 0, 100);  // none of the accepted regions has rkey 0x55
  REQUIRE(answer);
  CHECK(answer->kind == AethKind::kNakRemoteAccess);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/checkers.hpp"

#include "answer_frames.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using test::answer_frame;
using test::read;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Returns BTH and AETH of an acknowledgement.
Bytes ack_bytes() { return {0x11, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 5, 0x1f, 0, 0, 1}; }

std::string form(const Bytes& transport, roce::Transport transport_type = roce::Transport::kRc) {
  return wrong_form(*read(answer_frame(transport)), transport_type);
}

/// Checks the form of an acknowledgement in which one byte was changed.
std::string form_with(std::size_t at, std::uint8_t value) {
  Bytes bytes = ack_bytes();
  bytes[at] = value;
  return form(bytes);
}

Bytes cnp_bytes() {
  Bytes out(roce::kCnpSize);
  roce::encode_cnp(out.data(), 1);
  return out;
}

/// Checks the acknowledgements of a queue pair. All PSNs of packets and answers are relative to kFirst, the
/// first PSN of the queue pair.
class Acks {
 public:
  void send(PacketKind kind, std::uint32_t psn, std::uint32_t psns = 1, bool spoilt = false) {
    ScriptPacket packet;
    packet.spec.kind = kind;
    packet.psn = (kFirst + psn) & roce::kPsnMask;
    packet.psns = psns;
    checker_.sent(packet, spoilt);
  }
  std::string answer(std::uint8_t syndrome, std::uint32_t psn, std::uint32_t msn,
                     std::uint8_t opcode = 0x11) {
    Answer out;
    out.opcode = opcode;
    out.psn = (kFirst + psn) & roce::kPsnMask;
    out.aeth = roce::Aeth{.syndrome = syndrome, .msn = msn};
    return checker_.answer(out);
  }
  std::string ack(std::uint32_t psn, std::uint32_t msn) { return answer(0x1f, psn, msn); }

 private:
  static constexpr roce::Psn kFirst = 0xfffffd;
  AckChecker checker_{kFirst};
};

constexpr std::uint32_t kBeforeFirst = 0xffffff;  // offset of PSN e-1 from e, modulo 2^24

}  // namespace

TEST_CASE("the form of an acknowledgement", "[form]") {
  CHECK(form(ack_bytes()) == "");
  CHECK(form_with(1, 0x40) == "");  // MigReq is set
  CHECK(form_with(2, 0x7f) == "");  // the P_Key of a limited member
  CHECK(form_with(1, 0x01) == "the transport version is not 0");
  CHECK(form_with(3, 0xfe) == "the P_Key is not that of the queue pair");
  CHECK(form_with(8, 0x80) == "AckReq is set in a response");
  CHECK(form_with(12, 0x65) == "a reserved AETH syndrome");
  CHECK(form_with(12, 0x40) == "a reserved AETH syndrome");
  CHECK(form_with(0, 0x0a) == "a request from a responder");
  CHECK(form_with(0, 0x31) == "a request from a responder");
  CHECK(form(ack_bytes(), roce::Transport::kUc) == "a response on UC, which has none");
  Bytes longer = ack_bytes();
  longer.resize(longer.size() + 4);
  CHECK(form(longer) == "an acknowledgement with a payload");
  longer[1] = 0x30;
  longer.resize(longer.size() - 1);
  CHECK(form(longer) == "an acknowledgement with pad");
  Bytes shorter = ack_bytes();
  shorter.pop_back();
  CHECK(form(shorter) == "the packet is shorter than its headers and pad");
}

TEST_CASE("the form of READ responses and atomic acknowledgements", "[form]") {
  for (const std::uint8_t opcode : {0x0d, 0x0e, 0x0f, 0x10}) CHECK(form_with(0, opcode) == "");
  CHECK(form_with(0, 0x12) == "an atomic acknowledgement without the 8 bytes of the original value");
  Bytes atomic = ack_bytes();
  atomic[0] = 0x12;
  atomic.resize(atomic.size() + 8);
  CHECK(form(atomic) == "");
}

TEST_CASE("the form of a CNP", "[form]") {
  CHECK(form(cnp_bytes()) == "");
  CHECK(form(cnp_bytes(), roce::Transport::kUc) == "");
  Bytes cnp = cnp_bytes();
  cnp[2] = 0x12;  // a separate case checks the P_Key
  CHECK(form(cnp) == "");
  cnp[4] = 0;
  CHECK(form(cnp) == "a CNP without BECN (annex A17.9.3)");
  cnp = cnp_bytes();
  cnp.push_back(0);
  CHECK(form(cnp) == "a CNP is longer than its 16 reserved bytes");
  cnp.resize(roce::kCnpSize - 1);
  CHECK(form(cnp) == "the packet is shorter than its headers and pad");
}

TEST_CASE("the iCRC and the IP header of every answer", "[form]") {
  const auto form_of = [](const Bytes& frame) { return wrong_form(*read(frame), roce::Transport::kRc); };
  Bytes frame = answer_frame(ack_bytes());
  frame.back() ^= 0x80;
  CHECK(form_of(frame) == "the iCRC is wrong");
  // wrong_form() checks the bytes of the IP header in the frame but not the IP checksum, so these tests need
  // not update the checksum.
  Answer answer = *read(answer_frame(ack_bytes()));
  answer.frame[14] = 0x46;
  CHECK(wrong_form(answer, roce::Transport::kRc) == "the IPv4 header has options (CA17-3)");
  for (const std::uint16_t flags : {0x0000, 0x6000, 0x4001}) {
    answer = *read(answer_frame(ack_bytes()));
    store_be16(&answer.frame[20], flags);
    CHECK(wrong_form(answer, roce::Transport::kRc) == "DF is not set, or the packet is a fragment (CA17-7)");
  }
  answer = *read(answer_frame(ack_bytes()));
  const std::uint8_t tag[] = {0x81, 0, 0, 7};
  answer.frame.insert(answer.frame.begin() + 12, std::begin(tag), std::end(tag));
  CHECK(wrong_form(answer, roce::Transport::kRc) == "");
  answer.frame[24] = 0;
  CHECK(wrong_form(answer, roce::Transport::kRc) == "DF is not set, or the packet is a fragment (CA17-7)");
  for (std::size_t size = 0; size < answer.frame.size(); ++size) {
    Answer cut = answer;
    cut.frame.assign(answer.frame.begin(), answer.frame.begin() + static_cast<std::ptrdiff_t>(size));
    wrong_form(cut, roce::Transport::kRc);  // must not read past the end
  }
  CHECK(form_of(answer_frame(ack_bytes(), test::answer_path(true))) == "");
}

TEST_CASE("an ACK's PSN was sent", "[ack]") {
  Acks acks;
  acks.send(PacketKind::kOnly, 0);
  acks.send(PacketKind::kOnly, 1);
  CHECK(acks.ack(0, 1) == "");
  CHECK(acks.ack(1, 2) == "");
  CHECK(acks.ack(2, 2) == "acknowledges a PSN that was not sent");
  CHECK(acks.ack(kBeforeFirst, 2) == "acknowledges a PSN before the first one");
  CHECK(acks.answer(0x60, 2, 2) == "acknowledges a PSN that was not sent");
  Acks nothing;
  CHECK(nothing.ack(0, 0) == "acknowledges a PSN that was not sent");
}

TEST_CASE("a NAK may name a PSN that was left out", "[ack]") {
  Acks acks;
  acks.send(PacketKind::kOnly, 0);
  acks.send(PacketKind::kOnly, 2);
  CHECK(acks.answer(0x60, 1, 1) == "");
}

TEST_CASE("the PSNs of ACKs do not decrease", "[ack]") {
  Acks acks;
  for (std::uint32_t k = 0; k < 4; ++k) acks.send(PacketKind::kOnly, k);
  CHECK(acks.ack(2, 3) == "");
  CHECK(acks.ack(2, 3) == "");
  CHECK(acks.ack(1, 2) == "acknowledges an older PSN than the answer before");
  acks.send(PacketKind::kOnly, 1);  // a duplicate
  CHECK(acks.ack(1, 3) == "");
}

TEST_CASE("a packet before the first PSN may be acknowledged", "[ack]") {
  Acks acks;
  acks.send(PacketKind::kOnly, kBeforeFirst);
  CHECK(acks.ack(kBeforeFirst, 0) == "");
}

TEST_CASE("the MSN counts the messages that end at or before the PSN", "[ack]") {
  Acks acks;
  acks.send(PacketKind::kOnly, 0);
  acks.send(PacketKind::kFirst, 1);
  acks.send(PacketKind::kMiddle, 2);
  acks.send(PacketKind::kLast, 3);
  acks.send(PacketKind::kRead, 4, 3);
  acks.send(PacketKind::kSendOnly, 7);
  CHECK(acks.ack(0, 1) == "");
  CHECK(acks.ack(1, 1) == "");
  CHECK(acks.ack(2, 2) == "MSN 2 although 1 messages end at or before this PSN");
  CHECK(acks.ack(3, 2) == "");
  CHECK(acks.ack(7, 4) == "");
  CHECK(acks.ack(7, 3) == "MSN 3 although 4 messages end at or before this PSN");
  CHECK(acks.answer(0x1f, 5, 9, 0x10) == "");  // the MSN of a READ response is not checked
}

TEST_CASE("CNPs, spoilt packets and answers without AETH are not judged as ACKs", "[ack]") {
  Acks acks;
  acks.send(PacketKind::kCnp, 0);
  CHECK(acks.ack(0, 0) == "acknowledges a PSN that was not sent");
  acks.send(PacketKind::kOnly, 0, 1, true);
  CHECK(acks.ack(9, 9) == "");
  AckChecker checker(0);
  Answer answer;
  answer.opcode = 0x81;
  CHECK(checker.answer(answer) == "");
  answer.opcode = 0x0e;
  CHECK(checker.answer(answer) == "");
}

TEST_CASE("each CNP needs a marked packet", "[cnp]") {
  Answer cnp;
  cnp.opcode = 0x81;
  Answer nak;
  nak.opcode = 0x11;
  nak.aeth = roce::Aeth{.syndrome = 0x60};
  CnpChecker checker(false);
  CHECK(checker.answer(cnp) == "a CNP although no packet was marked CE");
  CnpChecker marked(false);
  marked.marked();
  marked.marked();
  CHECK(marked.answer(cnp) == "");
  CHECK(marked.answer(nak) == "");
  CHECK(marked.answer(cnp) == "");
  CHECK(marked.answer(cnp) == "a CNP although no packet was marked CE");
  CHECK_FALSE(marked.with_nak());
}

TEST_CASE("a profile may allow a CNP with each NAK", "[cnp]") {
  Answer cnp;
  cnp.opcode = 0x81;
  Answer nak;
  nak.opcode = 0x11;
  nak.aeth = roce::Aeth{.syndrome = 0x60};
  Answer access = nak;
  access.aeth->syndrome = 0x62;
  CnpChecker checker(true);
  CHECK(checker.with_nak());
  CHECK(checker.answer(cnp) == "");  // the CNP may come before its NAK
  CHECK_FALSE(checker.with_nak());
  CHECK(checker.answer(access) == "");
  CHECK_FALSE(checker.with_nak());
  CHECK(checker.answer(nak) == "");
  CHECK(checker.with_nak());
  CHECK(checker.answer(cnp) == "");
  CHECK(checker.answer(cnp) == "a CNP although no packet was marked CE");
}

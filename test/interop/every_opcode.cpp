// SPDX-License-Identifier: BSD-3-Clause
// every_opcode FILE: writes a pcap with a packet of every opcode, syndrome, pad count and kind of path that
// lib/roce supports. The tests then check this file with other implementations.
#include "roce/craft.hpp"

#include <cstdio>
#include <fstream>
#include <vector>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr std::uint32_t kPmtu = 256;
constexpr Qpn kRequesterQpn = 0x123;
constexpr Qpn kResponderQpn = 0x456;

class Pcap {
 public:
  explicit Pcap(const char* path) : out_(path, std::ios::binary) {
    for (const std::uint32_t word : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 65535U, 1U}) put(word);
  }
  void frame(const std::vector<std::uint8_t>& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    for (const std::uint32_t word : {packets_ / 1000, packets_ % 1000 * 1'000'000, size, size}) put(word);
    out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
    ++packets_;
  }
  bool close() {
    out_.close();
    return out_.good();
  }

 private:
  void put(std::uint32_t word) { out_.write(reinterpret_cast<const char*>(&word), sizeof word); }
  std::ofstream out_;
  std::uint32_t packets_ = 0;
};

Path path(bool v6, bool vlan, bool back) {
  Path p;
  p.source_mac = {2, 0, 0, 0, 0, 1};
  p.dest_mac = {2, 0, 0, 0, 0, 2};
  p.source_ip = *IpAddress::parse(v6 ? "fd00::1" : "10.0.0.1");
  p.dest_ip = *IpAddress::parse(v6 ? "fd00::2" : "10.0.0.2");
  if (vlan) p.vlan = VlanTag{100, 3};
  p.dscp = 26;
  if (back) {
    std::swap(p.source_mac, p.dest_mac);
    std::swap(p.source_ip, p.dest_ip);
  }
  return p;
}

/// Writes the packets that two endpoints exchange over one kind of path (IPv4 or IPv6, with or without a VLAN
/// tag).
class Conversation {
 public:
  Conversation(Pcap& out, bool v6, bool vlan)
      : out_(out), there_(path(v6, vlan, false)), back_(path(v6, vlan, true)), payload_(kPmtu) {
    for (std::size_t i = 0; i < payload_.size(); ++i) payload_[i] = static_cast<std::uint8_t>(i * 11 + 5);
  }

  void message(Transport t, const std::vector<Operation>& operations, std::uint32_t last) {
    const auto full = static_cast<std::uint32_t>(operations.size() - 1) * kPmtu;
    for (std::size_t k = 0; k < operations.size(); ++k) {
      RequestPacket p;
      p.opcode = opcode(t, operations[k]);
      p.psn = psn_++;
      p.ack_req = ends_message(operations[k]);
      p.reth = {0x7f00'1234'5678, 0xcafe, full + last};
      p.immediate = 0xdeadbeef;
      p.payload_length = k + 1 == operations.size() ? last : kPmtu;
      request(p);
    }
  }

  void respond(std::uint8_t syndrome) {
    frame_.resize(512);
    const Crafted c = craft_acknowledge(back_, {syndrome, ++msn_}, psn_ - 1, kRequesterQpn, kDefaultPkey,
                                        id_++, frame_.data(), trailer_);
    emit(c, 0);
  }

  void cnp() {
    frame_.resize(512);
    emit(craft_cnp(back_, kRequesterQpn, kDefaultPkey, id_++, frame_.data(), trailer_), 0);
  }

 private:
  void request(const RequestPacket& p) {
    frame_.resize(512);
    const Crafted c = craft_request(there_, p, kResponderQpn, kDefaultPkey, id_++, payload_.data(),
                                    std::nullopt, frame_.data(), trailer_);
    emit(c, p.payload_length);
  }

  void emit(const Crafted& c, std::uint32_t payload) {
    frame_.resize(c.header_length);
    frame_.insert(frame_.end(), payload_.begin(), payload_.begin() + payload);
    frame_.insert(frame_.end(), trailer_, trailer_ + c.trailer_length);
    out_.frame(frame_);
  }

  Pcap& out_;
  HeaderTemplate there_;
  HeaderTemplate back_;
  std::vector<std::uint8_t> payload_;
  std::vector<std::uint8_t> frame_;
  std::uint8_t trailer_[8]{};
  Psn psn_ = 100;
  std::uint32_t msn_ = 0;
  std::uint16_t id_ = 0;
};

void every_opcode(Conversation& c) {
  using enum Operation;
  for (const Transport t : {Transport::kRc, Transport::kUc}) {
    for (std::uint32_t last = 1; last <= 5; ++last) {
      c.message(t, {kSendFirst, kSendMiddle, kSendLast}, last);
      c.message(t, {kSendFirst, kSendLastImm}, last);
      c.message(t, {kWriteFirst, kWriteMiddle, kWriteLast}, last);
      c.message(t, {kWriteFirst, kWriteLastImm}, last);
    }
    for (const std::uint32_t length : {0U, 1U, 2U, 3U, 4U, kPmtu}) {
      for (const Operation o : {kSendOnly, kSendOnlyImm, kWriteOnly, kWriteOnlyImm})
        c.message(t, {o}, length);
    }
  }
  for (const std::uint8_t syndrome : {0x1f, 0x05, 0x20, 0x2c, 0x3f, 0x60, 0x61, 0x62, 0x63, 0x64})
    c.respond(syndrome);
  c.cnp();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: every_opcode FILE\n");
    return 2;
  }
  Pcap pcap(argv[1]);
  for (const bool v6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      Conversation c(pcap, v6, vlan);
      every_opcode(c);
    }
  }
  return pcap.close() ? 0 : 1;
}

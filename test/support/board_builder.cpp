// SPDX-License-Identifier: BSD-3-Clause
#include "board_builder.hpp"

#include "congestion/homa_algorithm.hpp"

namespace softfeb::test {

engine::Identity identity(std::uint32_t n, bool v6) {
  engine::Identity id;
  id.mac = roce::mac_plus({2, 0, 0, 0, 0, 0}, n);
  id.ip = roce::IpAddress::parse(v6 ? "fd00::1:0" : "10.0.0.0")->plus(n);
  id.prefix_length = v6 ? 64 : 24;
  return id;
}

roce::Path path(const engine::Identity& from, const engine::Identity& to) {
  roce::Path p;
  p.source_mac = from.mac;
  p.dest_mac = to.mac;
  p.source_ip = from.ip;
  p.dest_ip = to.ip;
  p.vlan = from.vlan;
  return p;
}

engine::SendQpConfig& BoardBuilder::qp(const engine::Identity& to, const board::PayloadSource& payload,
                                       std::uint32_t pmtu) {
  const auto i = static_cast<std::uint32_t>(config.qps.size());
  engine::SendQpConfig& qp = config.qps.emplace_back();
  qp.requester.qpn = kSendQpn + i;
  qp.requester.dest_qpn = kReceiveQpn + i;
  qp.requester.pmtu = pmtu;
  qp.path = path(config.identity, to);
  qp.peer_mac = to.mac;
  qp.payload = &payload;
  qp.traffic.plan = payload.plan();
  qp.traffic.remote_address = kRemoteAddress;
  qp.traffic.rkey = kRkey;
  return qp;
}

engine::ReceiveQpSetup& ReceiverBuilder::qp(const engine::SendQpConfig& peer, MutableByteSpan memory) {
  engine::ReceiveQpSetup& qp = config.qps.emplace_back();
  roce::ResponderConfig& responder = qp.qp.responder;
  responder.transport = peer.requester.transport;
  responder.qpn = peer.requester.dest_qpn;
  responder.dest_qpn = peer.requester.qpn;
  responder.pmtu = peer.requester.pmtu;
  responder.expected_psn = peer.requester.initial_psn;
  qp.reply_path.source_mac = config.identity.mac;
  qp.reply_path.source_ip = config.identity.ip;
  qp.reply_path.dest_ip = peer.path.source_ip;
  qp.reply_path.vlan = config.identity.vlan;
  if (const auto* settings = std::get_if<congestion::AlgorithmSettings>(&peer.congestion)) {
    congestion::AlgorithmSettings with_pmtu = *settings;
    with_pmtu.path.pmtu = peer.requester.pmtu;
    if (const auto homa = congestion::homa_parameters(with_pmtu)) {
      config.homa = *homa;
      qp.grants = peer.requester.transport == roce::Transport::kRc;
    }
  }
  if (!memory.empty())
    qp.regions.push_back({peer.traffic.remote_address, memory.size(), peer.traffic.rkey, memory.data()});
  return qp;
}

void expect_payload(engine::ReceiveQpSetup& qp, const board::PayloadSource& payload) {
  qp.qp.layout.emplace(payload.plan().message_length(), qp.qp.responder.pmtu);
  qp.qp.expected = &payload;
  qp.qp.numbering = roce::MessageNumbering::kLayout;
}

}  // namespace softfeb::test

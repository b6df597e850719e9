// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/sink_target.hpp"

#include "conformance/script_packet.hpp"
#include "peers/conformance_client.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace softfeb::experiment {

namespace {

using conformance::TargetReply;
using conformance::TargetState;

peers::QpState to_peer(TargetState state) {
  switch (state) {
    case TargetState::kInit:
      return peers::QpState::kInit;
    case TargetState::kRtr:
      return peers::QpState::kRtr;
    case TargetState::kRts:
      return peers::QpState::kRts;
    case TargetState::kError:
      break;
  }
  return peers::QpState::kErr;
}

TargetState from_peer(const std::string& state) {
  if (state == "INIT") return TargetState::kInit;
  if (state == "RTR") return TargetState::kRtr;
  if (state == "ERR") return TargetState::kError;
  return TargetState::kRts;
}

/// The name of a counter in the catalogue of cases, and the names of this counter in kernel drivers.
struct CounterName {
  const char* ours;
  std::vector<const char*> theirs;
};
const std::vector<CounterName>& counter_names() {
  static const std::vector<CounterName> kNames = {
      {"icrc_errors", {"rx_icrc_encapsulated"}},
      {"out_of_sequence", {"out_of_sequence", "out_of_seq_request"}},
      {"duplicate_requests", {"duplicate_request"}},
      {"rnr_naks_sent", {"out_of_buffer", "send_rnr_err"}},
      {"ce_marked", {"np_ecn_marked_roce_packets"}},
      {"cnps_sent", {"np_cnp_sent"}},
  };
  return kNames;
}

/// A target that is a conformance session of rdma-sink.
class SinkTarget final : public TargetConnection {
 public:
  SinkTarget(const peers::PeerUrl& url, const roce::IpAddress& ip) : session_(url, ip) {
    const auto all = session_.regions({{.size = conformance::Script::kRegionSize},
                                       {.access = peers::RemoteAccess{.write = false, .atomic = false}},
                                       {.other_pd = true},
                                       {.deregistered = true}});
    regions_ = all;
  }

  TargetReply answer(const conformance::TargetRequest& request) override {
    return std::visit([this](const auto& r) { return on(r); }, request);
  }
  conformance::Capabilities capabilities() const override {
    const peers::TargetDevice& d = session_.device();
    conformance::Capabilities c;
    c.fresh_qps = c.memory = c.receives = c.states = c.counters = true;
    c.v6 = c.reads = c.sends = true;
    c.atomics = d.atomics;
    c.notification_point = true;
    c.active_mtu = d.active_mtu;
    c.max_message = d.max_message;
    c.region_size = regions_.front().size;
    return c;
  }
  conformance::TargetDevice device() const override {
    const peers::TargetDevice& d = session_.device();
    return {.name = d.name,
            .driver = d.driver,
            .firmware = d.firmware,
            .ip = d.ip,
            .mac = d.mac.value_or(roce::MacAddress{})};
  }
  std::vector<conformance::RegionPlace> regions() const override {
    std::vector<conformance::RegionPlace> out;
    for (const peers::Region& r : regions_) out.push_back({r.address, r.rkey, r.size});
    return out;
  }
  std::optional<roce::MacAddress> mac() const override { return session_.device().mac; }

 private:
  TargetReply on(const conformance::OpenRequest& r);
  TargetReply on(const conformance::CloseRequest& r) {
    session_.close(r.qp);
    return {};
  }
  TargetReply on(const conformance::ModifyRequest& r) {
    session_.modify(r.qp, to_peer(r.state));
    return {};
  }
  TargetReply on(const conformance::StateRequest& r) {
    TargetReply reply;
    reply.state = from_peer(session_.state(r.qp));
    return reply;
  }
  TargetReply on(const conformance::ReceiveRequest& r) {
    session_.receive(r.qp, r.count);
    return {};
  }
  TargetReply on(const conformance::FillRequest& /*r*/) {
    session_.fill(regions_.front(), conformance::kGuard);
    return {};
  }
  TargetReply on(const conformance::ReadRequest& r) {
    TargetReply reply;
    reply.bytes = session_.read(range(r.region, r.offset, r.length));
    return reply;
  }
  TargetReply on(const conformance::CrcRequest& r) {
    TargetReply reply;
    reply.crc = session_.crc(range(r.region, r.offset, r.length));
    return reply;
  }
  TargetReply on(const conformance::CompletionsRequest& r);
  TargetReply on(const conformance::CountersRequest& r);
  TargetReply on(const conformance::EventRequest& /*r*/) {
    TargetReply reply;
    reply.event = session_.event();
    return reply;
  }

  peers::MemoryRange range(std::uint32_t region, std::uint64_t offset, std::uint64_t length) const {
    return {regions_.at(region).index, static_cast<std::int64_t>(offset), length};
  }

  peers::ConformanceSession session_;
  std::vector<peers::Region> regions_;
};

TargetReply SinkTarget::on(const conformance::OpenRequest& r) {
  const conformance::QpSpec& s = r.spec;
  peers::OpenQp qp{.transport = s.transport,
                   .pmtu = s.pmtu,
                   .psn = r.psn,
                   .dest_qpn = r.requester_qp,
                   .ip = r.requester_ip};
  qp.receives = s.receives;
  qp.receive_size = s.receive_size;
  qp.state = to_peer(s.state);
  if (s.transport == roce::Transport::kRc) {
    qp.min_rnr_timer = s.rnr_timer;
    qp.max_dest_rd_atomic = s.max_dest_rd_atomic;
  }
  const bool usual = s.remote_write && s.remote_read && s.remote_atomic;
  if (!usual) qp.access = peers::RemoteAccess{s.remote_write, s.remote_read, s.remote_atomic};
  TargetReply reply;
  reply.qp = session_.open(qp).qpn;
  if (s.solicited_only) session_.arm(peers::EventTrigger::kSolicited);
  return reply;
}

TargetReply SinkTarget::on(const conformance::CompletionsRequest& /*r*/) {
  TargetReply reply;
  for (const peers::Completion& c : session_.completions()) {
    reply.completions.push_back({.qp = c.qpn,
                                 .success = c.status == "success",
                                 .status = c.status,
                                 .length = c.byte_len.value_or(0),
                                 .immediate = c.immediate});
  }
  return reply;
}

TargetReply SinkTarget::on(const conformance::CountersRequest& /*r*/) {
  const nlohmann::json counters = session_.counters().at("hw_counters");
  TargetReply reply;
  if (!counters.is_object()) return reply;  // the driver provides no counters
  for (const CounterName& name : counter_names()) {
    for (const char* theirs : name.theirs) {
      if (const auto it = counters.find(theirs); it != counters.end() && it->is_number())
        reply.counters[name.ours] = it->get<std::uint64_t>();
    }
  }
  return reply;
}

}  // namespace

std::unique_ptr<TargetConnection> connect_sink_target(const peers::PeerUrl& url, const roce::IpAddress& ip) {
  return std::make_unique<SinkTarget>(url, ip);
}

}  // namespace softfeb::experiment

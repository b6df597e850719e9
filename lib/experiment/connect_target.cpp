// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/conformance_target.hpp"
#include "experiment/sink_target.hpp"
#include "peers/peer.hpp"

#include <algorithm>

namespace softfeb::experiment {

namespace {

using conformance::TargetReply;

TargetReply refusal(const std::string& why, bool unsupported) {
  TargetReply reply;
  reply.error = why;
  reply.unsupported = unsupported;
  return reply;
}

/// A target whose queue pairs already exist, and can be used once each: the queue pairs of a perftest server,
/// or the queue pairs that the configuration lists.
class ListedTarget : public TargetConnection {
 public:
  struct Entry {
    roce::Qpn qpn = 0;
    conformance::TargetReply::Fixed fixed;
  };

  ListedTarget(std::vector<Entry> entries, std::uint32_t pmtu, const roce::IpAddress& ip,
               std::optional<roce::MacAddress> mac, std::string name)
      : entries_(std::move(entries)), pmtu_(pmtu), ip_(ip), mac_(mac), name_(std::move(name)) {}

  TargetReply answer(const conformance::TargetRequest& request) override {
    if (const auto* open = std::get_if<conformance::OpenRequest>(&request)) return this->open(open->spec);
    if (std::holds_alternative<conformance::CloseRequest>(request)) return {};
    return refusal("the target carries out no such request", true);
  }
  conformance::Capabilities capabilities() const override {
    conformance::Capabilities c;
    c.active_mtu = pmtu_;
    c.region_size = entries_.front().fixed.region.size;
    return c;
  }
  conformance::TargetDevice device() const override {
    return {.name = name_, .ip = ip_, .mac = mac_.value_or(roce::MacAddress{})};
  }
  std::vector<conformance::RegionPlace> regions() const override { return {entries_.front().fixed.region}; }
  std::optional<roce::MacAddress> mac() const override { return mac_; }

 private:
  TargetReply open(const conformance::QpSpec& spec) {
    const conformance::QpSpec usual;
    const bool special = spec.transport != usual.transport || spec.pmtu != pmtu_ || spec.psn ||
                         spec.state != usual.state || !spec.remote_write;
    if (special) return refusal("the target's queue pairs have other attributes than the case needs", true);
    if (next_ == entries_.size()) return refusal("all queue pairs of the target have been used", true);
    TargetReply reply;
    reply.qp = entries_[next_].qpn;
    reply.fixed = entries_[next_].fixed;
    ++next_;
    return reply;
  }

  std::vector<Entry> entries_;
  std::uint32_t pmtu_;
  roce::IpAddress ip_;
  std::optional<roce::MacAddress> mac_;
  std::string name_;
  std::size_t next_ = 0;
};

std::unique_ptr<TargetConnection> listed_target(const config::ConformanceConfig& c) {
  std::vector<ListedTarget::Entry> entries;
  for (const config::ListedQp& qp : c.qps)
    entries.push_back({qp.qpn, {qp.dest_qpn, qp.psn, {qp.address, qp.rkey, qp.length}}});
  return std::make_unique<ListedTarget>(std::move(entries), c.pmtu, *c.ip, c.mac, "listed queue pairs");
}

/// A perftest server, whose connection stays open until the end of the run.
class PerftestTarget final : public ListedTarget {
 public:
  PerftestTarget(std::unique_ptr<peers::PeerSession> session, std::vector<Entry> entries, std::uint32_t pmtu)
      : ListedTarget(std::move(entries), pmtu, session->remote().ip, session->remote().mac,
                     session->remote().software),
        session_(std::move(session)) {}

  /// Clears Capabilities::bounds. All queue pairs of the server share one region, so a queue pair also has
  /// access to the memory around its own part of the region.
  conformance::Capabilities capabilities() const override {
    conformance::Capabilities c = ListedTarget::capabilities();
    c.bounds = false;
    return c;
  }

 private:
  std::unique_ptr<peers::PeerSession> session_;
};

std::unique_ptr<TargetConnection> perftest_target(const config::RunConfig& config,
                                                  const peers::PeerUrl& url) {
  constexpr roce::Qpn kFirstQpn = 0x100;
  const config::ConformanceConfig& c = *config.conformance;
  peers::LocalEndpoint local;
  local.ip = config.boards.front().endpoint.ip;
  local.pmtu = c.pmtu;
  local.message_size = 65'536;
  local.messages = 1;
  Rng rng(config.run.seed);
  for (std::uint32_t k = 0; k < c.queue_pairs; ++k)
    local.qps.push_back({.qpn = kFirstQpn + k, .psn = static_cast<roce::Psn>(rng.next()) & roce::kPsnMask});
  auto session = peers::connect(url, local);
  std::vector<ListedTarget::Entry> entries;
  for (std::size_t k = 0; k < local.qps.size(); ++k) {
    const peers::RemoteQp& remote = session->remote().qps[k];
    entries.push_back(
        {remote.qpn, {local.qps[k].qpn, local.qps[k].psn, {remote.address, remote.rkey, remote.length}}});
  }
  session->begin();
  return std::make_unique<PerftestTarget>(std::move(session), std::move(entries), c.pmtu);
}

}  // namespace

std::unique_ptr<TargetConnection> connect_target(const config::RunConfig& config) {
  const config::ConformanceConfig& c = *config.conformance;
  if (c.target == config::kListedTarget) return listed_target(c);
  const peers::PeerUrl url = peers::parse_peer_url(c.target);
  if (url.kind == peers::PeerKind::kPerftest) return perftest_target(config, url);
  return connect_sink_target(url, config.boards.front().endpoint.ip);
}

}  // namespace softfeb::experiment

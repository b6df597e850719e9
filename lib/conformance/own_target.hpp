// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/target.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace softfeb::conformance {

struct OwnTargetConfig {
  engine::Identity identity;                    ///< addresses of the receiver; the IP address is IPv4
  std::optional<engine::Identity> v6_identity;  ///< the same for a second receiver with an IPv6 address
  std::vector<roce::IpAddress> requesters;      ///< the boards' IPv4 addresses
  std::optional<roce::IpAddress> v6_requester;
  roce::NotificationConfig notification{};
  std::uint32_t slots = 300;  ///< maximum number of open queue pairs for each requester
};

/// softfeb's own receiver as a target. Carries out requests immediately. Sans-I/O.
class OwnTarget {
 public:
  explicit OwnTarget(const OwnTargetConfig& config);
  OwnTarget(const OwnTarget&) = delete;
  OwnTarget& operator=(const OwnTarget&) = delete;

  engine::Receiver& receiver() { return *receivers_[0].receiver; }
  engine::Receiver* v6_receiver() { return receivers_.size() > 1 ? receivers_[1].receiver.get() : nullptr; }

  TargetReply answer(const TargetRequest& request);
  Capabilities capabilities() const;
  TargetDevice device() const;
  /// Returns the regions that cases use: a normal one, a read-only one, one of another protection domain, and
  /// a deregistered one. The receiver knows only the first of them.
  std::vector<RegionPlace> regions() const;

 private:
  /// Records the messages that one endpoint receives.
  class Observer final : public engine::MessageObserver {
   public:
    Observer(OwnTarget& target, std::size_t endpoint) : target_(target), endpoint_(endpoint) {}
    void message(std::size_t qp, const roce::MessageEvent& message, Time now) override;

   private:
    OwnTarget& target_;
    std::size_t endpoint_;
  };
  struct Endpoint {
    std::unique_ptr<Observer> observer;
    std::unique_ptr<engine::Receiver> receiver;
    std::vector<roce::IpAddress> requesters;  ///< each requester has OwnTargetConfig::slots consecutive slots
    std::vector<roce::Qpn> qp_of_slot;        ///< QPN of the queue pair in each slot; 0 if the slot is free
  };
  /// An open queue pair.
  struct Qp {
    std::size_t endpoint = 0;
    std::size_t slot = 0;
    QpSpec spec;
    roce::ResponderConfig responder;
    TargetState state = TargetState::kRts;
    bool flushed = false;  ///< in the error state: the remaining receives have been reported as errors
    bool event = false;
  };

  TargetReply on(const OpenRequest& r);
  TargetReply on(const CloseRequest& r);
  TargetReply on(const ModifyRequest& r);
  TargetReply on(const StateRequest& r);
  TargetReply on(const ReceiveRequest& r);
  TargetReply on(const FillRequest& r);
  TargetReply on(const ReadRequest& r);
  TargetReply on(const CrcRequest& r);
  TargetReply on(const CompletionsRequest& r);
  TargetReply on(const CountersRequest& r);
  TargetReply on(const EventRequest& r);

  void add_endpoint(const engine::Identity& identity, const std::vector<roce::IpAddress>& requesters);
  void create(const Qp& qp);
  void flush(roce::Qpn qpn, Qp& qp);
  const roce::Responder& responder(const Qp& qp) const;

  OwnTargetConfig config_;
  std::vector<std::uint8_t> memory_;
  std::vector<Endpoint> receivers_;
  std::map<roce::Qpn, Qp> qps_;
  std::vector<Completion> completions_;
  roce::Qpn next_qpn_ = 0x1000;
};

}  // namespace softfeb::conformance

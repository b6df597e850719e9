// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/prober.hpp"
#include "conformance/virtual_run.hpp"
#include "model_qp.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace softfeb::test {

/// A receiver that is independent of softfeb's. It follows the specification, apart from at most one wrong
/// behaviour (a mutation). The mutants test whether the cases of the catalogue notice wrong behaviour. Line
/// rate, VLAN interfaces and SEND with invalidate are not modelled.
class ModelTarget {
 public:
  explicit ModelTarget(Mutation mutation = Mutation::kNone);
  ModelTarget(const ModelTarget&) = delete;
  ModelTarget& operator=(const ModelTarget&) = delete;

  /// Returns this target for a run in virtual time. This object must outlive the result.
  conformance::VirtualTarget virtual_target();
  conformance::TargetReply answer(const conformance::TargetRequest& request);
  /// Processes a frame, whatever it contains.
  void receive(ByteSpan frame, Time now);

 private:
  /// An address of the target. It reads frames, sends responses, and answers ARP requests and neighbour
  /// solicitations.
  struct Port {
    Port(const engine::Identity& own, Mutation mutation) : reader(own, mutation), station(own) {}
    ModelReader reader;
    conformance::Prober station;
  };

  bool is(Mutation m) const { return mutation_ == m; }
  void receive(Port& port, const ModelPacket& packet, Time now);
  ModelQp* find(roce::Qpn qpn);
  std::vector<conformance::RegionPlace> places() const;

  conformance::TargetReply on(const conformance::OpenRequest& r);
  conformance::TargetReply on(const conformance::CloseRequest& r);
  conformance::TargetReply on(const conformance::ModifyRequest& r);
  conformance::TargetReply on(const conformance::StateRequest& r);
  conformance::TargetReply on(const conformance::ReceiveRequest& r);
  conformance::TargetReply on(const conformance::FillRequest& r);
  conformance::TargetReply on(const conformance::ReadRequest& r);
  conformance::TargetReply on(const conformance::CrcRequest& r);
  conformance::TargetReply on(const conformance::CompletionsRequest& r);
  conformance::TargetReply on(const conformance::CountersRequest& r);
  conformance::TargetReply on(const conformance::EventRequest& r);

  Mutation mutation_;
  Port v4_, v6_;
  std::vector<ModelRegion> regions_;
  std::vector<conformance::Completion> completions_;
  std::map<roce::Qpn, std::unique_ptr<ModelQp>> qps_;
  roce::Qpn next_qpn_ = 0x2001;
  std::uint64_t icrc_errors_ = 0;
};

}  // namespace softfeb::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "completion_queue.hpp"
#include "conformance_regions.hpp"
#include "conformance_requests.hpp"
#include "queue_pair.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// A conformance session (doc/rdma-sink.md). The client opens queue pairs and regions with the attributes
/// that a test needs, sends packets to them, and requests the resulting state. The client, not this class,
/// decides whether the state is correct.
class ConformanceSession {
 public:
  /// Throws Refusal or NoDevice. `device` and `options` must outlive this object.
  ConformanceSession(const Device& device, const Options& options, const ConformanceHello& hello);

  /// Returns the answer to the first line, which describes the device and the limits of the session.
  nlohmann::json welcome() const;
  /// Carries out a request and returns its answer. Throws Refusal or NoDevice; the session continues.
  nlohmann::json answer(const ConformanceRequest& request);

 private:
  struct OpenedQp {
    OpenedQp(QueuePair&& queue_pair, std::uint32_t room);

    std::uint32_t capacity;    ///< number of receives for which there is room
    std::uint32_t posted = 0;  ///< number of posted receives that have not completed
    /// Buffer that all receives share, so its content is not reported; empty if receives have no buffer.
    std::optional<MappedMemory> buffer{};
    MrPtr buffer_region{};
    QueuePair pair;  ///< destroyed before its buffer
  };

  nlohmann::json handle(const RegionsRequest& request);
  nlohmann::json handle(const FreeRequest& request);
  nlohmann::json handle(const OpenRequest& request);
  nlohmann::json handle(const ModifyRequest& request);
  nlohmann::json handle(const StateRequest& request);
  nlohmann::json handle(const CloseRequest& request);
  nlohmann::json handle(const ReceiveRequest& request);
  nlohmann::json handle(const FillRequest& request);
  nlohmann::json handle(const ReadRequest& request);
  nlohmann::json handle(const CrcRequest& request);
  nlohmann::json handle(const CompletionsRequest& request);
  nlohmann::json handle(const ArmRequest& request);
  nlohmann::json handle(const EventRequest& request);
  nlohmann::json handle(const CountersRequest& request);

  ResponderAttributes attributes_of(const OpenRequest& request) const;
  OpenedQp& find(roce::Qpn qpn);
  void prepare(OpenedQp& qp, const OpenRequest& request);
  void add_buffer(OpenedQp& qp, std::uint32_t size) const;
  void close(roce::Qpn qpn);
  void post(OpenedQp& qp, std::uint32_t count);
  std::uint64_t buffer_bytes() const;
  void collect();

  const Device& device_;
  const Options& options_;
  Gid gid_;
  ibv_device_attr limits_;
  // The order matters: members are destroyed in reverse order.
  PdPtr pd_;
  std::uint32_t most_completions_;
  CompletionQueue completions_;
  ConformanceRegions regions_;
  std::map<roce::Qpn, OpenedQp> qps_;
  std::vector<ibv_wc> completed_;  ///< completions taken from the queue, but not yet reported
  std::uint32_t posted_ = 0;       ///< number of receives, posted on any queue pair, that have not completed
  bool event_ = false;             ///< an event has come since the queue was armed
};

}  // namespace softfeb::sink

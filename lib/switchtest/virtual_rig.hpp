// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/event_tree.hpp"
#include "fabric/network.hpp"
#include "simulator/frame_pool.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/test_port.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace softfeb::switchtest {

/// A rig in virtual time: a simulated network whose stations are test ports. The same trials give the same
/// results.
class VirtualRig final : public Rig {
 public:
  /// Station i of the network is rig port i. The stations must have no addresses, so that the network learns
  /// the addresses of the ports. `interrupted` is called from time to time; if it returns true, run() throws
  /// Interrupted.
  explicit VirtualRig(const fabric::NetworkConfig& network, std::function<bool()> interrupted = {});
  ~VirtualRig() override;

  RigKind kind() const override { return RigKind::kVirtual; }
  const std::vector<RigPort>& ports() const override { return ports_; }
  TrialResult run(const Trial& trial) override;
  Time now() const override { return now_; }
  std::optional<Time> own_delay() const override { return Time{0}; }
  Time settle() const override { return 50 * kMicrosecond; }

 private:
  void advance(Time end);
  void serve(std::uint32_t port, Time now);
  void prepare_frame();
  void drain();
  void expire_pauses(const Trial& trial);
  void teach();

  simulator::FramePool pool_;
  fabric::Network network_;
  std::vector<RigPort> ports_;
  std::vector<std::unique_ptr<TestPort>> endpoints_;
  fabric::EventTree next_;
  std::function<bool()> interrupted_;
  simulator::PoolFrame* frame_ = nullptr;  ///< empty buffer for the next frame that is sent
  engine::TxFrame out_;
  Time now_ = 0;
  Time taught_ = 0;
  std::uint16_t trial_ = 0;
};

}  // namespace softfeb::switchtest

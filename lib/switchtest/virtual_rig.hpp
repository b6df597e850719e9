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

/// A simulated network whose stations are test ports, in virtual time. The same trials give the same results.
class VirtualRig final : public Rig {
 public:
  /// Station i of the network is rig port i; stations must not have addresses, so that the network learns
  /// them. `interrupted` is called from time to time; if it returns true, run() throws Interrupted.
  explicit VirtualRig(const fabric::NetworkConfig& network, std::function<bool()> interrupted = {});
  ~VirtualRig() override;

  RigKind kind() const override { return RigKind::kVirtual; }
  const std::vector<RigPort>& ports() const override { return ports_; }
  TrialResult run(const Trial& trial) override;
  Time now() const override { return now_; }
  std::optional<Time> own_delay() const override { return Time{0}; }
  Time resolution() const override { return 1; }

  /// For tests of the rig and of the estimators: what the network itself has counted.
  fabric::NetworkSnapshot counters();

 private:
  void advance(Time end);
  void serve(std::uint32_t port, Time now);
  void prepare_frame();
  void drain();
  void teach();

  simulator::FramePool pool_;
  fabric::Network network_;
  std::vector<RigPort> ports_;
  std::vector<std::unique_ptr<TestPort>> endpoints_;
  fabric::EventTree next_;
  std::function<bool()> interrupted_;
  simulator::PoolFrame* frame_ = nullptr;  ///< empty, for the next frame that is sent
  engine::TxFrame out_;
  Time now_ = 0;
  Time taught_ = 0;
  std::uint16_t trial_ = 0;
};

/// A frame that teaches switches the address of a port: a gratuitous ARP request.
std::vector<std::uint8_t> teaching_frame(const PortAddress& address);

/// Interval at which test ports announce their addresses, so that switches do not forget them.
inline constexpr Time kTeachInterval = 10 * kSecond;

}  // namespace softfeb::switchtest

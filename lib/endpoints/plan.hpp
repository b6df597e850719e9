// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/message_plan.hpp"
#include "config/run_config.hpp"
#include "engine/idle_path.hpp"
#include "roce/ip.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::endpoints {

/// Destination of one sending QP.
struct QpTarget {
  roce::IpAddress ip;
  std::optional<roce::MacAddress> mac;  ///< empty if it must be resolved by ARP or neighbour discovery
  roce::Qpn qpn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  /// Number of slots of the address ring that the receiver requires. If this is 0, the receiver requires no
  /// particular number (see slots_of()).
  std::uint64_t slots = 0;
  std::uint64_t stride = 0;  ///< bytes from the start of a slot to the next; 0 means the message size
  /// Index of the receiver in this process (`receiver`), and of its QP (`receiver_qp`). `receiver` is empty
  /// if the receiver is external.
  std::optional<std::size_t> receiver;
  std::size_t receiver_qp = 0;
  /// For transfers: index of the group's first QP at the receiver. All QPs of the group share a region.
  std::size_t first_qp = 0;
};

/// Start address of the regions of receivers in this process. Nonzero, so that a missing address is
/// detected.
inline constexpr std::uint64_t kRegionBase = 0x10'0000'0000;

/// One sending QP. Groups of the configuration (`count`) are expanded.
struct QpPlan {
  std::size_t board = 0;
  const config::QpConfig* config = nullptr;
  std::uint32_t number = 0;    ///< index within its group
  std::uint32_t on_board = 0;  ///< index among all QPs of its board
  roce::Qpn qpn = 0;
  QpTarget target;
  /// Path to the receiver, if the path is known and the QP's messages are random (lab::find_idle_paths()).
  std::shared_ptr<const engine::IdlePath> idle_path;
};

/// All QPs of a run, board by board. Targets that an external receiver provides (perftest, rdma-sink) are
/// left empty.
class Plans {
 public:
  /// `config` must outlive the plans.
  explicit Plans(const config::RunConfig& config);

  std::vector<QpPlan>& all() { return all_; }
  const std::vector<QpPlan>& all() const { return all_; }
  /// Number of QPs that write to receiver `r`.
  std::size_t receiver_qps(std::size_t r) const { return receiver_qps_[r]; }

 private:
  /// Determines the target of a plan. `planned` is the number of QPs planned so far for each receiver.
  void resolve(const config::RunConfig& config, QpPlan& plan, std::vector<std::size_t>& planned);

  std::vector<QpPlan> all_;
  std::vector<std::size_t> receiver_qps_;
};

/// True if the receiver's windows are contiguous, so that its queue pairs share one region.
bool in_window_layout(const config::ReceiverConfig& receiver);

/// True if the plan's QPN, address and rkey must be requested from the receiver.
bool needs_session(const QpPlan& plan);

/// Number of messages that `qp` sends; nullopt if it sends until the end of the run.
std::optional<std::uint64_t> messages_of(const config::QpConfig& qp, const board::MessagePlan& plan);

/// Number of slots of the address ring: the number that the receiver requires, or else the configured number,
/// or else as many slots as the region holds.
std::uint64_t slots_of(const config::QpConfig& qp, const QpTarget& target);

}  // namespace softfeb::endpoints

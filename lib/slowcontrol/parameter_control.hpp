// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_service.hpp"
#include "slowcontrol/dcqcn_registers.hpp"
#include "telemetry/live_page.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::slowcontrol {

/// The DCQCN parameters of a running configuration, for the live page. If a board serves registers for a
/// QP, the QP's parameters are read and written through these registers, so that every client of the board
/// sees the current values. Parameters of other QPs are changed through the board's worker. Runs on the
/// control thread.
class ParameterControl final : public telemetry::Parameters {
 public:
  /// All arguments must outlive this object. This object must not be destroyed while `service` still
  /// processes one of its accesses.
  ParameterControl(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                   runtime::WorkerPool& pool, const ControlService& service);

  void read(std::size_t board, telemetry::Respond respond) override;
  void write(const Change& change, telemetry::Respond respond) override;

 private:
  using Shared = std::shared_ptr<const config::CongestionConfig>;
  /// A QP whose parameters have registers.
  struct Slot {
    std::size_t qp = 0;  ///< index of the QP on the board
    DcqcnRegisters registers;
    config::CongestionConfig last;  ///< parameters at the last read
  };
  struct Board {
    /// Current parameters of the configured QPs. If one element of the configuration describes several QPs
    /// (key `count`), these QPs may share one CongestionConfig.
    std::vector<Shared> qps;
    BoardControl* control = nullptr;
    std::vector<Slot> slots;
    /// For each element of `qps`, the slot with the registers of its CongestionControl object. The slot may
    /// belong to another QP that shares this object. kNone if there are no such registers.
    std::vector<std::size_t> shown_by;
    /// Number of QPs that the metadata bus can create and that have no registers. The parameters of these QPs
    /// cannot be changed.
    std::size_t not_shown = 0;
  };
  static constexpr std::size_t kNone = SIZE_MAX;
  /// A request, which visits the slots one after the other.
  struct Task {
    std::size_t board = 0;
    std::optional<Change> change;
    std::size_t slot = 0;  ///< the slot being read or written
    DcqcnRegisters::Words words{};
    /// Parameters of all configured QPs. The change is applied here only to QPs without registers; QPs with
    /// registers keep the parameters from before the change.
    std::vector<Shared> qps;
    telemetry::Respond respond;
  };
  using TaskPointer = std::shared_ptr<Task>;

  void add_slots(std::size_t board);
  void add_sharers(std::size_t board);
  static bool in_slot(const Board& b, std::size_t qp) { return b.shown_by[qp] != kNone; }
  /// True if the slot with the QP's registers belongs to this QP itself, and not to another QP that shares
  /// the CongestionControl object.
  static bool has_slot(const Board& b, std::size_t qp) {
    return in_slot(b, qp) && b.slots[b.shown_by[qp]].qp == qp;
  }
  void check_alone(const Board& b, const Change& change) const;
  /// Updates Board::qps with the scheduled changes that have taken effect since the last call.
  void follow_schedule();
  void plan(Task& task) const;
  void read_slot(const TaskPointer& task);
  void slot_read(const TaskPointer& task);
  void write_bypass(const TaskPointer& task);
  void finish(const TaskPointer& task);
  std::string describe(std::size_t board) const;

  const config::RunConfig& config_;
  const runtime::DpdkRuntime& dpdk_;
  runtime::WorkerPool& pool_;
  std::vector<Board> boards_;
  std::vector<std::uint8_t> changes_made_;
};

}  // namespace softfeb::slowcontrol

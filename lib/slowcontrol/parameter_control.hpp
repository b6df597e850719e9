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

/// DCQCN's parameters of a running configuration, for the live page. Where a board's registers are served,
/// and show the QP, they are read and written there, so that every client of the board sees what is in force;
/// other QPs are told by way of their worker. On the control thread.
class ParameterControl final : public telemetry::Parameters {
 public:
  /// All outlive this, and this what is under way in `service`.
  ParameterControl(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                   runtime::WorkerPool& pool, const ControlService& service);

  void read(std::size_t board, telemetry::Respond respond) override;
  void write(const Change& change, telemetry::Respond respond) override;

 private:
  using Shared = std::shared_ptr<const config::DcqcnConfig>;
  /// A QP whose parameters are in registers.
  struct Slot {
    std::size_t qp = 0;  ///< on the board
    DcqcnRegisters registers;
    config::DcqcnConfig last;  ///< as read last
  };
  struct Board {
    std::vector<Shared> qps;  ///< of the configuration, as in force; QPs with the same section share one
    BoardControl* control = nullptr;
    std::vector<Slot> slots;
    /// Of each of `qps`: the slot whose registers are its own, or those of a QP that it shares its congestion
    /// control with; kNone.
    std::vector<std::size_t> shown_by;
    std::size_t not_shown = 0;  ///< QPs of the metadata bus without registers: nobody changes them
  };
  static constexpr std::size_t kNone = SIZE_MAX;
  /// A request on its way through the slots, one after the other.
  struct Task {
    std::size_t board = 0;
    std::optional<Change> change;
    std::size_t slot = 0;  ///< the one being read or written
    DcqcnRegisters::Words words{};
    std::vector<Shared> qps;  ///< what the board's QPs without registers will have
    telemetry::Respond respond;
  };
  using TaskPointer = std::shared_ptr<Task>;

  void add_slots(std::size_t board);
  void add_sharers(std::size_t board);
  static bool in_slot(const Board& b, std::size_t qp) { return b.shown_by[qp] != kNone; }
  /// The slot is the QP's own.
  static bool has_slot(const Board& b, std::size_t qp) {
    return in_slot(b, qp) && b.slots[b.shown_by[qp]].qp == qp;
  }
  void check_alone(const Board& b, const Change& change) const;
  /// Scheduled changes that have been made since.
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

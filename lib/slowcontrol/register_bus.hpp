// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"
#include "dataplane/worker.hpp"
#include "engine/host_responder.hpp"
#include "srp/bus.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace softfeb::slowcontrol {

/// The bus behind a board's SRP server. What the control thread knows by itself is answered at once; what
/// concerns the data path goes to the board's worker, and the answer waits until the worker has done it, so
/// that a write is in force before the client hears of it.
class RegisterBus final : public srp::Bus {
 public:
  struct Parts {
    board::BoardRegisters* registers = nullptr;
    dataplane::Worker* worker = nullptr;
    std::size_t place = 0;  ///< of the board in Worker::endpoints()
    /// Plays the host for what the bus sets up, on a receiver of its own worker; null: nobody of ours does.
    engine::HostResponder* responder = nullptr;
    dataplane::Worker* responder_worker = nullptr;
    std::size_t responder_place = 0;
    /// Brings all of a LiveState but its data path up to date.
    std::function<void(board::LiveState&, Time)> observe;
    /// Carries out what a write asks of the links.
    std::function<void(const board::SetRssi&, Time)> set_link;
    /// Sees what goes to the data path.
    std::function<void(const board::DataPathAction&)> look;
    /// A write is over.
    std::function<void(Time)> written;
    /// The bus has begun to wait for the worker: poll() until it is done.
    std::function<void(RegisterBus&)> waiting;
  };

  explicit RegisterBus(Parts parts);
  /// The worker has answered, or has ended.
  ~RegisterBus() override = default;

  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override;
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override;

  /// Whether the worker has something of ours in its hands.
  bool busy() const { return phase_ != Phase::kIdle; }
  /// The worker has answered: poll() would go on.
  bool answered();
  /// Goes on when the worker has answered: true then, and perhaps busy() again with the next access.
  bool poll(Time now);

 private:
  enum class Phase : std::uint8_t {
    kIdle,
    kObserve,  ///< the worker copies its state
    kRespond,  ///< the responder's worker makes ready for what comes
    kApply,    ///< the worker carries out a write
  };
  struct Access {
    bool write = false;
    std::uint32_t address = 0;
    MutableByteSpan out;
    ByteSpan data;
    Done done;
  };

  void ask(Phase phase);
  void prepare_responder();
  void take_state();
  bool hand_over();
  void perform(Time now);
  void finish(const board::AccessResult& result, Time now);

  Parts parts_;
  Access access_;
  board::AccessResult result_;
  board::LiveState live_;
  board::Actions actions_;
  dataplane::BoardRequest request_;
  dataplane::ReceiverRequest responder_request_;
  Phase phase_ = Phase::kIdle;
  bool handed_over_ = false;
};

}  // namespace softfeb::slowcontrol

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"
#include "dataplane/worker_requests.hpp"
#include "engine/host_responder.hpp"
#include "srp/bus.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::slowcontrol {

/// The register bus of a board, which the SRP server accesses. Accesses that do not involve the data path
/// are answered at once. All others are passed to the board's worker and answered when the worker has
/// carried them out, so that a write has taken effect before the client receives the reply.
class RegisterBus final : public srp::Bus {
 public:
  struct Deps {
    board::BoardRegisters* registers = nullptr;
    engine::Board* board = nullptr;
    /// All ports of the board, beginning with `board`. If this is empty, the board has only the port `board`.
    std::vector<engine::Board*> ports{};
    /// Passes a request to the worker of BoardRequest::board. Returns false if the worker's queue is full.
    std::function<bool(dataplane::BoardRequest&)> to_board;
    /// Host for the QPs that the metadata bus creates. The host sets up the corresponding QPs of `receiver`.
    /// Both pointers are null if no receiver of this process acts as the host.
    engine::HostResponder* responder = nullptr;
    engine::Receiver* receiver = nullptr;
    /// Passes a request to the worker of `receiver`. Returns false if the worker's queue is full.
    std::function<bool(dataplane::ReceiverRequest&)> to_receiver;
    /// Updates all members of a LiveState except those of the data path.
    std::function<void(board::LiveState&, Time)> observe;
    /// Performs a write to the registers of an RSSI link.
    std::function<void(const board::SetRssi&, Time)> set_link;
    /// Called with each action before it is passed to the data path.
    std::function<void(const board::DataPathAction&)> inspect;
    /// Called when a write has completed.
    std::function<void(Time)> written;
    /// Called when the bus starts waiting for a worker. Call poll() until busy() is false.
    std::function<void(RegisterBus&)> waiting;
  };

  explicit RegisterBus(Deps deps);
  /// Destroy the bus only while no worker holds one of its requests, or after the workers have ended.
  ~RegisterBus() override = default;

  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override;
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override;

  /// True while an access waits for a worker.
  bool busy() const { return phase_ != Phase::kIdle; }
  /// True if a worker has answered and poll() can continue.
  bool answered();
  /// If the worker has answered, continues the access and returns true. The bus may be busy() again
  /// afterwards.
  bool poll(Time now);

 private:
  enum class Phase : std::uint8_t {
    kIdle,
    kObserve,  ///< the board's worker copies its state
    kRespond,  ///< the receiver's worker performs the host's actions, which must precede the write
    kApply,    ///< the board's worker carries out the write
  };
  struct Transaction {
    bool write = false;
    std::uint32_t address = 0;
    MutableByteSpan out;
    ByteSpan data;
    Done done;
  };

  engine::Board* board_at(std::uint32_t address) const;
  void ask(Phase phase);
  void prepare_responder();
  void take_state();
  bool hand_over();
  void perform(Time now);
  void finish(const board::AccessResult& result, Time now);

  Deps deps_;
  Transaction transaction_;
  board::AccessResult result_;
  board::LiveState live_;
  board::Actions actions_;
  dataplane::BoardRequest request_;
  dataplane::ReceiverRequest responder_request_;
  Phase phase_ = Phase::kIdle;
  bool handed_over_ = false;
};

}  // namespace softfeb::slowcontrol

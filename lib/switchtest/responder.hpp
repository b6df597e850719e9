// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/tx_frame.hpp"
#include "roce/frame.hpp"
#include "roce/path.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The part of a test port that answers RC frames as the receiver of a board's data does. The responder
/// acknowledges frames that request an acknowledgement, and answers CE marks with CNPs. It also sends the
/// CNPs of Trial::forged_cnps. Allocates only in prepare().
class Responder {
 public:
  /// Maximum number of recorded CNPs. If there are more, the trial is void (TrialResult::void_reason).
  static constexpr std::size_t kMostCnps = 1U << 18;

  void prepare(const Trial& trial, const std::vector<RigPort>& ports, std::uint16_t port, Time start);
  /// Processes frame `sequence` of a kind, whose last bit arrived at `at`. `marked` tells whether the frame
  /// is marked CE. UC frames need no answer.
  void take(std::uint16_t kind, std::uint64_t sequence, bool marked, Time at);

  /// Earliest time at which the next answer may leave; kNever if there is no answer.
  Time due() const;
  /// Writes the next answer, which leaves at `departs`. Requires that due() is not kNever.
  void write(Time departs, engine::TxFrame& out);

  const std::vector<Cnp>& sent() const { return sent_; }
  /// True if there was no room for an answer, or for the record of a CNP.
  bool overflowed() const { return overflowed_; }

 private:
  static constexpr std::size_t kQueue = 4096;

  /// The queue pair that sends a kind of frames to this port.
  struct Peer {
    std::optional<std::uint32_t> qp;  ///< empty if the frames need no answer
    roce::HeaderTemplate path;        ///< headers of frames back to the sender
    /// Values of the IPv4 Identification field: of the next CNP, and of the next acknowledgement.
    std::uint16_t cnps = 0;
    std::uint16_t acknowledgements = 0;
    Time quiet_until = 0;  ///< no CNP is sent before this time
  };
  struct Answer {
    std::uint16_t kind = 0;
    bool cnp = false;
    std::uint64_t sequence = 0;
    Time at = 0;  ///< time at which the frame to be answered arrived
  };

  void push(const Answer& answer);
  Answer pop();

  std::optional<Answers> rules_;
  Time start_ = 0;
  std::vector<Peer> peers_;  ///< one for each kind
  std::vector<Answer> queue_;
  std::size_t first_ = 0, count_ = 0;  ///< ring `queue_`: index of the oldest answer, number of answers
  std::vector<ForgedCnp> forged_;  ///< CNPs of Trial::forged_cnps, in order of time, on the clock of take()
  std::size_t next_forged_ = 0;
  std::vector<Cnp> sent_;
  bool overflowed_ = false;
};

/// An acknowledgement or CNP for a queue pair.
struct RcAnswer {
  bool cnp = false;
  std::uint32_t qp = 0;
  std::uint16_t identification = 0;  ///< identification field of the IPv4 header
};

/// Reads an answer. Returns std::nullopt if the frame is not an answer, or is damaged. The bytes of the frame
/// are untrusted.
std::optional<RcAnswer> read_answer(const roce::ParsedFrame& frame);

}  // namespace softfeb::switchtest

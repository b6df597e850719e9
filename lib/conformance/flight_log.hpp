// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// The packets that a queue pair of the ordinary sender has sent. Checks the answers. Independent of the
/// requester, which is tested together with the target. Allocates only at construction.
class FlightLog {
 public:
  /// `window`: packets that may be in flight. Packets that were sent more than four windows ago are
  /// forgotten.
  FlightLog(roce::Psn first, std::uint32_t window);

  /// A packet whose first byte belongs at `offset` of the region, if it has a RETH. Returns where its payload
  /// belongs; none if it is a retransmission.
  std::optional<std::uint64_t> sent(roce::Psn psn, std::optional<std::uint64_t> offset, std::uint32_t length,
                                    bool ends_message);
  /// The packet has left as it was made, so the target should receive it.
  void delivered(roce::Psn psn);

  /// Checks an acknowledgement: its PSN was sent, and its MSN is the number of messages that end at or before
  /// it. A NAK 0x60 comes once for a gap, and again only if its packet came in between (IBA 9.7.5.2.8).
  /// Returns a description of the error; empty if there is none.
  std::string answer(const Answer& answer);

  std::uint64_t messages() const { return messages_; }
  /// Packets that the target must have found to be out of sequence, or to be duplicates.
  std::uint64_t out_of_sequence() const { return out_of_sequence_; }
  std::uint64_t duplicates() const { return duplicates_; }
  roce::Psn first_psn() const { return first_; }

 private:
  struct Packet {
    std::uint64_t next_offset = 0;  ///< of the byte behind its payload
    std::uint64_t messages = 0;     ///< that end at or before it
  };

  /// Number of the packet with this PSN that is nearest to the newest one; negative: before the first one.
  std::int64_t number_of(roce::Psn psn) const;
  bool known(std::int64_t number) const;
  Packet& at(std::int64_t number) {
    return packets_[static_cast<std::size_t>(number) & (packets_.size() - 1)];
  }

  roce::Psn first_;
  std::vector<Packet> packets_;  ///< ring
  std::int64_t next_ = 0;        ///< number of the next packet that is sent for the first time
  std::uint64_t messages_ = 0;
  std::int64_t expected_ = 0;  ///< number of the packet that the target expects
  std::uint64_t out_of_sequence_ = 0, duplicates_ = 0;
  std::optional<roce::Psn> nak_;  ///< the latest NAK 0x60, until its packet is delivered
};

}  // namespace softfeb::conformance

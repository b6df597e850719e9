// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// Records the packets that a queue pair of a traffic run has sent, and checks the answers to them. Does not
/// use the state of the requester, because a traffic run tests the requester as well as the target. Allocates
/// only at construction.
class FlightLog {
 public:
  /// `window` is the maximum number of packets in flight. Packets that were sent more than four windows ago
  /// are forgotten.
  FlightLog(roce::Psn first, std::uint32_t window);

  /// Records a packet with a payload of `length` bytes. `offset` is the payload's offset in the region; it is
  /// given only for a packet with a RETH. `ends_message` tells whether the packet is the last one of its
  /// message. Returns the payload's offset in the region, or std::nullopt if the packet is a retransmission.
  std::optional<std::uint64_t> sent(roce::Psn psn, std::optional<std::uint64_t> offset, std::uint32_t length,
                                    bool ends_message);
  /// Records that no fault rule changed the packet when it was sent. The target should therefore receive it.
  void delivered(roce::Psn psn);

  /// Checks an acknowledgement: its PSN must have been sent, and its MSN must be the number of messages that
  /// end at or before this PSN. The target may send one NAK 0x60 for a gap. It may repeat this NAK only if
  /// the missing packet was delivered after the previous one (IBA 9.7.5.2.8). Returns a description of the
  /// error; empty if there is none.
  std::string answer(const Answer& answer);

  std::uint64_t messages() const { return messages_; }
  /// Number of packets that the target must have received out of sequence (out_of_sequence()) or as
  /// duplicates (duplicates()).
  std::uint64_t out_of_sequence() const { return out_of_sequence_; }
  std::uint64_t duplicates() const { return duplicates_; }
  roce::Psn first_psn() const { return first_; }

 private:
  struct Packet {
    std::uint64_t next_offset = 0;  ///< offset in the region of the first byte after the packet's payload
    std::uint64_t messages = 0;     ///< number of messages that end at or before this packet
  };

  /// Returns the number of the packet with this PSN. Packets are numbered from 0 in the order of their first
  /// transmission; PSNs before the first one give negative numbers. If several packets had this PSN, returns
  /// the number that is closest to next_.
  std::int64_t number_of(roce::Psn psn) const;
  bool known(std::int64_t number) const;
  Packet& at(std::int64_t number) {
    return packets_[static_cast<std::size_t>(number) & (packets_.size() - 1)];
  }

  roce::Psn first_;
  std::vector<Packet> packets_;  ///< ring of the latest packets; its size is a power of two
  std::int64_t next_ = 0;        ///< number of the next packet that is sent for the first time
  std::uint64_t messages_ = 0;
  std::int64_t expected_ = 0;  ///< number of the packet that the target expects next
  std::uint64_t out_of_sequence_ = 0, duplicates_ = 0;
  std::optional<roce::Psn> nak_;  ///< PSN of the latest NAK 0x60; empty once this packet is delivered
};

}  // namespace softfeb::conformance

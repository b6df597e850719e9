// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "craft.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::bench {

/// A receiver for the queue pairs of craft_board(), with memory for one message each. It verifies each iCRC,
/// compares each payload byte with its own copy of the pattern, and copies the payload to its destination.
class CheckingReceiver {
 public:
  explicit CheckingReceiver(const CraftOptions& options);

  engine::Receiver& receiver() { return *receiver_; }

  /// Sums over its queue pairs.
  struct Totals {
    std::uint64_t packets = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t messages = 0;
    std::uint64_t out_of_order = 0;
    std::uint64_t duplicate = 0;
    std::uint64_t bytes_checked = 0;
    std::uint64_t bytes_wrong = 0;
    std::uint64_t icrc_errors = 0;
    std::uint64_t refused = 0;  ///< unknown queue pair, access error or invalid request
  };
  Totals totals() const;

 private:
  std::unique_ptr<board::PayloadSource> expected_;
  std::vector<std::uint8_t> expected_bytes_;
  std::pmr::vector<std::uint8_t> memory_;  ///< in huge pages, as in a real receiver
  std::unique_ptr<engine::Receiver> receiver_;
};

Json to_json(const CheckingReceiver::Totals& totals);

}  // namespace softfeb::bench

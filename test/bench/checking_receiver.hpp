// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "craft.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::bench {

/// A receiver of softfeb's own for the queue pairs of craft_board(), with memory of a message for each. Every
/// iCRC is verified, every payload byte compared with what was to come, which it has made for itself, and
/// copied to where it belongs.
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
    std::uint64_t refused = 0;  ///< not for a queue pair, access errors, invalid requests
  };
  Totals totals() const;

 private:
  std::unique_ptr<board::PayloadSource> expected_;
  std::vector<std::uint8_t> expected_bytes_;
  std::pmr::vector<std::uint8_t> memory_;  ///< in huge pages, as a real receiver's
  std::unique_ptr<engine::Receiver> receiver_;
};

Json to_json(const CheckingReceiver::Totals& totals);

}  // namespace softfeb::bench

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"
#include "options.hpp"
#include "roce/transfer_table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// Determines from completed WRITEs with immediate which registered transfers are complete, and which
/// messages of the incomplete transfers are missing. Sans-I/O: the time since the start of the session is an
/// argument.
class RegistrationReceiver final : private roce::RegistrationObserver {
 public:
  /// The immediates in `hello` must have kind `transfer`. `slots` is the number of transfers in memory.
  RegistrationReceiver(const RegistrationOptions& options, const Hello& hello, std::uint64_t slots);
  RegistrationReceiver(const RegistrationReceiver&) = delete;
  RegistrationReceiver& operator=(const RegistrationReceiver&) = delete;

  /// Handles the completion of a WRITE of `length` bytes with this immediate.
  void on_message(Time now, std::uint32_t immediate, std::uint32_t length);
  /// Abandons transfers and drops waiting messages whose timeout expires at or before `now`.
  void advance(Time now) { table_.advance(now); }
  /// Ends the session. `messages` is the number of messages sent, if known. Call once, after the last
  /// message.
  void finish(Time now, std::optional<std::uint64_t> messages);

  /// Returns the object `registration` of the report (doc/rdma-sink.md). Call after finish().
  nlohmann::json report() const;
  /// Describes the checks that failed. Call after finish().
  std::vector<std::string> problems() const;

  std::uint64_t notifications() const { return notifications_; }
  const roce::Registration& table() const { return table_.table(); }

 private:
  void abandoned(Time at, const roce::RegistrationEntry& entry, std::span<const std::uint64_t> mask) override;
  void list(Time at, const char* status, const roce::RegistrationEntry& entry,
            std::span<const std::uint64_t> mask);

  std::uint32_t segments_;  ///< number of segments of each transfer, according to the client
  roce::TransferTable table_;
  std::uint64_t notifications_ = 0;
  nlohmann::json notified_ = nlohmann::json::array();
  nlohmann::json incomplete_ = nlohmann::json::array();
  std::optional<std::uint64_t> sent_;  ///< number of transfers sent, if known
};

}  // namespace softfeb::sink

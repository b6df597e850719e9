// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/requester.hpp"
#include "wire_file.hpp"

#include <deque>
#include <map>
#include <vector>

namespace softfeb::test {

/// Replays a wire vector: applies the inputs of the file, at their times, to a requester in the firmware
/// profile, and compares the packets and completions of the requester with those of the firmware.
///
/// The firmware's pipeline adds delays, so each packet is taken from the requester when the firmware sent it.
/// Order and bytes must be equal. No packet may be missing. A packet may be retransmitted only if the file
/// contains the retransmission. Between any two inputs, the completions must be the same as in the file.
/// After the last input, the completions must be the same by the time of the file's last completion. Comments
/// in the code explain deliberate differences.
class WireReplay {
 public:
  explicit WireReplay(const WireFile& file);

  /// Replays the file, and compares everything with Catch2 checks.
  void run();

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Sent {
    Bytes bytes;
    bool retransmission = false;
  };

  void advance(Time t);
  void take_eagerly();
  Sent take();
  Bytes render(const roce::RequestPacket& p) const;

  void on_input(const WireEvent& e);
  void on_transmit(const WireEvent& e);
  void post(const nlohmann::json& wr);
  void receive(const Bytes& packet);
  void control(const std::string& text);
  void meta_response(const std::string& hex);
  void resume_inside_message(roce::Psn psn);

  void check_not_early(const WireEvent& e);
  void check_completions();
  void check_completion(const nlohmann::json& wc);
  void check_end();

  const WireFile& file_;
  std::uint16_t pkey_;
  bool shows_defect_;  ///< true if the firmware of this file sends wrong packets after a NAK inside a message
  roce::Requester requester_;
  Time now_ = 0;
  Time last_input_ = 0;

  bool output_blocked_ = false;
  bool payload_fails_ = false;
  bool past_defect_ = false;
  bool completions_late_ = false;
  std::deque<Sent> output_;                ///< packets made while the output was blocked
  std::map<roce::Psn, Bytes> first_sent_;  ///< packets as transmitted for the first time, by PSN
  std::deque<const WireEvent*> expected_;  ///< completions not yet checked
};

}  // namespace softfeb::test

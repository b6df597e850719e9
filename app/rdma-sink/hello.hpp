// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "detector/builder_layout.hpp"
#include "refusal.hpp"
#include "roce/ip.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Lines that a client sends (doc/rdma-sink.md). They come from the network, so every field is validated.
namespace softfeb::sink {

inline constexpr int kVersion = 1;
inline constexpr std::uint16_t kDefaultPort = 18516;

/// Rule for the immediates that the client will send.
struct ImmediateRule {
  enum class Kind : std::uint8_t {
    kNone,      ///< WRITEs without immediate
    kAny,       ///< any value, not checked
    kValue,     ///< every message carries `first`
    kCounter,   ///< message n of a QP carries (first + n) mod 2^32
    kChannel,   ///< every message of QP i carries first + i
    kTransfer,  ///< the message is a segment of a registered transfer (roce::TransferImmediate)
  };
  Kind kind = Kind::kNone;
  std::uint32_t first = 0;
  std::uint32_t segments = 0;  ///< for kTransfer: number of segments of each transfer

  bool present() const { return kind != Kind::kNone; }
};

/// Rule for the payload of the messages.
struct PayloadRule {
  std::optional<board::PayloadKind> kind;  ///< kind of payload; empty if not checked
  std::uint64_t file_size = 0;             ///< for kFile: size of the file in bytes
  std::uint32_t seed = 0x7fff'ffff;        ///< for kPrbs31: initial state of the shift register
  std::uint64_t window = 16U << 20;        ///< for kPrbs31: bytes after which the sequence repeats
  std::uint64_t origin = 0;                ///< stream offset of the first byte of a QP's first message
  /// For kCounter: if this is true, the origin is unknown and is derived from the first byte that is checked.
  bool any_origin = false;
};

struct PeerQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;   ///< PSN of the QP's first request
  roce::IpAddress ip;  ///< RoCE address; of the same family as Hello::ip
};

/// The client's first line.
struct Hello {
  roce::IpAddress ip;  ///< RoCE address of the QPs for which the line contains no address
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;
  std::uint32_t message_size = 0;
  std::uint64_t messages = 0;  ///< number of messages of each QP; 0 if not yet known
  /// Number of slots. If this is 0, there are as many as fit into the memory. Message n of a QP, or
  /// registered transfer n, is written to slot n mod slots.
  std::uint64_t slots = 0;
  ImmediateRule immediate;
  PayloadRule payload;
  std::vector<PeerQp> qps;
  /// Layout of the events that the client sends, with one QP for each board. Empty if the client did not
  /// describe it.
  std::optional<detector::BuilderLayout> events;
};

/// The client's last line, which reports what the client has sent.
struct End {
  bool complete = false;
  /// If false, the client does not know how many messages it sent.
  bool counted = true;
  std::uint64_t messages = 0;                 ///< number of messages sent on all QPs together
  std::vector<std::uint64_t> messages_of_qp;  ///< number of messages sent on each QP; empty if not reported
  double seconds = 0;
  /// Number of triggers, that is, of the events of all builders together.
  std::optional<std::uint64_t> events;
};

/// Request to post more receives, in a session or on a separate connection.
struct PostReceives {
  std::uint32_t count = 0;
  std::optional<std::size_t> qp;  ///< index of the QP; if empty, all QPs
};

/// The following functions throw Refusal. `line` has no terminator.
nlohmann::json parse_line(std::string_view line);
/// Checks the version in a client's first line.
void check_version(const nlohmann::json& line);
Hello parse_hello(const nlohmann::json& line);
End parse_end(const nlohmann::json& line);
PostReceives parse_post_receives(const nlohmann::json& line);

}  // namespace softfeb::sink

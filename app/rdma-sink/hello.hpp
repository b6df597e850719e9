// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "roce/ip.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// The lines a client sends (doc/rdma-sink.md). They come from the network: whatever stands in them is
/// checked.
namespace softfeb::sink {

inline constexpr int kVersion = 1;
inline constexpr std::uint16_t kDefaultPort = 18516;

/// Goes to the client as {"error": …}: says what is wrong and what to do.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The immediates the client will send.
struct ImmediateRule {
  enum class Kind : std::uint8_t {
    kNone,     ///< WRITEs without immediate
    kAny,      ///< some value, not checked
    kValue,    ///< `first` in every message
    kCounter,  ///< message n of a QP: (first + n) mod 2^32
    kChannel,  ///< every message of QP i: first + i
  };
  Kind kind = Kind::kNone;
  std::uint32_t first = 0;

  bool present() const { return kind != Kind::kNone; }
};

/// What the messages carry.
struct PayloadRule {
  std::optional<board::PayloadKind> kind;  ///< nothing: not to be checked
  std::uint64_t file_size = 0;             ///< kFile: bytes
  std::uint32_t seed = 0x7fff'ffff;        ///< kPrbs31
  std::uint64_t window = 16U << 20;        ///< kPrbs31
  std::uint64_t origin = 0;                ///< stream byte with which a QP's first message begins
  bool any_origin = false;                 ///< kCounter: not known; the first byte checked tells
};

struct PeerQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;  ///< of its first request
};

/// The client's first line.
struct Hello {
  roce::IpAddress ip;
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;
  std::uint32_t message_size = 0;
  std::uint64_t messages = 0;  ///< of each QP; 0: not known yet
  std::uint64_t slots = 0;     ///< message n goes to slot n mod slots; 0: as many as the memory holds
  ImmediateRule immediate;
  PayloadRule payload;
  std::vector<PeerQp> qps;
};

/// The client's last line: what it did.
struct End {
  bool complete = false;
  bool counted = true;                        ///< false: the client does not know how many
  std::uint64_t messages = 0;                 ///< of all QPs
  std::vector<std::uint64_t> messages_of_qp;  ///< empty where the client did not say
  double seconds = 0;
};

/// Posts more receives, in a session or on a connection of its own.
struct PostReceives {
  std::uint32_t count = 0;
  std::optional<std::size_t> qp;  ///< index; nothing: each QP
};

/// All throw Refusal. `line` is one line without its end.
nlohmann::json parse_line(std::string_view line);
Hello parse_hello(const nlohmann::json& line);
End parse_end(const nlohmann::json& line);
PostReceives parse_post_receives(const nlohmann::json& line);

}  // namespace softfeb::sink

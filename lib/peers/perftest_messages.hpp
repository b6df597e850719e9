// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// TCP messages that perftest's programs exchange before, during and after their RDMA traffic;
/// doc/perftest.md gives the order. Derived from the sources of linux-rdma/perftest, tag v4.5-0.17 (version
/// string 6.06). Sans-I/O: an encoder returns exactly the bytes to send; a decoder takes exactly one message
/// and returns nullopt if it is malformed.
namespace softfeb::peers::perftest {

/// Version that perftest exchanges: the version from AC_INIT, not the version of the package (package
/// 4.5-0.17 sends "6.06").
struct Version {
  unsigned number = 0;  ///< version in hundredths: 606 for 6.06
  std::string text;
};

/// The version that we announce. Newer servers then omit additions made after this version.
inline constexpr std::string_view kOurVersion = "6.06";
/// Range of server versions whose exchange with a 6.06 client is as described here, according to the sources
/// of each tag.
inline constexpr unsigned kOldestVersion = 592;
inline constexpr unsigned kNewestVersion = 629;

using VersionMessage = std::array<std::uint8_t, 16>;
VersionMessage encode_version(std::string_view text = kOurVersion);
std::optional<Version> decode_version(const VersionMessage& message);

/// Used for the cycle buffer size and the cache line size, each in a message of its own.
using IntMessage = std::array<std::uint8_t, 4>;
IntMessage encode_int(std::uint32_t value);
std::uint32_t decode_int(const IntMessage& message);

/// Path MTU as a value of the enum of verbs (1 for 256 bytes to 5 for 4096 bytes), sent as an ASCII digit and
/// a NUL.
using MtuMessage = std::array<std::uint8_t, 2>;
MtuMessage encode_mtu(std::uint32_t bytes);
std::optional<std::uint32_t> decode_mtu(const MtuMessage& message);  ///< path MTU in bytes

/// Parameters of one QP. The same message is used for every handshake.
struct Keys {
  std::uint32_t lid = 0;
  std::uint32_t out_reads = 1;  ///< maximum number of outstanding RDMA READs
  std::uint32_t qpn = 0;
  std::uint32_t psn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  roce::IpAddress gid;
  std::uint32_t srqn = 0;

  bool operator==(const Keys&) const = default;
};

inline constexpr std::size_t kKeysSize = 108;
/// Size of the message without a GID, as sent on InfiniBand links.
inline constexpr std::size_t kShortKeysSize = 59;

using KeysMessage = std::array<std::uint8_t, kKeysSize>;
KeysMessage encode_keys(const Keys& keys);
std::optional<Keys> decode_keys(const KeysMessage& message);
/// True if the first kShortKeysSize bytes of an answer form a complete message without a GID.
bool is_short_keys(ByteSpan start);

/// Report values: 64-bit integers and doubles, both big-endian, each in a message of its own.
using ReportMessage = std::array<std::uint8_t, 8>;
ReportMessage encode_report(std::uint64_t value);
ReportMessage encode_report(double value);

/// Last message of either side (up to version 6.16), including its NUL.
inline constexpr std::array<std::uint8_t, 5> kDone{'d', 'o', 'n', 'e', 0};

}  // namespace softfeb::peers::perftest

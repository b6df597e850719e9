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

/// What perftest's programs say to each other over TCP before, between and after their RDMA traffic; the
/// order is in doc/perftest.md. Facts from the sources of linux-rdma/perftest, tag v4.5-0.17 (version
/// string 6.06). Sans-I/O: encoders give exactly what is sent, decoders take exactly one message and answer
/// nothing where it is none.
namespace softfeb::control::perftest {

/// perftest's exchange version: AC_INIT's of its build, not the package's ("6.06" in 4.5+0.17).
struct Version {
  unsigned number = 0;  ///< hundredths: 606
  std::string text;
};

/// What we say we are, so that newer servers leave out what they added later.
inline constexpr std::string_view kOurVersion = "6.06";
/// Servers whose exchange with a 6.06 client is the one written here, from reading each tag between.
inline constexpr unsigned kOldestVersion = 592;
inline constexpr unsigned kNewestVersion = 629;

using VersionMessage = std::array<std::uint8_t, 16>;
VersionMessage encode_version(std::string_view text = kOurVersion);
std::optional<Version> decode_version(const VersionMessage& message);

/// Cycle buffer and cache line size, each on its own.
using IntMessage = std::array<std::uint8_t, 4>;
IntMessage encode_int(std::uint32_t value);
std::uint32_t decode_int(const IntMessage& message);

/// Path MTU as the verbs' code (1 is 256 bytes, 5 is 4096), an ASCII digit and a NUL.
using MtuMessage = std::array<std::uint8_t, 2>;
MtuMessage encode_mtu(std::uint32_t bytes);
std::optional<std::uint32_t> decode_mtu(const MtuMessage& message);  ///< bytes

/// One QP's parameters; the same message serves as every handshake.
struct Keys {
  std::uint32_t lid = 0;
  std::uint32_t out_reads = 1;  ///< outstanding RDMA READs
  std::uint32_t qpn = 0;
  std::uint32_t psn = 0;
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  roce::IpAddress gid;
  std::uint32_t srqn = 0;

  bool operator==(const Keys&) const = default;
};

inline constexpr std::size_t kKeysSize = 108;
/// Size of the message without a GID, which InfiniBand links use.
inline constexpr std::size_t kShortKeysSize = 59;

using KeysMessage = std::array<std::uint8_t, kKeysSize>;
KeysMessage encode_keys(const Keys& keys);
std::optional<Keys> decode_keys(const KeysMessage& message);
/// True when the first kShortKeysSize bytes of an answer are a whole message without a GID.
bool is_short_keys(ByteSpan start);

/// Report numbers: 64-bit integers and doubles, both big-endian, each exchanged on its own.
using ReportMessage = std::array<std::uint8_t, 8>;
ReportMessage encode_report(std::uint64_t value);
ReportMessage encode_report(double value);

/// The last word of either side (until version 6.16), with its NUL.
inline constexpr std::array<std::uint8_t, 5> kDone{'d', 'o', 'n', 'e', 0};

}  // namespace softfeb::control::perftest

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register_port.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::febctl {

/// How a register's bits are meant.
enum class Base : std::uint8_t { kUnsigned, kSigned, kBool, kText };

/// Bytes in network order as they lie in memory (the …Raw registers of UdpEngine): shown in human form, too.
enum class NetworkForm : std::uint8_t { kNone, kIp, kMac, kPort };

enum class Access : std::uint8_t { kReadOnly, kReadWrite, kWriteOnly };

/// One register as the firmware's tree names it.
struct Register {
  std::string path;
  std::uint32_t address = 0;  ///< of the word with its first bit, when bit_offset is below 32
  std::uint32_t bit_offset = 0;
  std::uint32_t bit_size = 32;
  Access access = Access::kReadWrite;
  Base base = Base::kUnsigned;
  std::uint32_t elements = 0;  ///< of an array; 0: no array
  std::uint32_t element_bits = 0;
  NetworkForm form = NetworkForm::kNone;
  bool human = false;  ///< its value is the address or port itself, not the raw number: ClientRemotePort
  std::vector<std::pair<std::uint64_t, std::string>> names;  ///< of values

  bool readable() const { return access != Access::kWriteOnly; }
  bool writable() const { return access != Access::kReadOnly; }
  /// Whole words from the first to the last bit.
  Range range() const { return {address + bit_offset / 32 * 4, (bit_offset % 32 + bit_size + 31) / 32 * 4}; }
};

/// Element `index` of an array as a register of its own. The caller has checked the index.
Register element_of(const Register& array, std::uint32_t index);

/// The bits of a value: little-endian, as many bytes as bit_size needs, the rest of the last byte zero.
using Bits = Bytes;

/// Out of the words of reg.range().
Bits extract(const Register& reg, ByteSpan words);
/// Into the words of reg.range(); the other bits stay.
void insert(const Register& reg, const Bits& bits, MutableByteSpan words);

/// The lowest 64 bits.
std::uint64_t low64(const Bits& bits);
/// `size` bits, at most 64, of a number.
Bits bits_of(std::uint64_t value, std::uint32_t size);

}  // namespace softfeb::febctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register_port.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::febctl {

/// Interpretation of a register's bits.
enum class Base : std::uint8_t { kUnsigned, kSigned, kBool, kText };

/// Kind of address or port in a register that holds it in network byte order (the …Raw registers of
/// UdpEngine). The value of such a register is also shown as an address or port. All other registers have
/// kNone.
enum class NetworkForm : std::uint8_t { kNone, kIp, kMac, kPort };

enum class Access : std::uint8_t { kReadOnly, kReadWrite, kWriteOnly };

/// A register with its name in the firmware's tree.
struct Register {
  std::string path;
  std::uint32_t address = 0;  ///< address of the word from which bit_offset counts
  std::uint32_t bit_offset = 0;
  std::uint32_t bit_size = 32;
  Access access = Access::kReadWrite;
  Base base = Base::kUnsigned;
  std::uint32_t elements = 0;  ///< number of array elements; 0 if the register is not an array
  std::uint32_t element_bits = 0;
  NetworkForm form = NetworkForm::kNone;
  /// If true, this is the alias of a register whose name ends in Raw (for example ClientRemotePort for
  /// ClientRemotePortRaw). The value of an alias is a readable address or port number, not the raw bytes in
  /// network order.
  bool human = false;
  std::vector<std::pair<std::uint64_t, std::string>> names;  ///< names of values, as pairs (value, name)

  bool readable() const { return access != Access::kWriteOnly; }
  bool writable() const { return access != Access::kReadOnly; }
  /// Returns the range of the whole words that contain the register.
  Range range() const { return {address + bit_offset / 32 * 4, (bit_offset % 32 + bit_size + 31) / 32 * 4}; }
};

/// Returns element `index` of an array as a register. `index` must be valid.
Register element_of(const Register& array, std::uint32_t index);

/// The bits of a value: little-endian, in the smallest number of bytes that holds bit_size bits, padded with
/// zeros.
using Bits = Bytes;

/// Extracts the register from the words of reg.range().
Bits extract(const Register& reg, ByteSpan words);
/// Inserts the value into the words of reg.range(); keeps other bits.
void insert(const Register& reg, const Bits& bits, MutableByteSpan words);

/// Returns the lowest 64 bits of a value.
std::uint64_t low64(const Bits& bits);
/// Returns the lowest `size` bits (at most 64) of a number.
Bits bits_of(std::uint64_t value, std::uint32_t size);

}  // namespace softfeb::febctl

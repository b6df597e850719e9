// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The board's register space as data, independent of the implementation of each block.
namespace softfeb::board {

enum class RegisterKind : std::uint8_t { kVariable, kCommand };
enum class RegisterAccess : std::uint8_t { kReadOnly, kReadWrite, kWriteOnly };
enum class NumberFormat : std::uint8_t { kUnsigned, kSigned, kBool, kString };

struct EnumText {
  std::uint32_t value;
  const char* text;
};

/// A register, named as in PyRogue's tree. It occupies `bit_size` bits, from bit `bit_offset` of the word at
/// `address` on. Bit 0 of a word is bit 0 of the byte at its lowest address. In an array register (DataReg,
/// DataBlock), element i begins at bit i · value_bits of the register.
struct Register {
  std::string path;  ///< e.g. Root.Core.AxiVersion.ScratchPad
  RegisterKind kind = RegisterKind::kVariable;
  std::uint32_t address = 0;  ///< absolute, multiple of 4
  unsigned bit_offset = 0;    ///< first bit in the word at `address`, 0…31
  unsigned bit_size = 0;
  RegisterAccess access = RegisterAccess::kReadOnly;
  NumberFormat format = NumberFormat::kUnsigned;
  unsigned num_values = 0;  ///< number of array elements; 0 means a single value
  unsigned value_bits = 0;
  unsigned poll_interval_s = 0;  ///< 0: PyRogue does not poll the register
  std::uint64_t reset = 0;       ///< reset value (low bits); for arrays, the reset value of each element
  std::span<const EnumText> texts{};

  /// Name of the type, for example "UInt12", "Int32", "Bool" or "String(256)".
  std::string base() const;
  /// Number of 32-bit words the register spans.
  std::size_t words() const { return (bit_offset + bit_size + 31) / 32; }
  bool readable() const { return access != RegisterAccess::kWriteOnly; }
  bool writable() const { return access != RegisterAccess::kReadOnly; }
};

/// Converts the access to "RO", "RW" or "WO", and the kind to "var" or "cmd".
const char* to_string(RegisterAccess access);
const char* to_string(RegisterKind kind);

/// Registers, sorted by address.
class RegisterMap {
 public:
  /// `registers` may be in any order; their paths must be unique.
  explicit RegisterMap(std::vector<Register> registers);
  RegisterMap(RegisterMap&&) = default;
  RegisterMap& operator=(RegisterMap&&) = default;
  RegisterMap(const RegisterMap&) = delete;
  RegisterMap& operator=(const RegisterMap&) = delete;

  std::span<const Register> all() const { return registers_; }

  /// Returns the register with this full path; null if there is none.
  const Register* find(std::string_view path) const;

  /// Returns the registers that match `pattern`: a full path, or a suffix of a path that begins at a
  /// component ("AxiVersion.ScratchPad"). Both may contain `*` (any characters) and `?` (any single
  /// character). Brackets are literal. The result is sorted by address, and empty if nothing matches.
  std::vector<const Register*> match(std::string_view pattern) const;

  /// Returns the only register that matches `pattern`. Throws std::invalid_argument, with suggestions, if no
  /// register or several registers match.
  const Register& one(std::string_view pattern) const;

  /// Returns the registers with at least one bit in the `bytes` bytes starting at `address`.
  std::vector<const Register*> within(std::uint32_t address, std::size_t bytes) const;

 private:
  std::vector<Register> registers_;
  std::unordered_map<std::string_view, const Register*> by_path_;
};

}  // namespace softfeb::board

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The board's register space as data: what clients see, whoever answers.
namespace softfeb::board {

enum class RegisterKind : std::uint8_t { kVariable, kCommand };
enum class RegisterAccess : std::uint8_t { kReadOnly, kReadWrite, kWriteOnly };
enum class NumberFormat : std::uint8_t { kUnsigned, kSigned, kBool, kString };

struct EnumText {
  std::uint32_t value;
  const char* text;
};

/// A register as PyRogue's tree names it. Bit 0 is bit 0 of the lowest byte at the lowest address; one of
/// several values (DataReg, DataBlock) has value i at bit i · value_bits.
struct Register {
  std::string path;  ///< e.g. Root.Core.AxiVersion.ScratchPad
  RegisterKind kind = RegisterKind::kVariable;
  std::uint32_t address = 0;  ///< absolute, a multiple of 4
  unsigned bit_offset = 0;    ///< 0…31
  unsigned bit_size = 0;
  RegisterAccess access = RegisterAccess::kReadOnly;
  NumberFormat format = NumberFormat::kUnsigned;
  unsigned num_values = 0;  ///< 0: a single value
  unsigned value_bits = 0;
  unsigned poll_interval_s = 0;  ///< 0: not polled
  std::uint64_t reset = 0;       ///< low bits; of several values, of each
  std::span<const EnumText> texts{};

  /// "UInt12", "Int32", "Bool", "String(256)".
  std::string base() const;
  /// 32-bit words that the register lies in.
  std::size_t words() const { return (bit_offset + bit_size + 31) / 32; }
  bool readable() const { return access != RegisterAccess::kWriteOnly; }
  bool writable() const { return access != RegisterAccess::kReadOnly; }
};

/// "RO", "RW", "WO"; "var", "cmd".
const char* to_string(RegisterAccess access);
const char* to_string(RegisterKind kind);

/// Registers in the order of their addresses.
class RegisterMap {
 public:
  /// Takes them in any order; paths are unique.
  explicit RegisterMap(std::vector<Register> registers);
  RegisterMap(RegisterMap&&) = default;
  RegisterMap& operator=(RegisterMap&&) = default;
  RegisterMap(const RegisterMap&) = delete;
  RegisterMap& operator=(const RegisterMap&) = delete;

  std::span<const Register> all() const { return registers_; }

  /// By full path; null where there is none.
  const Register* find(std::string_view path) const;

  /// Those that `pattern` names: a full path, the end of one from a component on
  /// ("AxiVersion.ScratchPad"), or either with `*` (any characters) and `?` (any one). Brackets stand for
  /// themselves. In the order of addresses; empty where it names none.
  std::vector<const Register*> match(std::string_view pattern) const;

  /// The one register that `pattern` names. Throws std::invalid_argument, with what might be meant, where it
  /// names none or several.
  const Register& one(std::string_view pattern) const;

  /// Those with a bit in the `bytes` bytes from `address`.
  std::vector<const Register*> within(std::uint32_t address, std::size_t bytes) const;

 private:
  std::vector<Register> registers_;
  std::unordered_map<std::string_view, const Register*> by_path_;
};

}  // namespace softfeb::board

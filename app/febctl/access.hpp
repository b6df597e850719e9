// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "register_port.hpp"

#include <string>
#include <vector>

namespace softfeb::febctl {

/// The bits of a register or, if the board refused the read, the reason.
struct Reading {
  Register reg;
  Bits bits;
  std::string error;
};

/// Reads registers with pipelined accesses. Registers in the same words are read with one access. The
/// results are in the order of `registers`.
std::vector<Reading> read_registers(RegisterPort& board, const std::vector<Register>& registers);

/// Reads one register. Throws Refusal if the board refuses.
Bits read_register(RegisterPort& board, const Register& reg);
std::uint64_t read_number(RegisterPort& board, const Register& reg);

struct WriteMode {
  bool verify = true;   ///< read back the written value if the register can be read
  bool posted = false;  ///< send posted writes, which have no response and are therefore not verified
};

/// Writes the words that contain `reg`. If these words also contain writable bits of other registers, reads
/// those bits first and writes them back unchanged. If the value is verified (see WriteMode) and the value
/// read back differs, throws Refusal.
void write_register(RegisterPort& board, const Catalogue& catalogue, const Register& reg, const Bits& bits,
                    const WriteMode& mode = {});
void write_number(RegisterPort& board, const Catalogue& catalogue, const Register& reg, std::uint64_t value);

/// Writes `words` to consecutive addresses. With `mode.verify`, reads the words back, and throws Refusal if
/// a bit of a writable register differs.
void write_words(RegisterPort& board, const Catalogue& catalogue, std::uint32_t address,
                 const std::vector<std::uint32_t>& words, const WriteMode& mode = {});

}  // namespace softfeb::febctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "register_port.hpp"

#include <string>
#include <vector>

namespace softfeb::febctl {

/// A register's bits, or why the board refused them.
struct Reading {
  Register reg;
  Bits bits;
  std::string error;
};

/// Pipelined; registers in the same words cost one access. In the order given.
std::vector<Reading> read_registers(RegisterPort& board, const std::vector<Register>& registers);

/// The one that must not be refused.
Bits read_register(RegisterPort& board, const Register& reg);
std::uint64_t read_number(RegisterPort& board, const Register& reg);

struct WriteMode {
  bool verify = true;   ///< read back what can be read
  bool posted = false;  ///< not answered, so not verified either
};

/// Writes whole words; bits of others in them are read first and written back. Throws Refusal where what is
/// read back differs.
void write_register(RegisterPort& board, const Catalogue& catalogue, const Register& reg, const Bits& bits,
                    const WriteMode& mode = {});
void write_number(RegisterPort& board, const Catalogue& catalogue, const Register& reg, std::uint64_t value);

/// `words` to consecutive addresses; verified under the mask of the bits that can be read back.
void write_words(RegisterPort& board, const Catalogue& catalogue, std::uint32_t address,
                 const std::vector<std::uint32_t>& words, const WriteMode& mode = {});

}  // namespace softfeb::febctl

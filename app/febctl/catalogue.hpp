// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/profile.hpp"
#include "register.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::febctl {

/// The registers of a firmware profile, by name. A name can be a full path (Root.Core.AxiVersion.ScratchPad),
/// a unique suffix of a path that starts after a dot (AxiVersion.ScratchPad), or a pattern with * and ?. An
/// index selects one element of an array. The raw registers of UdpEngine have aliases without "Raw", whose
/// values are plain addresses and port numbers.
class Catalogue {
 public:
  /// The registers `others` can be found by name, but are not listed and do not match patterns.
  explicit Catalogue(std::vector<Register> registers, std::vector<Register> others = {});

  /// Returns all registers except those passed as `others`, in the order of their addresses and without the
  /// aliases.
  const std::vector<Register>& all() const { return registers_; }

  /// Resolves a name to one register, or a pattern to all matching registers. Throws UsageError, which lists
  /// similar names, or the candidates if the name is ambiguous.
  std::vector<Register> resolve(std::string_view name) const;
  /// Like resolve(), but rejects patterns.
  Register one(std::string_view name) const;
  /// Finds a register by its full path, or by a suffix of its path that no other register has. Returns
  /// std::nullopt if there is no such register.
  std::optional<Register> find(std::string_view name) const;
  /// Returns all registers at and below a node of the tree, or all that match a pattern. Throws UsageError if
  /// there are none.
  std::vector<Register> below(std::string_view node) const;

  /// Returns the bits of a word that can be written and read back; all ones for a word without registers.
  std::uint32_t read_write_mask(std::uint32_t address) const;
  /// Returns the paths of the registers in a word, for messages.
  std::string names_at(std::uint32_t address) const;
  /// Returns true if the words of `reg` also contain writable bits of other registers, which a write must
  /// preserve.
  bool shares_words(const Register& reg) const;

 private:
  std::vector<const Register*> ending_in(std::string_view name) const;
  std::vector<const Register*> members(std::string_view name) const;
  std::string suggestions(std::string_view name) const;
  [[noreturn]] void unknown(std::string_view name) const;

  std::vector<Register> registers_;
  std::vector<Register> second_names_;
  std::vector<Register> others_;
};

/// Returns true if `text` matches `pattern`. In the pattern, * matches any number of characters and ?
/// matches one character. All other characters, including brackets, match themselves.
bool matches(std::string_view pattern, std::string_view text);

/// Returns the registers of a firmware profile.
std::vector<Register> registers_of(const board::Profile& profile);
/// Returns the registers of softfeb's own blocks, which no firmware has. These registers have names in all
/// profiles.
std::vector<Register> own_registers();

}  // namespace softfeb::febctl

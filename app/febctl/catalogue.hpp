// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::febctl {

/// The registers of a firmware profile, by name.
///
/// A name is a full path (Root.Core.AxiVersion.ScratchPad), a part of one that begins after a dot and is
/// unique (AxiVersion.ScratchPad), either with the index of an array's element behind it, or a pattern of
/// those with * and ?. UdpEngine's raw registers have a second name without Raw, with the address or port
/// itself as value.
class Catalogue {
 public:
  explicit Catalogue(std::vector<Register> registers);

  /// In the order of their addresses; second names left out.
  const std::vector<Register>& all() const { return registers_; }

  /// What a name names: one, or of a pattern all that match. Throws UsageError with the nearest names, or all
  /// that an ambiguous one may mean.
  std::vector<Register> resolve(std::string_view name) const;
  /// As resolve(), where a pattern is no name.
  Register one(std::string_view name) const;
  /// By the end of its path; nothing where this profile has none.
  std::optional<Register> find(std::string_view name) const;
  /// All at and below a node of the tree, named as above. Throws UsageError.
  std::vector<Register> below(std::string_view node) const;

  /// Bits of a word that can be written and read back; all ones for a word without registers.
  std::uint32_t read_write_mask(std::uint32_t address) const;
  /// Paths of the registers in a word, for people.
  std::string names_at(std::uint32_t address) const;
  /// More registers than `reg` have bits in its words, or not all bits of the words are its own, and a
  /// write must leave the others as they are.
  bool shares_words(const Register& reg) const;

 private:
  std::vector<const Register*> ending_in(std::string_view name) const;
  std::vector<const Register*> members(std::string_view name) const;
  std::string suggestions(std::string_view name) const;
  [[noreturn]] void unknown(std::string_view name) const;

  std::vector<Register> registers_;
  std::vector<Register> second_names_;
};

/// * stands for any characters, ? for one; everything else, brackets too, for itself.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace softfeb::febctl

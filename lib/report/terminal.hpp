// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::report {

/// Standard error, as people see it: lines that follow each other or, on a terminal, a block of lines at its
/// foot that is written over. The cursor stays visible and below the block, so there is nothing to restore
/// however the program ends.
class Terminal {
 public:
  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };

  Terminal();

  /// A terminal that moves its cursor; not with TERM=dumb.
  bool moves() const { return moves_; }
  /// Colours are shown, and nobody has asked for none (NO_COLOR).
  bool colours() const { return colours_; }
  /// As it is now: windows change.
  Size size() const;

  /// Shows lines in place of those shown before. None is wider than the terminal but for its colours.
  void show(const std::vector<std::string>& lines);
  /// Takes them away.
  void clear();
  /// A line that stays, above the block.
  void print(const std::string& line);

 private:
  /// Moves to the block's first line and erases what is from there on.
  std::string over() const;

  bool moves_ = false;
  bool colours_ = false;
  std::vector<std::string> shown_;
};

/// Columns that a text takes: its characters without the sequences that set colours.
std::size_t width_of(const std::string& text);

}  // namespace softfeb::report

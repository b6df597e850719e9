// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "service/log.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::report {

/// Writes to standard error: permanent lines and, on a terminal, a block of lines at the bottom that is
/// redrawn in place. The cursor stays visible below the block, so nothing has to be restored, no matter how
/// the program ends.
class Terminal {
 public:
  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };

  Terminal();

  /// True for a terminal that can move its cursor; false for TERM=dumb.
  bool moves() const { return moves_; }
  /// True if the terminal shows colours and NO_COLOR is not set.
  bool colours() const { return colours_; }
  /// Returns the current size; the user may resize the window.
  Size size() const;

  /// Replaces the block. No line may be wider than the terminal, not counting colour sequences.
  void show(const std::vector<std::string>& lines);
  /// Erases the block.
  void clear();
  /// Prints a permanent line above the block.
  void print(const std::string& line, service::Level level = service::Level::kNotice);

 private:
  /// Escape sequence that moves to the first line of the block and erases everything from there on.
  std::string over() const;

  bool moves_ = false;
  bool colours_ = false;
  std::vector<std::string> shown_;
};

/// Returns the number of columns that a text occupies, excluding colour sequences.
std::size_t width_of(const std::string& text);

}  // namespace softfeb::report

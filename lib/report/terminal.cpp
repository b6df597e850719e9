// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace softfeb::report {

namespace {

bool dumb_terminal() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb" || *term == 0;
}

/// True if the user has disabled colours: NO_COLOR is set and not empty (https://no-color.org).
bool no_colour() {
  const char* const wish = std::getenv("NO_COLOR");
  return wish != nullptr && *wish != 0;
}

void put_text(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  bool sequence = false;
  for (const char c : text) {
    if (sequence) {
      sequence = c != 'm';
    } else if (c == '\033') {
      sequence = true;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) {  // first byte of a UTF-8 character
      ++width;
    }
  }
  return width;
}

Terminal::Terminal()
    : moves_(isatty(STDERR_FILENO) != 0 && !dumb_terminal()), colours_(moves_ && !no_colour()) {}

Terminal::Size Terminal::size() const {
  winsize w{};
  Size s;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0) {
    if (w.ws_col != 0) s.columns = w.ws_col;
    if (w.ws_row != 0) s.rows = w.ws_row;
  }
  return s;
}

std::string Terminal::over() const {
  if (shown_.empty()) return "";
  // The user may have narrowed the window since the lines were shown, so that lines now wrap.
  const std::size_t columns = std::max<std::size_t>(1, size().columns);
  std::size_t rows = 0;
  for (const std::string& line : shown_) {
    rows += std::max<std::size_t>(1, (width_of(line) + columns - 1) / columns);
  }
  return fmt::format("\r\033[{}A\033[J", rows);
}

void Terminal::show(const std::vector<std::string>& lines) {
  // Use a single write, because a block that is drawn in parts flickers.
  std::string text = over();
  for (const std::string& line : lines) text += line + "\n";
  put_text(text);
  shown_ = lines;
}

void Terminal::clear() {
  if (!shown_.empty()) put_text(over());
  shown_.clear();
}

void Terminal::print(const std::string& line, service::Level level) {
  if (!moves_) return service::log().write(level, line);
  if (!service::log().writes(level)) return;
  std::string text = over() + line + "\n";
  for (const std::string& l : shown_) text += l + "\n";
  put_text(text);
}

}  // namespace softfeb::report

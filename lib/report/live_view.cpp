// SPDX-License-Identifier: BSD-3-Clause
#include "report/live_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

constexpr std::size_t kNameColumns = 20;
constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kBoardColumns = 57;  ///< columns of a board's row between the name and the RTT
constexpr std::size_t kRttColumns = 8;
constexpr std::size_t kWindowColumns = 10;

std::string cut_to(std::string text, std::size_t columns) {
  if (text.size() > columns) text.resize(columns);
  return text;
}

/// Adds escape sequences for the colour of `mood`. These sequences take no columns, so the caller must
/// shorten `plain` to the available width first.
std::string coloured(const std::string& plain, LiveView::Mood mood, bool colours) {
  if (!colours) return plain;
  switch (mood) {
    case LiveView::Mood::kGood:
      return "\033[32m" + plain + "\033[0m";
    case LiveView::Mood::kWarning:
      return "\033[33m" + plain + "\033[0m";
    case LiveView::Mood::kBad:
      return "\033[1;31m" + plain + "\033[0m";
    case LiveView::Mood::kDim:
      return "\033[2m" + plain + "\033[0m";
    case LiveView::Mood::kPlain:
      break;
  }
  return plain;
}

std::string bold(const std::string& plain, bool colours) {
  return colours ? "\033[1m" + plain + "\033[0m" : plain;
}

std::string rate_text(const std::optional<double>& gbps, const char* none) {
  return gbps ? fmt::format("{:.3f}", *gbps) : none;
}

std::string size_text(std::uint64_t n) {
  if (n >= 10 << 20) return fmt::format("{:.1f} MiB", static_cast<double>(n) / (1 << 20));
  if (n >= 10 << 10) return fmt::format("{:.0f} KiB", static_cast<double>(n) / (1 << 10));
  return fmt::format("{} B", n);
}

bool has_rtt(const LiveView::Board& b) { return b.rtt_us.has_value(); }
bool has_window(const LiveView::Board& b) { return b.window_bytes.has_value(); }

std::string rtt_text(const std::optional<double>& us) { return us ? fmt::format("{:.1f}", *us) : "-"; }

std::string window_text(const std::optional<double>& bytes) {
  return bytes ? size_text(static_cast<std::uint64_t>(*bytes)) : "-";
}

/// Draws the throughput as a bar, with a mark at Rc.
std::string bar_of(const LiveView::Board& b, double full) {
  if (full <= 0) return "";
  const auto at = [full](double v) {
    return static_cast<std::size_t>(std::clamp(v / full, 0.0, 1.0) * kBarColumns + 0.5);
  };
  std::string text(at(b.sent_gbps), '=');
  text.resize(kBarColumns + 1, ' ');
  if (b.rc_gbps) text[at(*b.rc_gbps)] = '|';
  return text;
}

template <typename Rows>
std::size_t name_columns(const Rows& rows, std::size_t least) {
  for (const auto& r : rows) least = std::max(least, r.name.size());
  return std::min(least, kNameColumns);
}

/// Adds all rows if they fit. Otherwise, adds as many rows as fit, and a line that summarises the others.
template <typename Row, typename Line, typename Rest>
void add_rows(std::vector<std::string>& lines, const std::vector<Row>& rows, std::size_t room, Line line,
              Rest rest) {
  if (room == 0) return;
  const std::size_t shown = rows.size() <= room ? rows.size() : room - 1;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line(rows[i]));
  if (shown < rows.size()) lines.push_back(rest(shown));
}

class Layout {
 public:
  Layout(const LiveView& view, std::size_t columns, bool colours)
      : view_(view), columns_(columns), colours_(colours) {}

  void boards(std::vector<std::string>& lines, std::size_t room) const {
    const std::size_t name = name_columns(view_.boards, 5);
    double full = 0;
    for (const auto& b : view_.boards) full = std::max({full, b.sent_gbps, b.rc_gbps.value_or(0)});
    const StateColumns state = state_columns(name);
    lines.push_back(bold(
        cut_to(fmt::format("{:<{}}  {:<9} {:>8} {:>8} {:>8} {:>9} {:>8}{}  Gb/s", "board", name, "state",
                           "offered", "Rc", "sent", "CNPs", "resent", state_text(state, "RTT us", "window")),
               columns_),
        colours_));
    add_rows(
        lines, view_.boards, room - 1,
        [&](const LiveView::Board& b) {
          const std::string text = fmt::format(
              "{:<{}}  {:<9} {:>8} {:>8} {:>8.3f} {:>9} {:>8}{}  {}", cut_to(b.name, name), name, b.state,
              rate_text(b.offered_gbps, "max"), rate_text(b.rc_gbps, "-"), b.sent_gbps, b.cnps, b.resent,
              state_text(state, rtt_text(b.rtt_us), window_text(b.window_bytes)), bar_of(b, full));
          return coloured(cut_to(text, columns_), b.mood, colours_);
        },
        [&](std::size_t first) { return cut_to(other_boards(first), columns_); });
  }

  void ports(std::vector<std::string>& lines, std::size_t room) const {
    const std::size_t name = name_columns(view_.ports, 11);
    lines.push_back(bold(
        cut_to(fmt::format("{:<{}}  {:>8} {:>6} {:>10} {:>10} {:>10} {:>9} {:>8} {:>8}", "switch port", name,
                           "Gb/s", "used", "queue", "peak", "longest", "marked", "dropped", "pauses"),
               columns_),
        colours_));
    add_rows(
        lines, view_.ports, room - 1,
        [&](const LiveView::Port& p) {
          const std::string text =
              fmt::format("{:<{}}  {:>8.3f} {:>5.1f}% {:>10} {:>10} {:>10} {:>9} {:>8} {:>8}",
                          cut_to(p.name, name), name, p.tx_gbps, 100 * p.used, size_text(p.queue),
                          size_text(p.peak), size_text(p.longest), p.marked, p.dropped, p.pauses);
          const auto mood = p.dropped != 0 ? LiveView::Mood::kBad : LiveView::Mood::kPlain;
          return coloured(cut_to(text, columns_), mood, colours_);
        },
        [&](std::size_t first) { return cut_to(other_ports(first), columns_); });
  }

 private:
  /// The optional columns that are shown.
  struct StateColumns {
    bool rtt = false, window = false;
  };

  StateColumns state_columns(std::size_t name) const {
    const auto& boards = view_.boards;
    std::size_t used = name + kBoardColumns;
    const auto fits = [&](std::size_t width) {
      if (used + width > columns_) return false;
      used += width;
      return true;
    };
    StateColumns shown;
    shown.rtt = std::any_of(boards.begin(), boards.end(), has_rtt) && fits(kRttColumns + 1);
    shown.window = std::any_of(boards.begin(), boards.end(), has_window) && fits(kWindowColumns + 1);
    return shown;
  }

  static std::string state_text(const StateColumns& shown, const std::string& rtt,
                                const std::string& window) {
    std::string text;
    if (shown.rtt) text += fmt::format(" {:>{}}", rtt, kRttColumns);
    if (shown.window) text += fmt::format(" {:>{}}", window, kWindowColumns);
    return text;
  }

  std::string other_boards(std::size_t first) const {
    double low = view_.boards[first].sent_gbps, high = low;
    std::uint64_t cnps = 0, resent = 0;
    for (std::size_t i = first; i < view_.boards.size(); ++i) {
      const LiveView::Board& b = view_.boards[i];
      low = std::min(low, b.sent_gbps);
      high = std::max(high, b.sent_gbps);
      cnps += b.cnps;
      resent += b.resent;
    }
    return fmt::format("... and {} more boards: {:.3f} to {:.3f} Gb/s each, {} CNPs, {} retransmitted",
                       view_.boards.size() - first, low, high, cnps, resent);
  }

  std::string other_ports(std::size_t first) const {
    std::uint64_t longest = 0, dropped = 0, pauses = 0;
    for (std::size_t i = first; i < view_.ports.size(); ++i) {
      longest = std::max(longest, view_.ports[i].longest);
      dropped += view_.ports[i].dropped;
      pauses += view_.ports[i].pauses;
    }
    return fmt::format("... and {} more ports: longest queue {}, {} dropped, {} pauses",
                       view_.ports.size() - first, size_text(longest), dropped, pauses);
  }

  const LiveView& view_;
  std::size_t columns_;
  bool colours_;
};

}  // namespace

std::vector<std::string> lay_out(const LiveView& view, std::size_t columns, std::size_t rows, bool colours) {
  std::vector<std::string> lines{bold(cut_to(view.heading, columns), colours)};
  const Layout layout(view, columns, colours);
  constexpr std::size_t kLeast = 3;  // a heading, a row, and the summary of the other rows
  if (rows < 1 + kLeast || view.boards.empty()) return lines;
  std::size_t room = rows - 1;
  // Ports get at least a third of the rows, and also the rows that the boards do not need.
  const std::size_t for_ports =
      view.ports.empty() || room < 2 * kLeast
          ? 0
          : std::min(view.ports.size() + 1,
                     std::max(room / 3, room - std::min(room, view.boards.size() + 1)));
  layout.boards(lines, room - for_ports);
  if (for_ports >= 2) layout.ports(lines, for_ports);
  return lines;
}

}  // namespace softfeb::report

// SPDX-License-Identifier: BSD-3-Clause
// Formats the table of a run for a terminal.
#include "report/markup.hpp"
#include "report/switch_rows.hpp"
#include "report/terminal.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Status;
using switchtest::TestReport;
using Outcome = switchtest::Verdict::Outcome;

constexpr std::size_t kNoteIndent = 4;
constexpr std::size_t kNarrowest = 40;

/// Columns: figure, value, interval, expected, verdict.
using Cells = std::array<std::string, 5>;

enum class Look : std::uint8_t { kPlain, kBold, kDim, kGood, kBad, kOpen };

std::string with_look(const std::string& text, Look look, bool colours) {
  constexpr std::array<const char*, 6> kCodes = {"", "1", "2", "32", "1;31", "33"};
  const char* const code = kCodes[static_cast<std::size_t>(look)];
  return !colours || *code == 0 || text.empty() ? text : fmt::format("\033[{}m{}\033[0m", code, text);
}

Look look_of(Outcome outcome) {
  return outcome == Outcome::kHeld ? Look::kGood : outcome == Outcome::kFailed ? Look::kBad : Look::kOpen;
}

bool is_open(Status status) { return status == Status::kUnresolvable || status == Status::kInconclusive; }

/// Breaks `text` into indented lines of at most `width` columns. Breaks words only if they are longer than a
/// line.
std::string wrapped_lines(const std::string& text, std::size_t indent, std::size_t width, Look look,
                          bool colours) {
  const std::size_t room = std::max(width, kNarrowest) - indent;
  std::string out, line;
  std::size_t used = 0;
  const auto flush = [&] {
    if (line.empty()) return;
    out += std::string(indent, ' ') + with_look(line, look, colours) + "\n";
    line.clear();
    used = 0;
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    if (used != 0 && used + 1 + width_of(word) > room) flush();
    while (width_of(word) > room) {
      std::size_t at = 0;
      for (std::size_t n = 0; n < room; ++n)
        at += std::max<std::size_t>(1, character_length(std::string_view(word).substr(at)));
      line = word.substr(0, at);
      word.erase(0, at);
      flush();
    }
    if (word.empty()) continue;
    line += (used == 0 ? "" : " ") + word;
    used = width_of(line);
  }
  flush();
  return out;
}

Cells cells_of(const SwitchRow& row) {
  Cells out{row.name, row.value, row.interval, row.expected,
            row.outcome ? fmt::format("{} {}", sign_of(*row.outcome), name_of(*row.outcome)) : ""};
  if (row.figures > 1) out[0] += fmt::format(" ({})", row.figures);
  if (row.figures == 0) out[1] = "–";
  for (std::string& cell : out) cell = printable(cell);
  return out;
}

/// The rows of a test, with the contents of their cells.
struct Block {
  const TestReport* test;
  std::vector<SwitchRow> rows;
  std::vector<Cells> cells;
};

class SwitchTable {
 public:
  SwitchTable(const SwitchRun& run, std::size_t width, bool colours);
  std::string text() const;

 private:
  std::string heading(const TestReport& test) const;
  std::string line(const Cells& cells, const SwitchRow* row) const;
  std::string stacked(const Cells& cells, const SwitchRow& row) const;
  std::string notes(const SwitchRow& row, std::string& last) const;
  std::string totals() const;
  /// True if all columns fit in a line. Otherwise, each figure takes several lines.
  bool fits() const;

  const SwitchRun& run_;
  std::size_t width_;
  bool colours_;
  std::vector<Block> blocks_;
  std::array<std::size_t, 5> widths_{};
};

SwitchTable::SwitchTable(const SwitchRun& run, std::size_t width, bool colours)
    : run_(run), width_(std::max(width, kNarrowest)), colours_(colours) {
  constexpr std::size_t kWidestCell = 48;  // a longer text shifts the columns in its own line only
  for (const TestReport& test : run.report.tests) {
    Block block{.test = &test, .rows = short_rows(run, test, 4)};
    for (const SwitchRow& row : block.rows) {
      block.cells.push_back(cells_of(row));
      for (std::size_t c = 0; c < widths_.size(); ++c)
        if (const std::size_t w = width_of(block.cells.back()[c]); w <= kWidestCell)
          widths_[c] = std::max(widths_[c], w);
    }
    blocks_.push_back(std::move(block));
  }
  constexpr std::array<std::string_view, 5> kTitles{"figure", "value", "interval", "expected", "verdict"};
  for (std::size_t c = 0; c < widths_.size(); ++c)
    if (widths_[c] != 0) widths_[c] = std::max(widths_[c], kTitles[c].size());
}

bool SwitchTable::fits() const {
  std::size_t sum = 2;
  for (const std::size_t w : widths_)
    if (w != 0) sum += w + 2;
  return sum - 2 <= width_;
}

std::string SwitchTable::heading(const TestReport& test) const {
  const std::string name = printable(test.name), title = printable(test.title);
  std::string out = with_look(name, Look::kBold, colours_);
  const bool short_enough = width_of(name) + 2 + width_of(title) <= width_;
  if (short_enough && !title.empty()) out += "  " + with_look(title, Look::kDim, colours_);
  out += "\n";
  if (!short_enough) out += wrapped_lines(title, 2, width_, Look::kDim, colours_);
  if (test.status == Status::kMeasured) return out;
  return out + wrapped_lines(std::string(switchtest::name(test.status)) + ": " + printable(test.reason), 2,
                             width_, Look::kOpen, colours_);
}

/// Formats a line of the table. `row` is null for the column headings.
std::string SwitchTable::line(const Cells& cells, const SwitchRow* row) const {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (widths_[c] == 0) continue;
    const std::size_t w = width_of(cells[c]);
    const std::string padding(w < widths_[c] ? widths_[c] - w : 0, ' ');
    Look look = row == nullptr ? Look::kDim : Look::kPlain;
    if (row != nullptr && c == 1 && is_open(row->status)) look = Look::kOpen;
    if (row != nullptr && c == 4 && row->outcome) look = look_of(*row->outcome);
    const std::string cell = with_look(cells[c], look, colours_);
    out += "  " + (c == 1 ? padding + cell : cell + padding);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

/// Formats the cells of a figure below each other, for a narrow terminal.
std::string SwitchTable::stacked(const Cells& cells, const SwitchRow& row) const {
  std::string second = cells[1];
  if (!cells[2].empty()) second += " [" + cells[2] + "]";
  std::string out;
  if (width_of(cells[0]) + width_of(second) + 4 <= width_) {
    out = "  " + cells[0] + ": " + second + "\n";
  } else {
    out = wrapped_lines(cells[0], 2, width_, Look::kPlain, colours_) +
          wrapped_lines(second, kNoteIndent, width_, Look::kPlain, colours_);
  }
  if (!row.outcome) return out;
  return out +
         wrapped_lines(cells[4] + ": " + cells[3], kNoteIndent, width_, look_of(*row.outcome), colours_);
}

/// Explains why a value is missing or an expectation did not hold. Leaves out a text that equals `last`, the
/// previous note.
std::string SwitchTable::notes(const SwitchRow& row, std::string& last) const {
  std::string out;
  const auto add = [&](const std::string& note, Look look) {
    if (note.empty() || note == last) return;
    last = note;
    out += wrapped_lines(printable(note), kNoteIndent, width_, look, colours_);
  };
  add(row.reason, Look::kDim);
  // If the figure is missing, the verdict repeats the reason.
  const bool repeated = !row.reason.empty() && row.why.find(row.reason) != std::string::npos;
  if (!repeated) add(row.why, row.outcome == Outcome::kFailed ? Look::kBad : Look::kDim);
  return out;
}

std::string SwitchTable::totals() const {
  const SwitchTotals t = totals_of(run_);
  const auto counted = [](std::initializer_list<std::pair<std::size_t, const char*>> counts) {
    std::string out;
    for (const auto& [n, words] : counts)
      if (n != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, words);
    return out;
  };
  std::string out = fmt::format(
      "{}: tests: {}", overall_word(run_),
      counted(
          {{t.measured, "measured"}, {t.unresolvable, "unresolvable"}, {t.inconclusive, "inconclusive"}}));
  const std::string verdicts = counted({{t.held, "held"}, {t.failed, "failed"}, {t.undecided, "undecided"}});
  if (!verdicts.empty()) out += "; expectations: " + verdicts;
  const bool bad = run_.exit_status != kDone;
  return wrapped_lines(out, 0, width_, bad ? Look::kBad : Look::kBold, colours_);
}

std::string SwitchTable::text() const {
  const bool columns = fits();
  std::string out;
  if (columns) {
    const auto any = [&](std::size_t c, const char* title) { return widths_[c] == 0 ? "" : title; };
    out = line({any(0, "figure"), any(1, "value"), any(2, "interval"), any(3, "expected"), any(4, "verdict")},
               nullptr);
  }
  for (const Block& block : blocks_) {
    out += heading(*block.test);
    std::string last = block.test->reason;
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const SwitchRow& row = block.rows[r];
      out += columns ? line(block.cells[r], &row) : stacked(block.cells[r], row);
      out += notes(row, last);
    }
  }
  if (run_.report.interrupted)
    out += wrapped_lines("The run was interrupted. Tests that had not ended are missing.", 0, width_,
                         Look::kBad, colours_);
  return out + totals();
}

}  // namespace

SwitchTotals totals_of(const SwitchRun& run) {
  SwitchTotals out;
  for (const TestReport& test : run.report.tests) {
    if (test.status == Status::kUnresolvable) {
      ++out.unresolvable;
    } else if (test.status == Status::kInconclusive) {
      ++out.inconclusive;
    } else {
      ++out.measured;
    }
  }
  for (const switchtest::Verdict& v : run.verdicts) {
    if (v.outcome == Outcome::kHeld) ++out.held;
    if (v.outcome == Outcome::kFailed) ++out.failed;
    if (v.outcome == Outcome::kUndecided) ++out.undecided;
  }
  return out;
}

std::string_view overall_word(const SwitchRun& run) {
  const SwitchTotals t = totals_of(run);
  if (run.report.interrupted) return "interrupted";
  if (t.failed != 0 || run.exit_status != kDone) return "failed";
  if (t.undecided != 0 || t.inconclusive != 0) return "undecided";
  return t.held != 0 ? "held" : "measured";
}

std::string switch_progress(const TestReport& test) {
  const std::string start = fmt::format("{:<12} {:>8.1f} s  ", printable(test.name), to_seconds(test.took));
  if (test.status != Status::kMeasured)
    return start + switchtest::name(test.status) + ": " + printable(test.reason);
  return start + fmt::format("{} {}", test.figures.size(), test.figures.size() == 1 ? "figure" : "figures");
}

std::string switch_table(const SwitchRun& run, std::size_t width, bool colours) {
  return SwitchTable(run, width, colours).text();
}

}  // namespace softfeb::report

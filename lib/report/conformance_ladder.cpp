// SPDX-License-Identifier: BSD-3-Clause
// Draws the packet ladder. The colours and strokes are in conformance.css; no meaning is conveyed by colour
// alone.
#include "conformance/answer.hpp"
#include "report/conformance_pages.hpp"
#include "report/conformance_words.hpp"
#include "report/markup.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::MissingAnswer;
using conformance::TracePacket;
using Judgement = TracePacket::Judgement;
using Fault = TracePacket::Fault;

constexpr int kWidth = 960, kTimeX = 62, kNoteX = 72, kLeft = 260, kRight = 660, kSayX = 674;
constexpr int kPacketHeight = 38, kStepHeight = 26, kGapHeight = 22, kSlope = 9, kHead = 30;
constexpr std::size_t kMostDrawn = 240;  ///< if a part has more packets, some are left out
constexpr std::size_t kFirstDrawn = 120, kLastDrawn = 60, kNear = 2;
constexpr std::size_t kRowsOfPiece = 20;  ///< maximum number of rows of a picture, to fit on a printed page
constexpr std::size_t kSayLine = 34, kSayLines = 2, kNoteLine = 27;

/// Shortens a UTF-8 text to at most `most` characters. If the text is longer, the last of these characters is
/// an ellipsis.
std::string shortened(const std::string& text, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t n = 0; at < text.size() && n < most; ++n) {
    const std::size_t length = std::max<std::size_t>(1, character_length(std::string_view(text).substr(at)));
    if (n + 1 == most && at + length < text.size()) return text.substr(0, at) + "…";
    at += length;
  }
  return text;
}

/// Breaks a text at spaces into at most `most` lines of at most `width` characters; shortens the last line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (lines.size() + 1 < most && rest.size() > width) {
    const std::size_t space = rest.rfind(' ', width);
    if (space == std::string::npos || space == 0) break;
    lines.push_back(rest.substr(0, space));
    rest.erase(0, space + 1);
  }
  lines.push_back(shortened(rest, width));
  return lines;
}

/// A row of the ladder.
struct Row {
  enum class Kind : std::uint8_t { kStep, kPacket, kMissing, kGap, kLeftOut };
  Kind kind = Kind::kPacket;
  const TracePacket* packet = nullptr;
  const MissingAnswer* missing = nullptr;
  std::uint32_t number = 0;  ///< number of the step
  Time time = 0;             ///< time of the packet or, for kGap, length of the gap
  std::size_t left_out = 0;  ///< for kLeftOut: number of packets that are not drawn

  int height() const {
    if (kind == Kind::kStep) return kStepHeight;
    return kind == Kind::kGap || kind == Kind::kLeftOut ? kGapHeight : kPacketHeight;
  }
};

/// Returns the indices of the packets to draw of one part of the case. If there are too many packets, these
/// are the first packets, the last packets, and the packets close to an unexpected packet or to a packet that
/// a fault rule dropped.
std::set<std::size_t> drawn_packets(const CaseResult& result, std::uint32_t part) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < result.trace.size(); ++k) {
    if (result.trace[k].part == part) all.push_back(k);
  }
  if (all.size() <= kMostDrawn) return {all.begin(), all.end()};
  std::set<std::size_t> out(all.begin(), all.begin() + kFirstDrawn);
  out.insert(all.end() - kLastDrawn, all.end());
  for (std::size_t n = 0; n < all.size() && out.size() < kMostDrawn; ++n) {
    const Judgement j = result.trace[all[n]].judgement;
    if (j != Judgement::kUnexpected && j != Judgement::kNotSent) continue;
    const std::size_t from = n - std::min(n, kNear), to = std::min(all.size(), n + kNear + 1);
    out.insert(all.begin() + static_cast<std::ptrdiff_t>(from),
               all.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return out;
}

std::vector<Row> rows_of(const CaseResult& result, std::uint32_t part, Time gap) {
  std::vector<Row> events;
  const std::set<std::size_t> drawn = drawn_packets(result, part);
  std::size_t left_out = 0;
  const auto flush = [&] {
    if (left_out != 0) events.push_back({.kind = Row::Kind::kLeftOut, .left_out = left_out});
    left_out = 0;
  };
  for (std::size_t k = 0; k < result.trace.size(); ++k) {
    const TracePacket& p = result.trace[k];
    if (p.part != part) continue;
    if (drawn.count(k) == 0) {
      ++left_out;
      continue;
    }
    flush();
    events.push_back({.kind = Row::Kind::kPacket, .packet = &p, .number = p.step, .time = p.at});
  }
  flush();
  for (const MissingAnswer& m : result.missing) {
    if (m.part != part) continue;
    const auto behind = std::find_if(events.begin(), events.end(), [&](const Row& r) {
      return r.kind == Row::Kind::kPacket && r.time > m.at;
    });
    events.insert(behind, {.kind = Row::Kind::kMissing, .missing = &m, .number = m.step, .time = m.at});
  }
  std::vector<Row> out;
  std::uint32_t step = 0;
  Time last = kNever;  // time of the previous row; kNever if unknown
  for (const Row& event : events) {
    if (event.kind == Row::Kind::kLeftOut) {
      out.push_back(event);
      last = kNever;
      continue;
    }
    if (last != kNever && event.time > last && event.time - last >= gap)
      out.push_back({.kind = Row::Kind::kGap, .time = event.time - last});
    last = event.time;
    if (event.number != 0 && event.number != step) {
      step = event.number;
      out.push_back({.kind = Row::Kind::kStep, .number = step});
    }
    out.push_back(event);
  }
  return out;
}

/// Draws the rows of one part of a case.
class Ladder {
 public:
  Ladder(const CaseResult& result, std::uint32_t part) : result_(result), part_(part) {
    const auto& parts = result.of->parts;
    if (part != 0 && part <= parts.size()) spec_ = &parts[part - 1];
  }

  std::string draw(const std::vector<Row>& rows);

 private:
  std::string piece(std::size_t first, std::size_t last, std::size_t number, std::size_t pieces);
  void draw_row(const Row& row);
  void draw_step(const Row& row);
  void draw_packet(const TracePacket& p);
  void draw_missing(const MissingAnswer& m);
  void draw_gap(const Row& row);
  void arrow(int x1, int y1, int x2, int y2, const char* look);
  void fault_sign(const TracePacket& p, int y1, int y2);
  void say(const std::string& sign, const std::string& text, const char* look);
  void text(int x, int y, const char* look, const std::string& words, const char* anchor = "start");
  void line(int x1, int y1, int x2, int y2, const char* look);

  const CaseResult& result_;
  std::uint32_t part_;
  const conformance::Part* spec_ = nullptr;
  std::vector<Row> rows_;
  std::string out_;
  int y_ = 0;  ///< top of the current row
};

void Ladder::text(int x, int y, const char* look, const std::string& words, const char* anchor) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, look,
                      anchor, escaped(words));
}

void Ladder::line(int x1, int y1, int x2, int y2, const char* look) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", x1, y1, x2, y2, look);
}

/// Draws an arrow whose head is at the second point.
void Ladder::arrow(int x1, int y1, int x2, int y2, const char* look) {
  constexpr double kLength = 11, kHalf = 4.5;
  const double dx = x2 - x1, dy = y2 - y1, n = std::sqrt(dx * dx + dy * dy);
  const double ux = dx / n, uy = dy / n;
  const double bx = x2 - ux * kLength, by = y2 - uy * kLength;
  line(x1, y1, static_cast<int>(bx), static_cast<int>(by), look);
  out_ += fmt::format("<polygon points=\"{},{} {:.1f},{:.1f} {:.1f},{:.1f}\" class=\"head {}\"/>\n", x2, y2,
                      bx - uy * kHalf, by + ux * kHalf, bx + uy * kHalf, by - ux * kHalf, look);
}

/// Writes a sign and a text to the right of the receiver's line.
void Ladder::say(const std::string& sign, const std::string& words, const char* look) {
  const auto lines = wrapped(words, kSayLine, kSayLines);
  const int y = y_ + (lines.size() == 1 ? 24 : 17);
  out_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" class=\"say {}\"><title>{}</title><tspan class=\"sign\">{}</tspan>", kSayX, y,
      look, escaped(words), escaped(sign));
  for (std::size_t k = 0; k < lines.size(); ++k)
    out_ +=
        fmt::format("<tspan x=\"{}\" dy=\"{}\">{}</tspan>", kSayX + 18, k == 0 ? 0 : 14, escaped(lines[k]));
  out_ += "</text>\n";
}

void Ladder::fault_sign(const TracePacket& p, int y1, int y2) {
  const int x = (kLeft + kRight) / 2 + 110, y = y1 + (y2 - y1) * (x - kLeft) / (kRight - kLeft);
  if (p.fault == Fault::kChanged) {
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" class=\"fault\" transform=\"rotate(45 {} "
        "{})\"/>\n",
        x - 5, y - 5, x, y);
  } else if (p.fault == Fault::kDuplicate) {
    line(kLeft, y1 + 4, kRight - 12, y2 + 4, "sent");
  }
}

/// Draws a packet as an arrow that slopes downwards: in both directions, the packet leaves one side before it
/// arrives at the other side.
void Ladder::draw_packet(const TracePacket& p) {
  const int y1 = y_ + 20, y2 = y1 + kSlope;
  const bool many = spec_ != nullptr && spec_->qps.size() > 1;
  const std::string words = (many ? fmt::format("QP {}: ", p.qp + 1) : "") + packet_words(p);
  text(kTimeX, y_ + 24, "time", time_words(p.at), "end");
  switch (p.judgement) {
    case Judgement::kSent:
      text(kLeft - 8, y_ + 24, "note", shortened(p.comment, kNoteLine), "end");
      if (p.fault == Fault::kLate) {
        line(kLeft, y1 - 6, kLeft + 90, y1 - 6, "sent late");
        line(kLeft + 90, y1 - 6, kLeft + 90, y1 + 2, "sent late");
        arrow(kLeft + 90, y1 + 2, kRight, y2, "sent");
      } else {
        arrow(kLeft, y1, kRight, y2, "sent");
      }
      fault_sign(p, y1, y2);
      if (p.fault == Fault::kChanged) say("◆", "changed on the way", "muted");
      if (p.fault == Fault::kDuplicate) say("=", "sent twice", "muted");
      if (p.fault == Fault::kLate) say("↴", "late", "muted");
      break;
    case Judgement::kNotSent: {
      const int x = kLeft + 320, y = y1 + 6;
      text(kLeft - 8, y_ + 24, "note", shortened(p.comment, kNoteLine), "end");
      line(kLeft, y1, x, y, "sent dropped");
      line(x - 7, y - 7, x + 7, y + 7, "cross");
      line(x - 7, y + 7, x + 7, y - 7, "cross");
      say("✕", "dropped by a fault rule", "muted");
      break;
    }
    case Judgement::kExpected:
      arrow(kRight, y1, kLeft, y2, "good");
      say("✓", p.comment.empty() ? "expected" : p.comment, "good");
      break;
    case Judgement::kTolerated:
      arrow(kRight, y1, kLeft, y2, "tolerated");
      say("✓", p.comment.empty() ? "tolerated: any answer may come here" : p.comment, "muted");
      break;
    case Judgement::kUnexpected:
      arrow(kRight, y1, kLeft, y2, "bad");
      say("✗", p.comment, "bad");
      break;
    case Judgement::kForeign:
      arrow(kRight, y1, kLeft, y2, "foreign");
      say("–", p.comment, "muted");
      break;
  }
  text((kLeft + kRight) / 2, y_ + 16, p.judgement == Judgement::kUnexpected ? "label strong" : "label",
       p.judgement == Judgement::kForeign ? conformance::describe_opcode(p.opcode, p.aeth) : words, "middle");
}

void Ladder::draw_missing(const MissingAnswer& m) {
  const int y1 = y_ + 20;
  text(kTimeX, y_ + 24, "time", time_words(m.at), "end");
  arrow(kRight, y1, kLeft, y1 + kSlope, "missing");
  text((kLeft + kRight) / 2, y_ + 16, "label strong", "awaited: " + shortened(m.what, 48), "middle");
  say("✗", "did not come", "bad");
}

void Ladder::draw_step(const Row& row) {
  const conformance::Step* const step =
      spec_ != nullptr && row.number <= spec_->steps.size() ? &spec_->steps[row.number - 1] : nullptr;
  std::string words = fmt::format("step {}", row.number);
  if (step != nullptr && step->expect) words += "   expects " + step->expect->text;
  if (step != nullptr && step->kind == conformance::Step::Kind::kDrop) words += "   must be dropped silently";
  line(0, y_ + 5, kWidth, y_ + 5, "rule");
  text(kNoteX - 66, y_ + 20, "step", shortened(words, 120));
}

void Ladder::draw_gap(const Row& row) {
  if (row.kind == Row::Kind::kLeftOut) {
    text((kLeft + kRight) / 2, y_ + 15, "gap",
         fmt::format("{} packets are not drawn; the capture has them", row.left_out), "middle");
    return;
  }
  text(kTimeX, y_ + 15, "gap", "+" + time_words(row.time), "end");
  text((kLeft + kRight) / 2, y_ + 15, "gap", time_words(row.time) + " without a packet", "middle");
}

void Ladder::draw_row(const Row& row) {
  const bool broken = row.kind == Row::Kind::kGap || row.kind == Row::Kind::kLeftOut;
  const int bottom = y_ + row.height();
  for (const int x : {kLeft, kRight}) line(x, y_, x, bottom, broken ? "lane broken" : "lane");
  switch (row.kind) {
    case Row::Kind::kStep:
      draw_step(row);
      break;
    case Row::Kind::kPacket:
      draw_packet(*row.packet);
      break;
    case Row::Kind::kMissing:
      draw_missing(*row.missing);
      break;
    case Row::Kind::kGap:
    case Row::Kind::kLeftOut:
      draw_gap(row);
      break;
  }
  y_ = bottom;
}

std::string Ladder::piece(std::size_t first, std::size_t last, std::size_t number, std::size_t pieces) {
  int height = kHead + 8;
  for (std::size_t k = first; k < last; ++k) height += rows_[k].height();
  std::string title = fmt::format("Packets of {}", result_.of->id);
  if (part_ != 0 && result_.of->parts.size() > 1) title += fmt::format(", part {}", part_);
  if (pieces > 1) title += fmt::format(", {} of {}", number, pieces);
  out_ = fmt::format("<svg class=\"ladder\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                     height, escaped(title));
  text(kTimeX, 18, "lane-name", "time", "end");
  text(kLeft, 18, "lane-name", "requester", "middle");
  text(kRight, 18, "lane-name", "receiver", "middle");
  y_ = kHead - 4;
  for (std::size_t k = first; k < last; ++k) draw_row(rows_[k]);
  return std::move(out_) + "</svg>\n";
}

std::string Ladder::draw(const std::vector<Row>& rows) {
  rows_ = rows;
  std::vector<std::size_t> cuts{0};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t length = k - cuts.back();
    // Keep the line of a step on the same picture as its packets.
    const bool at_step = rows[k].kind == Row::Kind::kStep && length >= kRowsOfPiece - 4;
    if (at_step || length >= kRowsOfPiece) cuts.push_back(k);
  }
  std::string out;
  for (std::size_t n = 0; n < cuts.size(); ++n)
    out += piece(cuts[n], n + 1 < cuts.size() ? cuts[n + 1] : rows.size(), n + 1, cuts.size());
  return out;
}

}  // namespace

std::string packet_ladder(const CaseResult& result, Time gap) {
  std::set<std::uint32_t> parts;
  for (const TracePacket& p : result.trace) parts.insert(p.part);
  for (const MissingAnswer& m : result.missing) parts.insert(m.part);
  std::string out;
  for (const std::uint32_t part : parts) {
    const std::vector<Row> rows = rows_of(result, part, gap);
    if (result.of->parts.size() > 1) {
      out += fmt::format("<h3>Part {} of {}, on fresh queue pairs</h3>\n", part, result.of->parts.size());
    }
    out += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Packet ladder\">" +
           Ladder(result, part).draw(rows) + "</div>\n";
  }
  return out;
}

}  // namespace softfeb::report

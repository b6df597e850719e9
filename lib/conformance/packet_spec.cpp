// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/packet_spec.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace softfeb::conformance {

namespace {

struct PacketKindRow {
  std::string_view name;
  std::uint8_t operation;
};

/// One row for each PacketKind, in the order of the enumeration.
constexpr std::array<PacketKindRow, 18> kPacketKinds = {{
    {"O", 0x0a},
    {"OI", 0x0b},
    {"F", 0x06},
    {"M", 0x07},
    {"L", 0x08},
    {"LI", 0x09},
    {"SEND_FIRST", 0x00},
    {"SEND_MIDDLE", 0x01},
    {"SEND_LAST", 0x02},
    {"SEND_ONLY", 0x04},
    {"SEND_ONLY_INV", 0x17},
    {"READ", 0x0c},
    {"CMP_SWAP", 0x13},
    {"FETCH_ADD", 0x14},
    {"CNP", 0x81},
    {"READ_RESPONSE", 0x10},
    {"ACKNOWLEDGE", 0x11},
    {"ATOMIC_ACK", 0x12},
}};

struct FieldRow {
  std::string_view name;
  Field field;
  std::string_view words;  ///< accepted words, with a space before and after each
};

constexpr FieldRow kFields[] = {
    {"opcode", Field::kOpcode, ""},
    {"se", Field::kSolicited, ""},
    {"migreq", Field::kMigReq, ""},
    {"padcnt", Field::kPadCount, ""},
    {"tver", Field::kTver, ""},
    {"pkey", Field::kPkey, ""},
    {"byte4", Field::kByte4, ""},
    {"destqp", Field::kDestQp, " unused "},
    {"ackreq", Field::kAckReq, ""},
    {"res7", Field::kReserved7, ""},
    {"psn", Field::kPsn, ""},
    {"region", Field::kRegion, ""},
    {"at", Field::kAt, ""},
    {"va", Field::kVa, ""},
    {"rkey", Field::kRkey, ""},
    {"len", Field::kLength, ""},
    {"imm", Field::kImmediate, ""},
    {"swap", Field::kSwap, ""},
    {"compare", Field::kCompare, ""},
    {"fill", Field::kFill, ""},
    {"payload", Field::kPayload, ""},
    {"pad", Field::kPad, ""},
    {"version", Field::kVersion, ""},
    {"ihl", Field::kIhl, ""},
    {"tos", Field::kTos, ""},
    {"dscp", Field::kDscp, ""},
    {"ecn", Field::kEcn, " ce "},
    {"id", Field::kId, ""},
    {"df", Field::kDf, ""},
    {"mf", Field::kMf, ""},
    {"offset", Field::kOffset, ""},
    {"ttl", Field::kTtl, ""},
    {"flow", Field::kFlowLabel, ""},
    {"ipsum", Field::kIpChecksum, ""},
    {"sip", Field::kSourceIp, " other second "},
    {"dip", Field::kDestIp, " other broadcast "},
    {"sport", Field::kSourcePort, ""},
    {"dport", Field::kDestPort, ""},
    {"udplen", Field::kUdpLength, ""},
    {"udpsum", Field::kUdpChecksum, " right "},
    {"dmac", Field::kDestMac, " other broadcast "},
    {"smac", Field::kSourceMac, " other "},
    {"vid", Field::kVid, ""},
    {"pcp", Field::kPcp, ""},
    {"v1", Field::kRoceV1, ""},
    {"cut", Field::kCut, ""},
    {"trail", Field::kTrail, ""},
    {"split", Field::kSplit, ""},
    {"icrc", Field::kIcrc, " none reversed no_ones byte4_counted "},
};

[[noreturn]] void refuse_packet(std::string_view packet, const std::string& what) {
  throw NotationError("'" + std::string(packet) + "' is not a packet: " + what);
}

std::string known_names() {
  std::string names;
  for (const FieldRow& row : kFields) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

const FieldRow& field_row(std::string_view packet, std::string_view name) {
  const auto* const row =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const FieldRow& r) { return r.name == name; });
  if (row == std::end(kFields))
    refuse_packet(packet, "unknown option '" + std::string(name) + "'; fix: use one of " + known_names());
  return *row;
}

bool accepts(const FieldRow& row, std::string_view word) {
  return !word.empty() && row.words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

void parse_value(std::string_view packet, const FieldRow& row, std::string_view text, Override& out) {
  if (accepts(row, text)) {
    out.mode = Override::Mode::kWord;
    out.word = text;
    return;
  }
  // For an offset from the start of the region, a leading sign is part of the expression. For other fields,
  // it means a difference from the correct value.
  const bool difference = row.field != Field::kAt && !text.empty() && (text[0] == '+' || text[0] == '-');
  if (text.empty()) refuse_packet(packet, "'" + std::string(row.name) + "' has no value");
  if (text[0] == '^') {
    out.mode = Override::Mode::kXor;
    text.remove_prefix(1);
  } else if (difference) {
    out.mode = Override::Mode::kAdd;
  }
  out.value = Expression::parse(text);
}

/// Parses `[~]NAME[.INDEX][=VALUE]`. An option without a value is a flag and means 1.
Override parse_option(std::string_view packet, std::string_view text) {
  Override out;
  if (!text.empty() && text[0] == '~') {
    out.late = true;
    text.remove_prefix(1);
  }
  const std::size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  bool numbered = false;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    const std::string_view index = name.substr(dot + 1);
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), out.index);
    if (error != std::errc() || end != index.data() + index.size())
      refuse_packet(packet, "'" + std::string(index) + "' is not the number of a byte");
    name = name.substr(0, dot);
    numbered = true;
  }
  const FieldRow& row = field_row(packet, name);
  out.field = row.field;
  if (numbered && out.field != Field::kPayload && out.field != Field::kPad)
    refuse_packet(packet, "only payload and pad have numbered bytes");
  if (equals == std::string_view::npos) {
    out.value = Expression(1);
  } else {
    parse_value(packet, row, text.substr(equals + 1), out);
  }
  return out;
}

bool is_size(std::string_view text) {
  return text.find('=') == std::string_view::npos &&
         (std::isdigit(static_cast<unsigned char>(text.front())) != 0 || text.front() == 'P' ||
          text.front() == 'S');
}

PacketSpec parse_packet(std::string_view text) {
  PacketSpec out;
  out.text = text;
  std::string_view rest = text;
  if (!rest.empty() && rest.back() == '!') {
    out.ack_req = true;
    rest.remove_suffix(1);
  }
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos || rest.back() != ')')
    refuse_packet(text, "it must have the form KIND(PSN,SIZE,OPTION…)");
  const std::string_view name = rest.substr(0, open);
  const auto* const kind = std::find_if(kPacketKinds.begin(), kPacketKinds.end(),
                                        [&](const PacketKindRow& row) { return row.name == name; });
  if (kind == kPacketKinds.end()) {
    refuse_packet(text, "unknown kind '" + std::string(name) +
                            "'; fix: use O, OI, F, M, L, LI, SEND_ONLY, READ, CNP "
                            "or another kind of doc/conformance.md");
  }
  out.kind = static_cast<PacketKind>(kind - kPacketKinds.begin());
  const auto parts = split(rest.substr(open + 1, rest.size() - open - 2), ',');
  out.psn = Expression::parse(parts[0]);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].empty()) refuse_packet(text, "an option is empty");
    if (k == 1 && is_size(parts[k])) {
      out.size = Expression::parse(parts[k]);
    } else {
      out.overrides.push_back(parse_option(text, parts[k]));
    }
  }
  return out;
}

}  // namespace

const Override* PacketSpec::find(Field field) const {
  const auto it = std::find_if(overrides.begin(), overrides.end(),
                               [&](const Override& o) { return o.field == field && !o.late; });
  return it == overrides.end() ? nullptr : &*it;
}

PacketSpec PacketSpec::unspoilt() const {
  const auto spoils = [](const Override& o) {
    return o.late || (o.field != Field::kLength && o.field != Field::kAt && o.field != Field::kRegion &&
                      o.field != Field::kImmediate && o.field != Field::kFill);
  };
  // The options are the last comma-separated parts of the text, in the order of `overrides`.
  const std::size_t close = text.rfind(')');
  const auto parts = split(std::string_view(text).substr(0, close), ',');
  const std::size_t options = parts.size() - overrides.size();
  PacketSpec out = *this;
  out.overrides.clear();
  out.text = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (k >= options && spoils(overrides[k - options])) continue;
    if (k >= options) out.overrides.push_back(overrides[k - options]);
    out.text += "," + std::string(parts[k]);
  }
  out.ack_req = true;
  out.text += ")!";
  return out;
}

std::vector<PacketSpec> parse_packets(std::string_view text) {
  std::vector<PacketSpec> out;
  for (const std::string_view part : split_words(text, ' ')) out.push_back(parse_packet(part));
  if (out.empty()) throw NotationError("a list of packets is empty");
  return out;
}

std::string_view name_of(PacketKind kind) { return kPacketKinds[static_cast<std::size_t>(kind)].name; }

std::uint8_t operation_of(PacketKind kind) { return kPacketKinds[static_cast<std::size_t>(kind)].operation; }

bool has_payload_by_default(PacketKind kind) { return kind <= PacketKind::kSendOnlyInv; }

bool carries_reth(PacketKind kind) {
  return kind == PacketKind::kOnly || kind == PacketKind::kOnlyImm || kind == PacketKind::kFirst ||
         kind == PacketKind::kRead;
}

bool carries_immediate(PacketKind kind) {
  return kind == PacketKind::kOnlyImm || kind == PacketKind::kLastImm;
}

bool carries_atomic_header(PacketKind kind) {
  return kind == PacketKind::kCompareSwap || kind == PacketKind::kFetchAdd;
}

bool begins(PacketKind kind) {
  return kind == PacketKind::kOnly || kind == PacketKind::kOnlyImm || kind == PacketKind::kFirst ||
         kind == PacketKind::kSendFirst || kind == PacketKind::kSendOnly ||
         kind == PacketKind::kSendOnlyInv || kind == PacketKind::kRead || carries_atomic_header(kind);
}

bool ends(PacketKind kind) {
  return kind != PacketKind::kFirst && kind != PacketKind::kMiddle && kind != PacketKind::kSendFirst &&
         kind != PacketKind::kSendMiddle;
}

bool is_write(PacketKind kind) { return kind <= PacketKind::kLastImm; }

}  // namespace softfeb::conformance

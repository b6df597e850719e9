// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/field_check.hpp"

#include "roce/ip.hpp"

#include <algorithm>
#include <iterator>

namespace softfeb::conformance {

namespace {

enum class Layer : std::uint8_t { kEthernet, kVlan, kIp, kUdp, kBth };

/// A field of `bits` bits in the big-endian number of `width` bytes at offset `at` of its header. The lowest
/// bit of the field is bit `shift` of this number.
struct AnswerField {
  std::string_view name;
  Layer part;
  std::uint8_t at, width, shift, bits;
};

constexpr AnswerField kAnswerFields[] = {
    {"dmac", Layer::kEthernet, 0, 6, 0, 48}, {"smac", Layer::kEthernet, 6, 6, 0, 48},
    {"vid", Layer::kVlan, 2, 2, 0, 12},      {"pcp", Layer::kVlan, 2, 2, 13, 3},
    {"ihl", Layer::kIp, 0, 1, 0, 4},         {"dscp", Layer::kIp, 1, 1, 2, 6},
    {"ecn", Layer::kIp, 1, 1, 0, 2},         {"df", Layer::kIp, 6, 2, 14, 1},
    {"mf", Layer::kIp, 6, 2, 13, 1},         {"offset", Layer::kIp, 6, 2, 0, 13},
    {"ttl", Layer::kIp, 8, 1, 0, 8},         {"sport", Layer::kUdp, 0, 2, 0, 16},
    {"dport", Layer::kUdp, 2, 2, 0, 16},     {"udplen", Layer::kUdp, 4, 2, 0, 16},
    {"udpsum", Layer::kUdp, 6, 2, 0, 16},    {"opcode", Layer::kBth, 0, 1, 0, 8},
    {"se", Layer::kBth, 1, 1, 7, 1},         {"migreq", Layer::kBth, 1, 1, 6, 1},
    {"padcnt", Layer::kBth, 1, 1, 4, 2},     {"tver", Layer::kBth, 1, 1, 0, 4},
    {"pkey", Layer::kBth, 2, 2, 0, 16},      {"byte4", Layer::kBth, 4, 1, 0, 8},
    {"destqp", Layer::kBth, 5, 3, 0, 24},    {"ackreq", Layer::kBth, 8, 1, 7, 1},
    {"res7", Layer::kBth, 8, 1, 0, 7},       {"psn", Layer::kBth, 9, 3, 0, 24},
    {"reserved", Layer::kBth, 12, 8, 0, 64}, {"value", Layer::kBth, 16, 8, 0, 64},
};
/// Size in bytes of the reserved field of a CNP. The table above contains only the first 8 of these bytes.
constexpr std::size_t kReservedSize = 16;

/// Offsets of the headers in an IPv4 frame; SIZE_MAX if the frame has no such header.
struct Places {
  std::size_t vlan = SIZE_MAX, ip = SIZE_MAX, udp = SIZE_MAX, bth = SIZE_MAX;
};

Places find_headers(const std::vector<std::uint8_t>& frame) {
  Places out;
  std::size_t type = 12;
  if (frame.size() < type + 2) return out;
  if (load_be16(&frame[type]) == roce::kEtherTypeVlan && frame.size() >= type + 6) {
    out.vlan = type;
    type += roce::kVlanTagSize;
  }
  if (load_be16(&frame[type]) != roce::kEtherTypeIpv4 || frame.size() < type + 2 + roce::kIpv4Size)
    return out;
  const std::size_t header = (frame[type + 2] & 0x0fU) * 4U;
  if (header < roce::kIpv4Size) return out;
  out.ip = type + 2;
  out.udp = out.ip + header;
  out.bth = out.udp + roce::kUdpHeaderSize;
  return out;
}

std::size_t start_of(Layer part, const Places& places) {
  switch (part) {
    case Layer::kVlan:
      return places.vlan;
    case Layer::kIp:
      return places.ip;
    case Layer::kUdp:
      return places.udp;
    case Layer::kBth:
      return places.bth;
    case Layer::kEthernet:
      break;
  }
  return 0;
}

const AnswerField* find_field(std::string_view name) {
  const auto* const it = std::find_if(std::begin(kAnswerFields), std::end(kAnswerFields),
                                      [&](const AnswerField& f) { return f.name == name; });
  return it == std::end(kAnswerFields) ? nullptr : it;
}

}  // namespace

bool is_answer_field(std::string_view name) { return find_field(name) != nullptr; }

std::optional<std::uint64_t> field_of(const Answer& answer, std::string_view name) {
  const AnswerField* const field = find_field(name);
  if (field == nullptr) return std::nullopt;
  const std::size_t start = start_of(field->part, find_headers(answer.frame));
  const bool reserved = name == "reserved";
  const std::size_t size = reserved ? kReservedSize : field->width;
  if (start == SIZE_MAX || answer.frame.size() < start + field->at + size) return std::nullopt;
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < field->width; ++k) word = word << 8 | answer.frame[start + at + k];
    return word;
  };
  std::uint64_t word = word_at(field->at);
  if (reserved) word |= word_at(field->at + field->width);
  const std::uint64_t mask = field->bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field->bits) - 1;
  return word >> field->shift & mask;
}

bool udp_checksum_valid(const Answer& answer) {
  const Places places = find_headers(answer.frame);
  const auto& frame = answer.frame;
  if (places.ip == SIZE_MAX || frame.size() < places.bth) return false;
  if (load_be16(&frame[places.udp + 6]) == 0) return true;
  const std::size_t length = load_be16(&frame[places.udp + 4]);
  if (length < roce::kUdpHeaderSize || frame.size() < places.udp + length) return false;
  std::uint32_t sum = static_cast<std::uint32_t>(length) + roce::kIpProtocolUdp;
  const auto add = [&](std::size_t from, std::size_t size) {
    for (std::size_t k = 0; k < size; k += 2)
      sum += static_cast<std::uint32_t>(frame[from + k]) << 8 | (k + 1 < size ? frame[from + k + 1] : 0U);
  };
  add(places.ip + 12, 8);
  add(places.udp, length);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

}  // namespace softfeb::conformance

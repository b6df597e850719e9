// SPDX-License-Identifier: BSD-3-Clause
#include "report/pcapng.hpp"

#include "report/markup.hpp"

#include <algorithm>

namespace softfeb::report {

namespace {

constexpr std::uint32_t kSectionBlock = 0x0a0d0d0a, kInterfaceBlock = 1, kPacketBlock = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint16_t kEnd = 0, kComment = 1;
constexpr std::uint16_t kUserApplication = 4;                              // option of the section header
constexpr std::uint16_t kIfName = 2, kIfDescription = 3, kIfTimeUnit = 9;  // options of an interface
constexpr std::uint16_t kPacketFlags = 2;                                  // option of a packet
constexpr char kNanoseconds = 9;                                           // value of kIfTimeUnit: 10^-9 s
constexpr std::uint16_t kEthernetLink = 1;
constexpr std::size_t kLongestText = 4'000;

/// Shortens a text, and replaces invalid UTF-8 with question marks. Texts from the target may contain invalid
/// UTF-8, which comments must not contain.
std::string valid_text(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kLongestText) {
    const std::size_t length = character_length(text);
    out += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace

PcapngWriter::PcapngWriter(std::string_view comment, std::string_view program) {
  const std::size_t begin = begin_block(kSectionBlock);
  put32(kByteOrderMagic);
  put16(1);  // version 1.0
  put16(0);
  put32(UINT32_MAX);  // the length of the section is not specified
  put32(UINT32_MAX);
  put_text(kComment, comment);
  put_text(kUserApplication, program);
  end_block(begin);
}

std::uint32_t PcapngWriter::add_interface(std::string_view name, std::string_view description) {
  const std::size_t begin = begin_block(kInterfaceBlock);
  put16(kEthernetLink);
  put16(0);
  put32(0);  // the length of frames is not limited
  put_text(kIfName, name);
  put_text(kIfDescription, description);
  put_option(kIfTimeUnit, std::string_view(&kNanoseconds, 1));
  end_block(begin);
  return interfaces_++;
}

void PcapngWriter::add_packet(std::uint32_t interface, Time at, std::span<const std::uint8_t> frame,
                              Direction direction, std::string_view comment) {
  const std::uint64_t stamp = at / kNanosecond;
  const auto length = static_cast<std::uint32_t>(frame.size());
  const std::size_t begin = begin_block(kPacketBlock);
  put32(interface);
  put32(static_cast<std::uint32_t>(stamp >> 32));
  put32(static_cast<std::uint32_t>(stamp));
  put32(length);
  put32(length);
  out_.append(frame.begin(), frame.end());
  pad();
  put_text(kComment, comment);
  if (direction != Direction::kUnknown) {
    const char flags[] = {static_cast<char>(direction), 0, 0, 0};
    put_option(kPacketFlags, std::string_view(flags, sizeof flags));
  }
  end_block(begin);
}

void PcapngWriter::put16(std::uint16_t value) {
  out_ += static_cast<char>(value);
  out_ += static_cast<char>(value >> 8);
}

void PcapngWriter::put32(std::uint32_t value) {
  put16(static_cast<std::uint16_t>(value));
  put16(static_cast<std::uint16_t>(value >> 16));
}

void PcapngWriter::pad() { out_.append((4 - out_.size() % 4) % 4, '\0'); }

void PcapngWriter::put_option(std::uint16_t code, std::string_view value) {
  put16(code);
  put16(static_cast<std::uint16_t>(value.size()));
  out_ += value;
  pad();
}

void PcapngWriter::put_text(std::uint16_t code, std::string_view text) {
  if (!text.empty()) put_option(code, valid_text(text));
}

std::size_t PcapngWriter::begin_block(std::uint32_t type) {
  const std::size_t begin = out_.size();
  put32(type);
  put32(0);  // placeholder of the length, which end_block() fills in
  return begin;
}

void PcapngWriter::end_block(std::size_t begin) {
  put_option(kEnd, {});
  const auto length = static_cast<std::uint32_t>(out_.size() + 4 - begin);
  for (std::size_t k = 0; k < 4; ++k) out_[begin + 4 + k] = static_cast<char>(length >> (8 * k));
  put32(length);
}

}  // namespace softfeb::report

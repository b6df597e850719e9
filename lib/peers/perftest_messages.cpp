// SPDX-License-Identifier: BSD-3-Clause
#include "peers/perftest_messages.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>

namespace softfeb::peers::perftest {

namespace {

std::string_view as_text(ByteSpan bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.substr(0, all.find('\0'));
}

/// Reads fixed-width hexadecimal fields, each followed by a colon. One bad field invalidates the whole text.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}

  std::uint64_t hex(std::size_t digits) {
    if (text_.size() < digits + 1 || text_[digits] != ':') return fail();
    std::uint64_t value = 0;
    const char* const end = text_.data() + digits;
    const auto [parsed, error] = std::from_chars(text_.data(), end, value, 16);
    if (error != std::errc{} || parsed != end) return fail();
    text_.remove_prefix(digits + 1);
    return value;
  }
  std::uint32_t hex32(std::size_t digits) { return static_cast<std::uint32_t>(hex(digits)); }

  bool whole() const { return good_ && text_.empty(); }

 private:
  std::uint64_t fail() {
    good_ = false;
    text_ = {};
    return 0;
  }
  std::string_view text_;
  bool good_ = true;
};

/// Reads the fields from LID to address. The message begins with these fields, with or without a GID.
void read_common(FieldReader& reader, Keys& keys) {
  keys.lid = reader.hex32(4);
  keys.out_reads = reader.hex32(4);
  keys.qpn = reader.hex32(6);
  keys.psn = reader.hex32(6);
  keys.rkey = reader.hex32(8);
  keys.address = reader.hex(16);
}

}  // namespace

VersionMessage encode_version(std::string_view text) {
  VersionMessage message{};
  std::copy_n(text.begin(), std::min(text.size(), message.size() - 1), message.begin());
  return message;
}

std::optional<Version> decode_version(const VersionMessage& message) {
  const std::string_view text = as_text(message);
  const char* const end = text.data() + text.size();
  unsigned major = 0;
  const auto [dot, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc{} || dot == end || *dot != '.' || major > 99) return std::nullopt;
  unsigned minor = 0;
  const auto [last, minor_error] = std::from_chars(dot + 1, end, minor);
  // The version is a decimal fraction, as in perftest: "5.6" means 5.60.
  const auto digits = last - (dot + 1);
  if (minor_error != std::errc{} || last != end || digits > 2) return std::nullopt;
  return Version{major * 100 + (digits == 1 ? minor * 10 : minor), std::string(text)};
}

IntMessage encode_int(std::uint32_t value) {
  IntMessage message;
  store_be32(message.data(), value);
  return message;
}

std::uint32_t decode_int(const IntMessage& message) { return load_be32(message.data()); }

MtuMessage encode_mtu(std::uint32_t bytes) {
  return {static_cast<std::uint8_t>('0' + std::countr_zero(bytes) - 7), 0};
}

std::optional<std::uint32_t> decode_mtu(const MtuMessage& message) {
  if (message[0] < '1' || message[0] > '5' || message[1] != 0) return std::nullopt;
  return 128U << (message[0] - '0');
}

KeysMessage encode_keys(const Keys& keys) {
  char text[kKeysSize + 16];
  int n = std::snprintf(text, sizeof text, "%04x:%04x:%06x:%06x:%08x:%016llx:", keys.lid & 0xffffU,
                        keys.out_reads & 0xffffU, keys.qpn & 0xffffffU, keys.psn & 0xffffffU, keys.rkey,
                        static_cast<unsigned long long>(keys.address));
  for (const std::uint8_t byte : keys.gid.bytes)
    n += std::snprintf(text + n, sizeof text - static_cast<std::size_t>(n), "%02x:", byte);
  std::snprintf(text + n, sizeof text - static_cast<std::size_t>(n), "%08x:", keys.srqn);
  KeysMessage message;
  std::copy_n(text, message.size(), message.begin());  // includes the terminating NUL
  return message;
}

std::optional<Keys> decode_keys(const KeysMessage& message) {
  FieldReader reader(as_text(message));
  Keys keys;
  read_common(reader, keys);
  for (std::uint8_t& byte : keys.gid.bytes) byte = static_cast<std::uint8_t>(reader.hex(2));
  keys.srqn = reader.hex32(8);
  if (!reader.whole()) return std::nullopt;
  return keys;
}

bool is_short_keys(ByteSpan start) {
  if (start.size() < kShortKeysSize || start[kShortKeysSize - 1] != 0) return false;
  const std::string text =
      // FieldReader expects a colon after every field.
      std::string(as_text(start.first(kShortKeysSize))) + ':';
  FieldReader reader(text);
  Keys keys;
  read_common(reader, keys);
  reader.hex(8);
  return reader.whole();
}

ReportMessage encode_report(std::uint64_t value) {
  ReportMessage message;
  store_be64(message.data(), value);
  return message;
}

ReportMessage encode_report(double value) { return encode_report(std::bit_cast<std::uint64_t>(value)); }

}  // namespace softfeb::peers::perftest

// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace softfeb::srp {

namespace {

constexpr std::size_t kWord = 4;
constexpr std::uint64_t kAddressSpace = 1ULL << 32;
constexpr std::uint32_t kCapabilityBits = 0x3c00;
constexpr std::uint32_t kIgnoreBusErrors = 1U << 14;

std::uint32_t word(const Header& header, std::size_t index) { return load_le32(&header[index * kWord]); }

bool is_write(Opcode opcode) { return opcode == Opcode::kWrite || opcode == Opcode::kPostedWrite; }

/// Returns the errors that prevent the whole access. `size` is in bytes.
std::uint32_t check_header(const Request& r, std::uint64_t size, std::size_t message_bytes) {
  std::uint32_t status = 0;
  if (message_bytes < kHeaderSize || is_write(r.opcode) != (message_bytes > kHeaderSize)) status |= kFraming;
  if (r.header[0] != kVersion) status |= kWrongVersion;
  if (size > kMaxAccess) status |= kTooLarge;
  if (r.address > kAddressSpace || r.address + size > kAddressSpace) status |= kAddressTooHigh;
  if (r.address % kWord != 0) status |= kMisaligned;
  if (size % kWord != 0) status |= kSizeAlignment;
  return status;
}

/// Sets the data of a write. If the length of the data differs from the request's size, the board notices
/// this at the last word of the shorter of the two. The board has then already written all preceding words,
/// so the access consists of these preceding words.
void check_data(Request& r, ByteSpan data) {
  if (data.size() == r.access) {
    r.data = data;
    return;
  }
  r.status |= kFraming;
  const std::size_t words = std::min((data.size() + kWord - 1) / kWord, r.access / kWord);
  r.access = (words - 1) * kWord;
  r.data = data.first(r.access);
}

}  // namespace

std::optional<Request> parse_request(ByteSpan message, bool eofe) {
  if (message.size() < kWord) return std::nullopt;
  Request r;
  const std::size_t whole_words = std::min(message.size(), kHeaderSize) / kWord * kWord;
  std::copy_n(message.begin(), whole_words, r.header.begin());
  const std::uint32_t first = word(r.header, 0);
  r.opcode = static_cast<Opcode>(first >> 8 & 3);
  r.ignore_bus_errors = (first & kIgnoreBusErrors) != 0;
  r.id = word(r.header, 1);
  r.address = std::uint64_t{word(r.header, 3)} << 32 | word(r.header, 2);
  const std::uint64_t size = std::uint64_t{word(r.header, 4)} + 1;
  r.status = check_header(r, size, message.size()) | (eofe ? kEofe : 0);
  if (r.status != 0 || r.opcode == Opcode::kNull) return r;
  r.access = static_cast<std::size_t>(size);
  if (is_write(r.opcode)) check_data(r, message.subspan(kHeaderSize));
  return r;
}

std::vector<std::uint8_t> make_request(Opcode opcode, std::uint32_t id, std::uint32_t address,
                                       std::size_t size, ByteSpan data, std::uint8_t bus_timeout) {
  std::vector<std::uint8_t> out(kHeaderSize + data.size());
  store_le32(&out[0], std::uint32_t{bus_timeout} << 24 | static_cast<std::uint32_t>(opcode) << 8 | kVersion);
  store_le32(&out[4], id);
  store_le32(&out[8], address);
  store_le32(&out[16], static_cast<std::uint32_t>(size - 1));
  std::copy(data.begin(), data.end(), out.begin() + kHeaderSize);
  return out;
}

bool Response::answers(const Header& request) const {
  if ((word(header, 0) & ~kCapabilityBits) != (word(request, 0) & ~kCapabilityBits)) return false;
  return std::equal(header.begin() + kWord, header.end(), request.begin() + kWord);
}

std::optional<Response> parse_response(ByteSpan message) {
  if (message.size() < kHeaderSize + kStatusSize || message.size() > kMaxMessage ||
      message.size() % kWord != 0)
    return std::nullopt;
  Response r;
  std::copy_n(message.begin(), kHeaderSize, r.header.begin());
  r.id = word(r.header, 1);
  r.data = message.subspan(kHeaderSize, message.size() - kHeaderSize - kStatusSize);
  r.status = load_le32(&message[message.size() - kStatusSize]);
  return r;
}

std::string status_text(std::uint32_t status) {
  static constexpr std::pair<std::uint32_t, std::string_view> kBits[] = {
      {kSizeAlignment, "size is not a multiple of 4 bytes"},
      {kMisaligned, "address is not a multiple of 4"},
      {kAddressTooHigh, "address is above 32 bits"},
      {kBusTimeout, "the register bus did not respond in time"},
      {kEofe, "the request arrived damaged (EOFE)"},
      {kFraming, "the request's length does not match its size"},
      {kWrongVersion, "the request has another SRP version"},
      {kTooLarge, "more than 4096 bytes in one access"},
      {kBusStuck, "the register bus has been stuck since an earlier timeout (reset the board)"},
  };
  static constexpr std::string_view kAxi[] = {"", "exclusive access (AXI EXOKAY)",
                                              "slave error: the register refuses the access (AXI SLVERR)",
                                              "decode error: no register at this address (AXI DECERR)"};
  std::string out(kAxi[status & kAxiResponse]);
  std::uint32_t known = kAxiResponse;
  for (const auto& [bit, text] : kBits) {
    known |= bit;
    if ((status & bit) == 0) continue;
    if (!out.empty()) out += ", ";
    out += text;
  }
  if ((status & ~known) != 0) out += (out.empty() ? "" : ", ") + std::string("unknown status bits");
  return out;
}

}  // namespace softfeb::srp

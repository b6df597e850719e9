// SPDX-License-Identifier: BSD-3-Clause
#include "roce/congestion_header.hpp"

#include "roce/ip.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::roce {

namespace {

constexpr std::size_t kHopsAt = 3, kChecksumAt = 4, kPathAt = 6;

/// Size of the body of a profile; 0 if the size is not fixed.
std::size_t fixed_body(std::uint8_t profile) {
  switch (profile) {
    case CongestionHeader::kDelay:
      return DelayBody::kSize;
    case CongestionHeader::kInt:
      return IntBody::kSize;
    case CongestionHeader::kCredit:
      return CreditBody::kSize;
    default:
      return 0;
  }
}

/// Changes 16-bit words of a header with a valid checksum, and updates the checksum in finish() (RFC 1624,
/// equation 3).
class ChecksummedEdit {
 public:
  explicit ChecksummedEdit(std::uint8_t* header)
      : header_(header), sum_(static_cast<std::uint16_t>(~load_be16(header + kChecksumAt))) {}

  /// Sets the 16-bit word at byte offset `at`, which must be even.
  void set16(std::size_t at, std::uint16_t value) {
    sum_ += static_cast<std::uint16_t>(~load_be16(header_ + at));
    sum_ += value;
    store_be16(header_ + at, value);
  }
  void set32(std::size_t at, std::uint32_t value) {
    set16(at, static_cast<std::uint16_t>(value >> 16));
    set16(at + 2, static_cast<std::uint16_t>(value));
  }
  void finish() {
    while ((sum_ >> 16) != 0) sum_ = (sum_ & 0xffff) + (sum_ >> 16);
    store_be16(header_ + kChecksumAt, static_cast<std::uint16_t>(~sum_));
  }

 private:
  std::uint8_t* header_;
  std::uint32_t sum_;
};

void set_flags(ChecksummedEdit& edit, const std::uint8_t* header, std::uint8_t flags) {
  edit.set16(0, static_cast<std::uint16_t>(load_be16(header) | flags << 8));
}

/// True if this header travels from sender to receiver, so that switches and the receiver may change it.
bool travels_forward(const std::optional<CongestionHeader>& header) {
  return header && !header->echo() && !header->control();
}

}  // namespace

std::optional<CongestionHeader> CongestionHeader::decode(ByteSpan in) {
  if (in.size() < kCommonSize || in[0] >> 4 != kVersion) return std::nullopt;
  const std::size_t size = std::size_t{4} * in[2];
  if (size < kCommonSize || size > kMaxSize || size > in.size()) return std::nullopt;
  if (const std::size_t body = fixed_body(in[1]); body != 0 && size != kCommonSize + body)
    return std::nullopt;
  if (internet_checksum(in.first(size)) != 0) return std::nullopt;
  CongestionHeader h;
  h.flags = in[0] & 0x0f;
  h.profile = in[1];
  h.hops = in[kHopsAt];
  h.path = load_be16(&in[kPathAt]);
  h.body = in.subspan(kCommonSize, size - kCommonSize);
  return h;
}

std::size_t CongestionHeader::encode(std::uint8_t* out) const {
  out[0] = static_cast<std::uint8_t>(kVersion << 4 | (flags & 0x0f));
  out[1] = profile;
  out[2] = static_cast<std::uint8_t>(size() / 4);
  out[kHopsAt] = hops;
  store_be16(out + kChecksumAt, 0);
  store_be16(out + kPathAt, path);
  if (!body.empty()) std::memcpy(out + kCommonSize, body.data(), body.size());
  store_be16(out + kChecksumAt, internet_checksum({out, size()}));
  return size();
}

void DelayBody::encode(std::uint8_t* out) const {
  store_be32(out, departed_ns);
  store_be32(out + 4, remote_ns);
}

std::optional<DelayBody> DelayBody::decode(const CongestionHeader& header) {
  if (header.profile != CongestionHeader::kDelay || header.body.size() != kSize) return std::nullopt;
  return DelayBody{load_be32(&header.body[0]), load_be32(&header.body[4])};
}

std::optional<IntBody> IntBody::decode(const CongestionHeader& header) {
  if (header.profile != CongestionHeader::kInt || header.body.size() != kSize) return std::nullopt;
  IntBody b;
  b.count = std::min<std::size_t>(header.hops, kMaxRecords);
  for (std::size_t i = 0; i < b.count; ++i)
    b.records[i] = congestion::IntRecord::unpack(load_be64(&header.body[8 * i]));
  return b;
}

void CreditBody::encode(std::uint8_t* out) const {
  out[0] = kind;
  out[1] = priority;
  store_be16(out + 2, 0);
  store_be32(out + 4, last_psn & kPsnMask);
  store_be32(out + 8, first_missing & kPsnMask);
}

std::optional<CreditBody> CreditBody::decode(const CongestionHeader& header) {
  if (header.profile != CongestionHeader::kCredit || header.body.size() != kSize) return std::nullopt;
  return CreditBody{header.body[0], header.body[1], load_be32(&header.body[4]) & kPsnMask,
                    load_be32(&header.body[8]) & kPsnMask};
}

std::size_t write_delay_header(std::uint8_t* out, Time departure) {
  std::array<std::uint8_t, DelayBody::kSize> body;
  DelayBody{static_cast<std::uint32_t>(departure / kNanosecond), 0}.encode(body.data());
  return CongestionHeader{0, CongestionHeader::kDelay, 0, 0, body}.encode(out);
}

std::size_t write_int_header(std::uint8_t* out) {
  static constexpr std::array<std::uint8_t, IntBody::kSize> kEmpty{};
  return CongestionHeader{0, CongestionHeader::kInt, 0, 0, kEmpty}.encode(out);
}

std::size_t write_credit_header(std::uint8_t* out, const CreditBody& credit) {
  std::array<std::uint8_t, CreditBody::kSize> body;
  credit.encode(body.data());
  return CongestionHeader{CongestionHeader::kControl, CongestionHeader::kCredit, 0, 0, body}.encode(out);
}

std::size_t write_user_header(std::uint8_t* out, std::uint8_t profile, ByteSpan body) {
  if (profile < CongestionHeader::kFirstUser || body.size() > CongestionHeader::kMaxBody) return 0;
  std::array<std::uint8_t, CongestionHeader::kMaxBody> padded{};
  std::copy(body.begin(), body.end(), padded.begin());
  const std::size_t size = (body.size() + 3) / 4 * 4;
  return CongestionHeader{0, profile, 0, 0, ByteSpan(padded).first(size)}.encode(out);
}

bool add_hop(MutableByteSpan bytes, const congestion::IntRecord& record, std::uint16_t switch_id) {
  const auto header = CongestionHeader::decode(bytes);
  if (!travels_forward(header)) return false;
  std::uint8_t* const h = bytes.data();
  ChecksummedEdit edit(h);
  if (header->profile == CongestionHeader::kInt) {
    if (header->hops < IntBody::kMaxRecords) {
      const std::size_t at = CongestionHeader::kCommonSize + std::size_t{8} * header->hops;
      edit.set32(at, static_cast<std::uint32_t>(record.pack() >> 32));
      edit.set32(at + 4, static_cast<std::uint32_t>(record.pack()));
    } else {
      set_flags(edit, h, CongestionHeader::kMoreHops);
    }
  }
  const unsigned hops = std::min(header->hops + 1U, 255U);
  edit.set16(kHopsAt - 1, static_cast<std::uint16_t>(h[kHopsAt - 1] << 8 | hops));
  edit.set16(kPathAt, header->path ^ switch_id);
  edit.finish();
  return true;
}

bool make_echo(MutableByteSpan bytes, Time remote_delay) {
  const auto header = CongestionHeader::decode(bytes);
  if (!travels_forward(header)) return false;
  std::uint8_t* const h = bytes.data();
  ChecksummedEdit edit(h);
  set_flags(edit, h, CongestionHeader::kEcho);
  if (header->profile == CongestionHeader::kDelay) {
    const Time ns = std::min<Time>(remote_delay / kNanosecond, UINT32_MAX);
    edit.set32(CongestionHeader::kCommonSize + 4, static_cast<std::uint32_t>(ns));
  }
  edit.finish();
  return true;
}

}  // namespace softfeb::roce

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "roce/craft.hpp"
#include "roce/icrc.hpp"

#include <array>
#include <optional>
#include <vector>

namespace softfeb::test {

/// Returns the path that the answers of a target take.
inline roce::Path answer_path(bool v6 = false) {
  roce::Path path;
  path.source_mac = {2, 0, 0, 0, 0, 2};
  path.dest_mac = {2, 0, 0, 0, 0, 1};
  path.source_ip = *roce::IpAddress::parse(v6 ? "fd00::2" : "10.0.0.2");
  path.dest_ip = *roce::IpAddress::parse(v6 ? "fd00::1" : "10.0.0.1");
  return path;
}

/// Returns a frame with the bytes `transport` (from the BTH to the pad) and a correct iCRC.
inline std::vector<std::uint8_t> answer_frame(const std::vector<std::uint8_t>& transport,
                                              const roce::Path& path = answer_path()) {
  const roce::HeaderTemplate headers(path);
  std::vector<std::uint8_t> out(headers.size());
  headers.write(out.data(), static_cast<std::uint32_t>(transport.size() + roce::kIcrcSize), 1);
  out.insert(out.end(), transport.begin(), transport.end());
  const std::uint32_t icrc = roce::icrc_of(Segments(ByteSpan(out).subspan(headers.ip_offset())));
  out.resize(out.size() + roce::kIcrcSize);
  store_le32(&out[out.size() - roce::kIcrcSize], icrc);
  return out;
}

inline std::vector<std::uint8_t> ack_frame(const roce::Aeth& aeth, roce::Psn psn, roce::Qpn dest_qp,
                                           const roce::Path& path = answer_path()) {
  std::vector<std::uint8_t> out(256);
  std::array<std::uint8_t, 8> trailer{};
  const roce::Crafted c = roce::craft_acknowledge(roce::HeaderTemplate(path), aeth, psn, dest_qp,
                                                  roce::kDefaultPkey, 1, out.data(), trailer.data());
  out.resize(c.header_length);
  out.insert(out.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return out;
}

inline std::vector<std::uint8_t> cnp_frame(roce::Qpn dest_qp, const roce::Path& path = answer_path()) {
  std::vector<std::uint8_t> transport(roce::kCnpSize);
  roce::encode_cnp(transport.data(), dest_qp);
  return answer_frame(transport, path);
}

inline std::optional<conformance::Answer> read(const std::vector<std::uint8_t>& frame, Time at = 0) {
  const Segments whole{ByteSpan(frame)};
  return conformance::read_answer(whole, roce::parse_frame(whole), at);
}

}  // namespace softfeb::test

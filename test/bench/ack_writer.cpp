// SPDX-License-Identifier: BSD-3-Clause
#include "ack_writer.hpp"

#include "roce/craft.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::bench {

AckWriter::AckWriter(const roce::Path& path) {
  const roce::HeaderTemplate headers(path);
  const auto icrc = [&](roce::Qpn qpn, roce::Psn psn) {
    std::array<std::uint8_t, 8> trailer;  // space required by crafting
    const roce::Crafted c = roce::craft_acknowledge(headers, {roce::Aeth::ack(), 0}, psn, qpn,
                                                    roce::kDefaultPkey, 0, frame_.data(), trailer.data());
    if (c.header_length + c.trailer_length != kSize)
      throw std::logic_error("acknowledgements are of IPv4 here");
    std::copy_n(trailer.begin(), roce::kIcrcSize, frame_.end() - roce::kIcrcSize);
    return load_le32(trailer.data());
  };
  base_ = icrc(0, 0);
  for (unsigned k = 0; k < 3; ++k) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      qpn_[k][byte] = icrc(byte << 8 * k, 0) ^ base_;
      psn_[k][byte] = icrc(0, byte << 8 * k) ^ base_;
    }
  }
  icrc(0, 0);
}

}  // namespace softfeb::bench

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "input.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "roce/path.hpp"
#include "world.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

namespace softfeb::fuzz {

/// Returns the path from the attacker of `pair` to `to`.
inline roce::Path path_to(const Pair& pair, const Party& to) {
  roce::Path path;
  path.source_mac = pair.attacker.mac;
  path.dest_mac = to.mac;
  path.source_ip = pair.attacker.ip;
  path.dest_ip = to.ip;
  path.vlan = pair.vlan;
  return path;
}

/// Sends the bytes `transport`, which begin with a BTH, from the attacker, with valid lower layers and iCRC.
inline void send(World& world, const Pair& pair, const Party& to, ByteSpan transport) {
  const roce::HeaderTemplate headers(path_to(pair, to));
  std::vector<std::uint8_t> frame(headers.size() + transport.size() + roce::kIcrcSize);
  headers.write(frame.data(), static_cast<std::uint32_t>(transport.size() + roce::kIcrcSize), 1);
  std::memcpy(&frame[headers.size()], transport.data(), transport.size());
  const ByteSpan covered = ByteSpan(frame).first(frame.size() - roce::kIcrcSize).subspan(headers.ip_offset());
  store_le32(&frame[frame.size() - roce::kIcrcSize], roce::icrc_of(covered));
  world.inject(ByteSpan(frame));
}

/// Lets the victims finish, and aborts if one of them was affected.
inline void finish(World& world) {
  while (!world.victims_finished() && world.now() < kSecond) world.step(kMicrosecond);
  for (int k = 0; k < 10; ++k) world.step(kMicrosecond);
  const std::string wrong = world.judge();
  if (wrong.empty()) return;
  std::fputs(wrong.c_str(), stderr);
  std::abort();
}

}  // namespace softfeb::fuzz

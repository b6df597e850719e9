// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/trial.hpp"

#include "fabric/wire_time.hpp"
#include "switchtest/rig.hpp"

#include <stdexcept>

namespace softfeb::switchtest {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("trial: ") + what);
}

void check_kind(const FrameKind& kind, const std::vector<RigPort>& ports) {
  require(kind.to < ports.size(), "a frame goes to a port that does not exist");
  const std::uint32_t v6 = kind.ipv6 ? roce::kIpv6Size - roce::kIpv4Size : 0;
  if (kind.plain_udp) {
    require(!kind.ipv6, "plain UDP frames are IPv4 only");
    require(kind.length >= kSmallestUdpFrame && kind.length <= 16'000,
            "a plain UDP frame is too short or long");
    return;
  }
  require(kind.length >= kSmallestRoceFrame + v6 && kind.length <= kLargestRoceFrame + v6,
          "a RoCE frame is too short or long");
  require((kind.length - kSmallestRoceFrame - v6) % 4 == 0,
          "the payload of a RoCE frame is not a multiple of 4");
}

/// Checks that each kind of RC frames has exactly one source, because answers go to the sender of the kind.
void check_rc(const Trial& trial) {
  std::vector<unsigned> sources(trial.kinds.size(), 0);
  for (const Source& source : trial.sources) {
    for (const std::uint16_t kind : source.kinds) ++sources[kind];
    require(!source.dcqcn || (source.kinds.size() == 1 && trial.kinds[source.kinds.front()].rc_source_qp),
            "a source with DCQCN does not send a single kind of RC frames");
  }
  for (std::size_t k = 0; k < trial.kinds.size(); ++k) {
    if (!trial.kinds[k].rc_source_qp) continue;
    require(sources[k] == 1, "a kind of RC frames does not have one source");
    require(!trial.kinds[k].plain_udp && !trial.kinds[k].ipv6, "RC frames must be RoCE over IPv4");
  }
  require(!trial.answers || trial.answers->frames_per_ack != 0, "no number of frames per acknowledgement");
  for (const ForgedCnp& cnp : trial.forged_cnps)
    require(cnp.kind < trial.kinds.size() && trial.kinds[cnp.kind].rc_source_qp && cnp.at <= trial.end,
            "a CNP has no kind of RC frames or comes after the end");
}

}  // namespace

Time time_on_wire(std::uint32_t length, std::uint64_t rate) {
  return fabric::wire_bytes(length) * kSecond / rate;
}

roce::MacControl pause_of(const Freeze& freeze, std::uint16_t quanta) {
  roce::MacControl out;
  out.kind = freeze.kind;
  if (freeze.kind == roce::MacControl::Kind::kPause) {
    out.quanta[0] = quanta;
    return out;
  }
  out.enabled = freeze.classes;
  for (std::size_t p = 0; p < roce::kPriorities; ++p)
    if ((freeze.classes >> p & 1) != 0) out.quanta[p] = quanta;
  return out;
}

PortAddress default_address(std::uint16_t port) {
  const std::uint32_t low = port;
  PortAddress out;
  out.mac = roce::mac_plus({0x02, 0x53, 0x54, 0x50, 0x00, 0x00}, low);
  out.v4 = roce::IpAddress::from_v4(0xc612'0001U + (low << 8));  // 198.18.PORT.1
  out.v6 = *roce::IpAddress::parse("2001:2::1");
  out.v6.bytes[6] = static_cast<std::uint8_t>(low >> 8);
  out.v6.bytes[7] = static_cast<std::uint8_t>(low);
  return out;
}

void check(const Trial& trial, const std::vector<RigPort>& ports) {
  require(trial.kinds.size() <= UINT16_MAX, "too many kinds of frames");
  for (const FrameKind& kind : trial.kinds) check_kind(kind, ports);
  for (const Source& source : trial.sources) {
    require(source.port < ports.size(), "a source is at a port that does not exist");
    require(!source.kinds.empty(), "a source has no kinds of frames");
    for (const std::uint16_t kind : source.kinds)
      require(kind < trial.kinds.size(), "a source sends a kind of frames that does not exist");
    require(source.start <= trial.end, "a source starts after the end");
  }
  for (const Freeze& freeze : trial.freezes)
    require(freeze.port < ports.size() && freeze.from < freeze.until && freeze.until <= trial.end,
            "a freeze has no port or no duration, or ends after the trial");
  for (const PauseFrame& p : trial.pauses)
    require(p.port < ports.size() && p.at <= trial.end, "a pause frame has no port or comes after the end");
  check_rc(trial);
}

}  // namespace softfeb::switchtest

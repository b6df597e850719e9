// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "world.hpp"

#include <array>
#include <cstdint>

namespace softfeb::fuzz {

/// Builds hostile frames: packets that pass many of a target's checks, packets that pretend to be from a
/// victim's peer, non-RoCE frames, and mutations of all these frames. The forge knows the state of the QPs
/// better than a real attacker would. Victims must accept none of the frames.
class Forge {
 public:
  explicit Forge(std::uint64_t seed) : rng_(seed) {}

  /// Returns the next hostile frame, which is valid until the next call.
  ByteSpan make(const World& world);
  Rng& rng() { return rng_; }

 private:
  static constexpr std::size_t kRoom = 10'240;

  /// Progress of the message that the attacker sends to a target's responder.
  struct Stream {
    bool active = false;
    std::uint32_t remaining = 0;
    roce::Psn next_psn = 0;    ///< PSN that the responder expects next if it has accepted the last packet
    bool active_then = false;  ///< value that `active` has if the responder has accepted the last packet
    std::uint32_t remaining_then = 0;
  };

  bool often(unsigned percent) { return rng_.below(100) < percent; }
  std::uint32_t odd_number();
  roce::Path path(const Party& from, const Party& to, const Pair& pair);
  /// Completes a frame whose transport packet is in transport_ and has `transport` bytes. Adds the headers
  /// from Ethernet to UDP, and the iCRC.
  void put_datagram(const roce::Path& path, std::size_t transport,
                    std::uint16_t udp_port = roce::kRoceUdpPort);

  void make_request(const Pair& pair);
  void make_response(const Pair& pair);
  void make_spoof(const Pair& pair);
  void make_arp(const Pair& pair);
  void make_icmp(const Pair& pair);
  void make_datagram(const Pair& pair);
  void make_noise(const Pair& pair);
  void make_pause(const Pair& pair);
  std::size_t write_request(const Pair& pair, std::size_t qp, Stream& s);
  roce::Reth make_reth(std::size_t qp, std::uint32_t length);

  void make_credit(const Pair& pair);
  void add_congestion_header(const Pair& pair);
  void mutate();
  void mutate_once();
  void repair(const Pair& pair);
  void keep_from_victims(const Pair& pair);

  Rng rng_;
  std::array<std::uint8_t, kRoom> frame_{};
  std::size_t size_ = 0;
  std::array<std::uint8_t, kRoom> transport_{};
  std::array<std::array<Stream, kQps>, 2> streams_{};
};

}  // namespace softfeb::fuzz

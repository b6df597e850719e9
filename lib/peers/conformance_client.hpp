// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/conformance_messages.hpp"
#include "peers/peer.hpp"
#include "peers/tcp_link.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::peers {

/// Client of a conformance session of rdma-sink. All functions block, each step for at most the time in
/// PeerTimeouts::step, and throw a PeerError that names the peer. After a refusal (kConfiguration), the
/// session continues; after any other error, it has ended. The destructor closes the connection; the receiver
/// then frees everything that belongs to the session.
///
/// Our RoCE addresses must answer ARP or neighbour solicitations from open() on, because the receiver
/// resolves them when it moves a queue pair to RTR.
class ConformanceSession {
 public:
  /// `url` must be a sink:// URL. `ip` is our RoCE address.
  ConformanceSession(const PeerUrl& url, const roce::IpAddress& ip, const PeerTimeouts& timeouts = {});

  const TargetDevice& device() const { return device_; }

  /// Registers regions: either all that are requested, or none. All bytes of the regions and their guards are
  /// set to 0xEE.
  std::vector<Region> regions(const std::vector<RegionRequest>& requests);
  /// Deregisters a region and frees its memory.
  void free(const Region& region);

  /// Opens a queue pair and posts its receives. OpenQp::ip may have another address family than the session.
  OpenedQp open(const OpenQp& qp);
  /// Moves a queue pair forward to a state, or to ERR. Returns its state.
  std::string modify(roce::Qpn qpn, QpState state);
  /// Returns the state of a queue pair; see sink::decode_state().
  std::string state(roce::Qpn qpn);
  /// Destroys a queue pair. Its completions are discarded.
  void close(roce::Qpn qpn);
  /// Posts more receives. They have the size with which the queue pair was opened.
  void receive(roce::Qpn qpn, std::uint32_t count);

  void fill(std::uint8_t byte);  ///< sets all bytes of all regions to `byte`, but not their guards
  void fill(const Region& region, std::uint8_t byte);
  void fill(const MemoryRange& range, std::uint8_t byte);
  /// Reads any number of bytes, with one request for each SessionLimits::read bytes.
  std::vector<std::uint8_t> read(const MemoryRange& range);
  std::uint32_t crc(const MemoryRange& range);  ///< CRC-32 of the bytes, as crc32() of zlib

  /// Returns the completions since the last call, in the order of their arrival.
  std::vector<Completion> completions();
  /// Arms the completion queue for one event. Forgets earlier events.
  void arm(EventTrigger trigger);
  /// Returns true if an event has come since arm(). Does not wait for one.
  bool event();
  nlohmann::json counters();  ///< see sink::decode_counters()

 private:
  template <class Decode>
  auto ask(const std::string& request, const char* waiting_for, Decode decode);

  TcpLink link_;
  TargetDevice device_;
};

}  // namespace softfeb::peers

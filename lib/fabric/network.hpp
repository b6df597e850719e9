// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame.hpp"
#include "fabric/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace softfeb::fabric {

/// Switches and the links between them and the stations, at work: sans-I/O, one owner, no allocation after
/// construction. The same object serves virtual time and a worker in real time.
///
/// A frame takes its wire length over the rate of each link, then the link's delay; switches store it whole
/// and forward it.
class Network {
 public:
  static constexpr std::size_t kFlows = 4096;  ///< that are counted apart

  struct Delivery {
    std::uint32_t station = 0;
    Frame* frame = nullptr;  ///< the receiver's from here on
    Time at = 0;             ///< when its last bit arrived, at most `now`
  };

  /// `store` outlives the network.
  Network(const NetworkConfig& config, FrameStore& store);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Station `station` has a frame for its link at `now`; it begins to leave when those before it have. The
  /// frame is the network's from here on.
  void send(std::uint32_t station, Frame* frame, Time now);
  /// Everything up to `now` happens, in the order of its times; frames that arrive at stations are put into
  /// `out`. Returns how many; as many as there is room for means: ask again with the same `now`.
  std::size_t run(Time now, std::span<Delivery> out);
  /// A time before which run() has nothing to do unless somebody sends; kNever: nothing is under way.
  Time next_event() const;

  /// Room for a snapshot, so that taking one allocates nothing.
  NetworkSnapshot make_snapshot() const;
  /// Peaks begin anew.
  void take_snapshot(NetworkSnapshot& out, Time now);

  const NetworkConfig& config() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace softfeb::fabric

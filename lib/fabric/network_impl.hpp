// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "fabric/average.hpp"
#include "fabric/event_calendar.hpp"
#include "fabric/event_tree.hpp"
#include "fabric/facts.hpp"
#include "fabric/flow_table.hpp"
#include "fabric/forge.hpp"
#include "fabric/forwarding.hpp"
#include "fabric/mac_stage.hpp"
#include "fabric/multipath.hpp"
#include "fabric/network.hpp"
#include "fabric/pause.hpp"
#include "fabric/port_rules.hpp"
#include "fabric/queues.hpp"
#include "fabric/rate_limits.hpp"
#include "fabric/shared_buffer.hpp"
#include "fabric/station_queue.hpp"
#include "fabric/topology.hpp"
#include "fabric/watchdog.hpp"
#include "fabric/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::fabric {

/// One direction of a link, with its transmitter. Frames that wait for a switch's transmitter are in the
/// switch's Port. The members that every frame between switches uses come first, in two cache lines. A frame
/// that a station sends also uses the first bytes of `waiting` and of `told`. With many links, the speed of
/// the network depends on the number of cache lines that a frame touches.
struct alignas(64) Channel {
  static constexpr std::uint32_t kElsewhere = UINT32_MAX;

  Channel(Wire w, const PauseState& pauses) : wire(std::move(w)), told(pauses) {}

  Time tx_at = kNever;  ///< time of the transmitter's next event
  /// Earliest time at which, in a port at either end, a delay (SwitchTimes) ends or a check of the Watchdog
  /// is due. kNever in most networks, because only some switches have delays or a watchdog.
  Time delayed_at = kNever;
  Time renew_at = kNever;                  ///< PauseSender::renew_at() of the sending port
  std::uint16_t from = Topology::kNoPort;  ///< switch port that sends
  std::uint16_t into = Topology::kNoPort;  ///< switch port that receives
  /// Receiving station, if `into` is kNoPort; kElsewhere if the receiving node is in another slice.
  std::uint32_t station = 0;
  Wire wire;
  StationQueue waiting;  ///< frames waiting at a station; unused for a switch
  /// Pause state; used only for a station on whose behalf the network honours pause frames.
  PauseState told;
};

/// Frames that wait because of delays inside a switch (SwitchTimes). All lists are in order of time.
struct PortDelays {
  explicit PortDelays(const SwitchTimes& t) : times(t) {}

  SwitchTimes times;
  FrameList headers;   ///< received headers in the pipeline; Frame::at is the arrival of the last bit
  FrameList stored;    ///< complete frames in the pipeline, which leave it at Frame::at
  FrameList received;  ///< received MAC control frames, which take effect at Frame::at
  FrameList made;      ///< own pause frames, which may be sent from Frame::at on

  std::size_t size() const { return headers.size() + stored.size() + received.size() + made.size(); }
};

/// A port of a switch: egress queues and ingress accounting.
struct Port {
  std::uint32_t switch_index;
  std::uint32_t channel;  ///< channel in which the port sends
  PauseMode flow_control;
  PortQueues queues;
  FrameList control;  ///< MAC control frames, which are sent first and never paused
  PauseState told;
  PauseSender sender;
  std::unique_ptr<RateLimits> limits;  ///< null if there are no rate limits
  std::unique_ptr<PortRules> rules;    ///< null if there are no rules
  ThroughputMeter meter;
  Rng marking;  ///< random numbers of marking and of early drops
  PortSnapshot counters;
  Time blocked_since = kNever;
  /// For each queue, the time of its last departure or the time at which it became non-empty, whichever is
  /// later.
  std::array<Time, kQueues> served_at{};
  std::array<AverageLength, kQueues> averages{};  ///< only of queues with EcnMarking::weight
  std::uint8_t marks_leaving = 0;                 ///< bit mask of queues with EcnMarking::at_dequeue
  std::uint8_t forced = 0;             ///< bit mask of queues that the watchdog forwards in spite of pauses
  std::unique_ptr<MacStage> mac;       ///< null if the MAC takes no frames in advance
  std::unique_ptr<Watchdog> watchdog;  ///< null if there is no watchdog
  std::unique_ptr<PortDelays> delays;  ///< null if the switch has no delays
  roce::MacAddress own_mac{};          ///< source address of the port's pause frames
  roce::MacAddress peer_mac{};         ///< destination address of the port's pause frames

  /// Class of IngressAccount in which a frame from this port is counted.
  std::uint8_t class_of(const Frame& frame) const {
    return flow_control == PauseMode::kPfc ? frame.queue : std::uint8_t{0};
  }
  /// Returns the total length of the frames that wait in all queues, or in one queue, without the frames that
  /// the MAC has taken.
  std::uint64_t queued() const { return queues.bytes() - (mac ? mac->bytes() : 0); }
  std::uint64_t queued(std::size_t queue) const {
    return queues.bytes_of(queue) - (mac ? mac->bytes_of(queue) : 0);
  }
  /// Returns the subset of the queues `candidates` (a bit mask) that pauses and rate limits permit to send.
  std::uint8_t may_send(std::uint8_t candidates, Time now) const {
    const auto open = static_cast<std::uint8_t>(candidates & told.open(now));
    return limits == nullptr ? open : limits->open(open, now);
  }
  /// If the port counts as paused, ends this state and adds its duration to the counters.
  void end_blocking(Time now) {
    if (blocked_since == kNever) return;
    counters.paused += now - blocked_since;
    blocked_since = kNever;
  }
  /// Dequeues the next frame from the queues in the bit mask `may`.
  Frame* pop(std::uint8_t may) {
    Frame* const frame = queues.pop(may);
    if (frame != nullptr && mac) mac->popped(*frame);
    return frame;
  }
};

struct Switch {
  const SwitchConfig* config;
  std::uint16_t first_port;
  /// Number of the switch's last port plus 1. Frames that the switch generates have this value as their
  /// ingress port.
  std::uint16_t end_port;
  SharedBuffer buffer;
  std::optional<CnpForge> forge;
  std::uint16_t int_id;
  /// Only with dynamic pause thresholds: the paused classes of ingress ports. In place of times, the tree
  /// contains the number of free bytes of the buffer at which a class may resume. The number of a party is
  /// the number of the port in the switch, times kQueues, plus the class.
  std::optional<EventTree> resumptions;
};

/// Implementation of Network. network.cpp contains stations, links and events; switching.cpp the path of
/// frames through switches; the files switch_*.cpp the other functions of switches: pause frames, marking,
/// release of buffers, delays, and the PFC watchdog.
struct Network::Parts {
  Parts(const NetworkConfig& config, FrameStore& frame_store, const Slice* slice);

  // Stations, links and events.
  void send(std::uint32_t station, Frame* frame, Time now);
  std::size_t run(Time now, std::span<Delivery> out);
  void fetch_ahead();
  void happen(std::uint32_t channel, Time now, Delivery& delivery);
  void send_next(std::uint32_t channel, Time now);
  void tell_station(std::uint32_t station, const Frame& frame, Time now);
  void put_on_wire(std::uint32_t channel, Frame* frame, Time now);
  void schedule(std::uint32_t channel);

  // Switches.
  void receive(std::uint16_t port, Frame* frame, Time now);
  /// Forwards a frame. `out` is the egress port if it has already been chosen, otherwise kNoPort.
  void forward(std::uint16_t port, Frame* frame, Time now, std::uint16_t out = Topology::kNoPort);
  std::uint16_t choose_egress(std::uint16_t port, const Frame& frame);
  /// Chooses the egress port in switch `sw` for a frame with a station as its destination. With Multipath,
  /// each call counts as a frame, so call it once for each frame.
  std::uint16_t next_hop(std::uint32_t sw, const Frame& frame) {
    return multipath ? multipath->choose(sw, frame) : topology.routes[sw][frame.destination];
  }
  void flood(std::uint16_t port, Frame* frame, Time now);
  void enqueue(std::uint16_t port, Frame* frame, Time now);
  void pass_forge(Switch& sw, Port& port, Frame& frame, Time now);
  void transmit(std::uint16_t port, Time now);
  static Time wait_to_send(Port& port, Time now);
  void record_hop(Port& port, const Frame& frame, Time now);
  void begin_waiting(Port& port, std::uint8_t queue, Time now);
  bool discards(Port& port, const EcnMarking& ecn, Frame* frame, std::uint64_t& length, Time now);
  std::uint8_t queue_of(const SwitchConfig& sw, const Frame& frame) const;
  static void note_lengths(Port& port, std::uint8_t queue);
  static void note_departure(Port& port, const Frame& frame, Time now);

  // MTU, VLANs and TTL.
  bool passes_rules(Port& port, Frame* frame);
  /// True if a port carries the VLAN of a frame.
  static bool carries(const Port& port, const Frame& frame) {
    return port.rules == nullptr || port.rules->carries(frame);
  }
  void drop_other_vlan(Port& port, Frame* frame);

  // Buffers of switches.
  void after_leaving(Port& port, Frame& frame, Time now);
  void release_buffer(Port& port, Frame& frame, Time now);
  void fill_mac(Port& port, std::size_t queue, Time now);

  // Marking in switches.
  bool passes_arrival(Port& port, const EcnMarking& ecn, const Frame& frame, std::uint64_t& queued, Time now);
  bool passes_departure(Port& port, const EcnMarking& ecn, Frame& frame);
  static std::uint64_t average_length(Port& port, const EcnMarking& ecn, const Frame& frame,
                                      std::uint64_t queued, Time now);
  void mark(Port& port, Frame& frame);
  void drop_early(Port& port, Frame* frame);
  Frame* next_data(Port& port, Time now);

  // Delays inside switches.
  void delay(std::uint16_t port, Frame* frame, Time now);
  void end_delay(std::uint32_t channel, Time now);
  bool end_reception(std::uint32_t channel, Time now);
  void pass_header(std::uint16_t port, Frame* frame, Time now);
  bool cuts_through(std::uint16_t port, const Frame& frame, Time now) const;
  Time header_due(const Channel& channel) const;
  void set_delayed(std::uint32_t channel);

  // PFC watchdog.
  void check_watchdog(std::uint16_t port, Time now);
  void drop_queue(Port& port, std::size_t queue, Time now);
  void drop_in_storm(Port& port, Frame* frame);

  // Pause frames of switches.
  void receive_control(std::uint16_t port, Frame* frame, Time now);
  void send_pause(std::uint16_t port, const roce::MacControl& pause, Time now);
  void note_renewal(const Port& port) { channels[port.channel].renew_at = port.sender.renew_at(); }
  void after_filling(Switch& sw, std::uint16_t ingress, std::uint8_t ingress_class, Time now);
  void after_emptying(Switch& sw, std::uint16_t ingress, std::uint8_t ingress_class, Time now);
  /// With dynamic thresholds: resumes all senders that may resume because frames have left the buffer. Call
  /// this only after schedule() has been called for the port that sent these frames, because the same port
  /// may now have to send a pause frame.
  void resume_others(Switch& sw, Time now) {
    if (sw.resumptions && sw.resumptions->time() <= sw.buffer.free()) resume_all(sw, now);
  }
  void resume_all(Switch& sw, Time now);

  // Links to other slices.
  std::optional<Departure> depart();
  Time enter(const Departure& departure);

  void drop(Frame* frame, std::uint64_t& counter);
  void read_rules(NetworkSnapshot& out) const;

  NetworkConfig config;
  FrameStore& store;
  latency::Stamps* stamps = nullptr;  ///< null if times are not recorded
  Topology topology;
  std::optional<Multipath> multipath;
  AddressTable addresses;
  FlowTable flows;
  std::vector<Channel> channels;
  std::vector<Port> ports;
  std::vector<Switch> switches;
  EventCalendar events;
  std::uint64_t fetched_day = 0;  ///< day of `events` whose channels have been prefetched
  NetworkTotals totals;
  Moment moment;
  std::vector<std::uint32_t> leaving;  ///< directions of the links to other slices
};

}  // namespace softfeb::fabric

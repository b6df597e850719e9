// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network.hpp"

#include "base/prefetch.hpp"
#include "fabric/link_rules.hpp"
#include "fabric/network_impl.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace softfeb::fabric {

namespace {

/// Maximum length of a frame in bytes. Real frames are shorter; the limit keeps frames within the range of
/// WireTime.
constexpr std::uint32_t kLongestFrame = 1U << 20;
/// Maximum number of bytes queued at a station, so that an external port on a slow link cannot occupy all
/// frames of the FrameStore.
constexpr std::uint64_t kStationBytes = 1U << 22;

/// Returns a random number generator, derived from the network's seed. Different values of `whom` give
/// independent generators.
Rng numbers_for(std::uint64_t seed, std::uint64_t whom) {
  return Rng(Rng(seed + whom * 0x9e37'79b9U).next());
}

/// Returns the port's locally administered MAC address.
roce::MacAddress port_mac(std::uint32_t port) {
  return roce::mac_plus({0x02, 0x53, 0x57, 0x00, 0x00, 0x00}, port);
}

PauseMode obeyed_by(const NodeRef& sender, const NetworkConfig& config) {
  return sender.kind == NodeRef::Kind::kStation ? config.stations[sender.index].obeys : PauseMode::kOff;
}

/// Returns the priority of a frame at its station, which is 0 unless the network honours PFC on behalf of the
/// station.
std::uint8_t priority_at(const StationConfig& station, const Frame& frame) {
  if (station.obeys != PauseMode::kPfc) return 0;
  return (frame.facts & kFactTagged) != 0 ? frame.pcp : station.dscp_to_priority[frame.dscp];
}

/// Time at which a station's transmitter sends the next frame.
Time departure(const Channel& channel) {
  return channel.waiting.empty() ? kNever
                                 : std::max(channel.wire.free_at(), channel.waiting.next(channel.told));
}

Port make_port(const NetworkConfig& config, const Topology& topology, std::uint32_t number) {
  const PortPlace& place = topology.ports[number];
  const SwitchConfig& sw = config.switches[place.switch_index];
  const LinkConfig& link = config.links[link_of(place.direction)];
  const NodeRef peer = topology.directions[place.direction].to;
  Port port{place.switch_index,
            place.direction,
            link.flow_control,
            PortQueues(sw.queues, sw.scheduler),
            {},
            PauseState(link.flow_control, link.rate),
            PauseSender(link.flow_control, sw.pause, link.rate),
            RateLimits::needed(sw) ? std::make_unique<RateLimits>(sw) : nullptr,
            PortRules::make(sw, link),
            ThroughputMeter(sw.forge),
            numbers_for(config.seed, 2 * number + 1),
            {}};
  port.counters.switch_index = place.switch_index;
  port.counters.link = link_of(place.direction);
  port.counters.peer = peer;
  port.counters.rate = link.rate;
  for (std::size_t q = 0; q < kQueues; ++q)
    if (sw.queues[q].ecn.enabled && sw.queues[q].ecn.at_dequeue)
      port.marks_leaving = static_cast<std::uint8_t>(port.marks_leaving | 1U << q);
  if (sw.memory.mac_leak != 0) port.mac = std::make_unique<MacStage>(sw.memory.mac_leak);
  if (sw.watchdog.detection != 0) port.watchdog = std::make_unique<Watchdog>(sw.watchdog);
  if (sw.times.any()) port.delays = std::make_unique<PortDelays>(sw.times);
  port.own_mac = port_mac(number);
  port.peer_mac = roce::kPauseAddress;
  if (peer.kind == NodeRef::Kind::kStation && config.stations[peer.index].mac)
    port.peer_mac = *config.stations[peer.index].mac;
  return port;
}

}  // namespace

Network::Parts::Parts(const NetworkConfig& c, FrameStore& frame_store, const Slice* slice)
    : config((check(c), c)),
      store(frame_store),
      topology(c),
      addresses(c.stations),
      flows(slice == nullptr ? c.flows : slice->flows),
      events(2 * c.links.size()) {
  for (std::uint32_t d = 0; d < topology.directions.size(); ++d) {
    const LinkConfig& link = config.links[link_of(d)];
    const LinkFaults& faults = d % 2 == 0 ? link.a_to_b : link.b_to_a;
    std::unique_ptr<LinkRules> rules;
    if (!faults.qps.empty())
      rules = std::make_unique<LinkRules>(faults, RuledFrames(store, addresses, config.cc_port));
    Channel channel{Wire(link.rate, link.delay, faults, numbers_for(config.seed, 2 * d), std::move(rules)),
                    PauseState(obeyed_by(topology.directions[d].from, config), link.rate)};
    channel.from = topology.port_of[d];
    channel.into = topology.port_of[reverse_of(d)];
    channel.station = topology.directions[d].to.index;
    channels.push_back(std::move(channel));
    if (slice == nullptr || !slice->has(topology.directions[d].from) || slice->has(topology.directions[d].to))
      continue;
    channels.back().into = Topology::kNoPort;
    channels.back().station = Channel::kElsewhere;
    leaving.push_back(d);
  }
  if (config.multipath) multipath.emplace(config, topology);
  for (std::uint32_t p = 0; p < topology.ports.size(); ++p) {
    ports.push_back(make_port(config, topology, p));
    if (config.switches[topology.ports[p].switch_index].times.cut_through)
      channels[reverse_of(topology.ports[p].direction)].wire.announce_headers();
  }
  for (std::uint32_t s = 0; s < config.switches.size(); ++s) {
    const SwitchConfig& sw = config.switches[s];
    const std::uint32_t first = topology.first_port[s];
    const std::uint32_t end = topology.first_port[s + 1];
    switches.push_back({&sw, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(end),
                        SharedBuffer(sw, end - first + 1), std::nullopt, int_id_of(config, s), std::nullopt});
    if (sw.forge.threshold != 0) switches.back().forge.emplace(sw.forge.interval, flows.limit());
    if (sw.pause.xoff_alpha != 0) switches.back().resumptions.emplace((end - first) * kQueues);
  }
}

void Network::Parts::send(std::uint32_t station, Frame* frame, Time now) {
  ++totals.entered;
  frame->flow = kNoFlow;
  if (frame->length > kLongestFrame ||
      std::min<std::uint32_t>(frame->length, frame->header_length) < roce::kEthernetSize) {
    drop(frame, totals.dropped_unknown);
    return;
  }
  const EntryFacts facts = read_facts(*frame, config.cc_port);
  frame->destination = addresses.find(frame->header);
  if (!config.stations[station].mac) addresses.learn(frame->header + 6, station);
  if (facts.roce && frame->destination < config.stations.size())
    frame->flow = flows.find(station, frame->destination, facts.dest_qp);
  const std::uint32_t d = topology.station_direction[station];
  Channel& channel = channels[d];
  const std::uint8_t priority = priority_at(config.stations[station], *frame);
  // If the queue is empty and the link is free, the frame can be sent directly, even if run() has not been
  // called since the link became free.
  if (channel.waiting.empty() && channel.wire.free_at() <= now &&
      (channel.told.open(now) >> priority & 1) != 0) {
    put_on_wire(d, frame, now);
  } else if (channel.waiting.bytes() + frame->length > kStationBytes) {
    drop(frame, totals.dropped_buffer);
    return;
  } else {
    frame->at = now;
    channel.waiting.push(frame, priority);
    channel.tx_at = departure(channel);
  }
  schedule(d);
}

/// Sends the next frame queued at a station.
void Network::Parts::send_next(std::uint32_t d, Time now) {
  Channel& channel = channels[d];
  put_on_wire(d, channel.waiting.pop(channel.told, now), now);
  channel.tx_at = departure(channel);
}

/// Handles a MAC control frame that arrived at a station, if the network honours pause frames on behalf of
/// the station.
void Network::Parts::tell_station(std::uint32_t station, const Frame& frame, Time now) {
  if (config.stations[station].obeys == PauseMode::kOff) return;
  const auto pause = control_of(frame);
  if (!pause) return;
  const std::uint32_t d = topology.station_direction[station];
  channels[d].told.told(*pause, now);
  channels[d].tx_at = departure(channels[d]);
  schedule(d);
}

void Network::Parts::put_on_wire(std::uint32_t d, Frame* frame, Time now) {
  const latency::MessageKey message = frame->message;
  if (!channels[d].wire.transmit(frame, now, store, totals)) drop(frame, totals.dropped_fault);
  if (message == 0 || stamps == nullptr) return;
  const bool station = channels[d].from == Topology::kNoPort;
  stamps->put(message, station ? latency::Stage::kSent : latency::Stage::kSwitchOut,
              channels[d].wire.free_at());
}

/// Counts a dropped frame in `counter` and in its flow, and releases it.
void Network::Parts::drop(Frame* frame, std::uint64_t& counter) {
  ++counter;
  if (frame->flow != kNoFlow) ++flows[frame->flow].dropped;
  store.release(frame);
}

void Network::Parts::schedule(std::uint32_t d) {
  const Channel& channel = channels[d];
  events.set(d, std::min(std::min(channel.wire.next_arrival(), channel.tx_at),
                         std::min(channel.delayed_at, channel.renew_at)));
}

std::size_t Network::Parts::run(Time now, std::span<Delivery> out) {
  std::size_t count = 0;
  while (count < out.size() && events.time() <= now) {
    fetch_ahead();
    out[count].frame = nullptr;
    moment = {events.time(), events.party()};
    happen(events.party(), events.time(), out[count]);
    if (out[count].frame != nullptr) ++count;
  }
  return count;
}

/// Prefetches the data that the coming events need. In a network of hundreds of switches, most of this data
/// is not in the cache.
void Network::Parts::fetch_ahead() {
  constexpr unsigned kChannelLines = 2;
  if (fetched_day != events.day()) {
    fetched_day = events.day();
    prefetch(&channels[events.party()], kChannelLines);
    for (const EventCalendar::Entry& e : events.coming()) prefetch(&channels[e.party], kChannelLines);
  }
  constexpr std::size_t kAhead = 2;
  const auto coming = events.coming();
  if (coming.size() < kAhead) return;
  const EventCalendar::Entry& next = coming[kAhead - 1];
  const Channel& channel = channels[next.party];
  if (channel.tx_at == next.time) {
    if (channel.from != Topology::kNoPort) prefetch(&ports[channel.from], 8);
  } else {
    if (const Frame* const frame = channel.wire.front(); frame != nullptr) prefetch(frame, 1);
    if (channel.into != Topology::kNoPort) prefetch(&ports[channel.into], 4);
  }
}

/// Processes the earliest event of a channel. If events are simultaneous, arrivals are processed first, then
/// the ends of delays, and then departures.
void Network::Parts::happen(std::uint32_t d, Time now, Delivery& delivery) {
  Channel& channel = channels[d];
  if (channel.wire.next_arrival() == now) {
    Frame* const frame = channel.wire.arrive();
    if (channel.into != Topology::kNoPort) {
      receive(channel.into, frame, now);
    } else {
      // depart() must have removed a frame to another slice before this event. Otherwise, the frame would
      // enter the other slice too late.
      if (channel.station == Channel::kElsewhere)
        throw std::logic_error("a frame has not left its slice in time; please report this");
      ++totals.delivered;
      if (frame->flow != kNoFlow) {
        ++flows[frame->flow].packets;
        flows[frame->flow].bytes += frame->length;
      }
      if ((frame->facts & kFactControl) != 0) tell_station(channel.station, *frame, now);
      delivery = {channel.station, frame, now};
    }
  } else if (channel.delayed_at == now) {
    end_delay(d, now);
  } else if (channel.tx_at == now) {
    if (channel.from != Topology::kNoPort) {
      transmit(channel.from, now);
    } else {
      send_next(d, now);
    }
  } else {
    Port& port = ports[channel.from];
    const roce::MacControl pause = port.sender.renewal(now);
    note_renewal(port);
    send_pause(channel.from, pause, now);
  }
  schedule(d);
}

std::optional<Network::Departure> Network::Parts::depart() {
  for (const std::uint32_t d : leaving) {
    bool late = false;
    Frame* const frame = channels[d].wire.leave(late);
    if (frame == nullptr) continue;
    schedule(d);
    std::optional<FlowKey> flow;
    if (frame->flow != kNoFlow) {
      const FlowSnapshot& counted = flows[frame->flow];
      flow = {counted.source, counted.destination, counted.qpn};
    }
    return Departure{d, frame, late, flow, channels[d].wire.arrival(*frame)};
  }
  return std::nullopt;
}

Time Network::Parts::enter(const Departure& departure) {
  const auto& flow = departure.flow;
  departure.frame->flow = flow ? flows.find(flow->source, flow->destination, flow->qpn) : kNoFlow;
  channels[departure.direction].wire.enter(departure.frame, departure.late);
  schedule(departure.direction);
  return channels[departure.direction].wire.arrival(*departure.frame);
}

void Network::Parts::read_rules(NetworkSnapshot& out) const {
  out.rules.clear();
  for (const Channel& channel : channels) {
    const auto* const counters = channel.wire.rule_counters();
    if (counters != nullptr) out.rules.insert(out.rules.end(), counters->begin(), counters->end());
  }
}

Network::Network(const NetworkConfig& config, FrameStore& store, const Slice* slice)
    : parts_(std::make_unique<Parts>(config, store, slice)) {}
Network::~Network() = default;

void Network::send(std::uint32_t station, Frame* frame, Time now) { parts_->send(station, frame, now); }
std::size_t Network::run(Time now, std::span<Delivery> out) { return parts_->run(now, out); }
Time Network::next_event() const { return parts_->events.time(); }
void Network::report_times(latency::Stamps& stamps) { parts_->stamps = &stamps; }
const NetworkConfig& Network::config() const { return parts_->config; }
std::optional<Network::Departure> Network::depart() { return parts_->depart(); }
Time Network::enter(const Departure& departure) { return parts_->enter(departure); }
std::span<const FlowSnapshot> Network::flows() const { return parts_->flows.all(); }
const Network::Moment& Network::moment() const { return parts_->moment; }
bool Network::leaves(std::uint32_t direction) const {
  return std::find(parts_->leaving.begin(), parts_->leaving.end(), direction) != parts_->leaving.end();
}

NetworkSnapshot Network::make_snapshot() const {
  NetworkSnapshot out;
  out.ports.resize(parts_->ports.size());
  out.flows.reserve(parts_->flows.limit());
  parts_->read_rules(out);
  if (parts_->multipath) parts_->multipath->read(out.next_hops);
  return out;
}

void Network::take_snapshot(NetworkSnapshot& out, Time now) {
  out.taken_at = now;
  out.totals = parts_->totals;
  out.totals.in_network = 0;
  for (const auto& channel : parts_->channels)
    out.totals.in_network += channel.wire.size() + channel.waiting.size();
  out.ports.resize(parts_->ports.size());
  for (std::size_t p = 0; p < parts_->ports.size(); ++p) {
    Port& port = parts_->ports[p];
    out.totals.in_network += port.queues.size() + port.control.size();
    if (port.delays) out.totals.in_network += port.delays->size();
    out.ports[p] = port.counters;
    out.ports[p].queue_bytes = port.queued();
    for (std::size_t q = 0; q < kQueues; ++q) {
      out.ports[p].queue_bytes_of[q] = port.queued(q);
      if (port.queues.bytes_of(q) == 0 || now < port.served_at[q]) continue;
      Time& starved = out.ports[p].queues[q].starved;
      starved = std::max(starved, now - port.served_at[q]);
    }
    if (port.blocked_since < now) out.ports[p].paused += now - port.blocked_since;
    port.counters.queue_bytes_peak = port.queued();
  }
  out.flows.assign(parts_->flows.all().begin(), parts_->flows.all().end());
  parts_->read_rules(out);
  if (parts_->multipath) parts_->multipath->read(out.next_hops);
}

}  // namespace softfeb::fabric

// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/parted_loop.hpp"

#include "fabric/facts.hpp"
#include "fabric/snapshot_archive.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace softfeb::simulator {

PartedLoop::PartedLoop(const fabric::NetworkConfig& config, const std::vector<Seat>& seats,
                       const Parting& parting, Exchange& exchange, std::vector<ByteSpan> arena,
                       LoggedStamps* stamps)
    : parting_(parting),
      exchange_(exchange),
      codec_(std::move(arena)),
      stamps_(stamps),
      out_{std::vector<Bytes>(exchange.size()), std::vector<Bytes>(exchange.size())},
      flows_(config.flows) {
  if (parting_.parts == 1) {
    loops_.push_back(std::make_unique<EventLoop>(config, seats));
    return;
  }
  make_slices(config);
  connect(config);
  for (const Seat& seat : seats) part_of_seat_.push_back(parting_.part_of_station[seat.station]);
  while (parting_.process_of(first_part_, exchange.size()) != exchange.rank()) ++first_part_;
  for (std::uint32_t p = first_part_;
       p < parting_.parts && parting_.process_of(p, exchange.size()) == exchange.rank(); ++p)
    loops_.push_back(std::make_unique<EventLoop>(config, seats, &slices_[p]));
  of_part_ = make_snapshot();
}

void PartedLoop::make_slices(const fabric::NetworkConfig& config) {
  slices_.resize(parting_.parts);
  for (std::uint32_t p = 0; p < parting_.parts; ++p) {
    fabric::Slice& slice = slices_[p];
    slice.flows = parting_.flows;
    for (std::size_t s = 0; s < config.switches.size(); ++s)
      slice.switches.push_back(parting_.part_of_switch[s] == p ? 1 : 0);
    for (std::size_t s = 0; s < config.stations.size(); ++s)
      slice.stations.push_back(parting_.part_of_station[s] == p ? 1 : 0);
  }
}

void PartedLoop::connect(const fabric::NetworkConfig& config) {
  const auto part_of = [this](const fabric::NodeRef& node) {
    return (node.kind == fabric::NodeRef::Kind::kStation ? parting_.part_of_station
                                                         : parting_.part_of_switch)[node.index];
  };
  const std::uint32_t me = exchange_.rank();
  std::set<std::uint32_t> neighbours;
  for (const fabric::LinkConfig& link : config.links) {
    for (const fabric::NodeRef& to : {link.b, link.a}) part_into_.push_back(part_of(to));
    const std::uint32_t a = parting_.process_of(part_of(link.a), exchange_.size());
    const std::uint32_t b = parting_.process_of(part_of(link.b), exchange_.size());
    if (a == me && b != me) neighbours.insert(b);
    if (b == me && a != me) neighbours.insert(a);
  }
  exchange_.connect({neighbours.begin(), neighbours.end()});
}

EventLoop* PartedLoop::loop_of(std::size_t seat) const {
  if (whole()) return loops_.front().get();
  // For parts of processes with lower ranks, the difference wraps around to a large number.
  const std::size_t loop = part_of_seat_[seat] - first_part_;
  return loop < loops_.size() ? loops_[loop].get() : nullptr;
}

void PartedLoop::run_until(Time end) {
  if (whole()) {
    loops_.front()->run_until(end);
    now_ = end;
    return;
  }
  ++step_;
  // No event of any process is before `first`. No frames are on their way between processes at this point,
  // because the previous call has received all of them.
  Time first = std::max(now_, earliest_);
  const Time length = parting_.window();
  run_window(std::min(end, saturating_add(first, length)));
  while (now_ < end) {
    // The frames of the last window enter only after the next window, so the next window must end before
    // these frames arrive.
    const Time arrivals = saturating_add(first, parting_.delay);
    first = std::max(now_, earliest_);
    run_window(std::min({end, arrivals, saturating_add(first, length)}));
    complete_swap();
  }
  complete_swap();
  sent_ = kNever;
}

/// Runs all parts of this process until `end`, and begins to send the frames for other parts.
void PartedLoop::run_window(Time end) {
  std::swap(out_[0], out_[1]);
  for (Bytes& frames : out_[0]) frames.clear();
  Time next = kNever, sent = kNever;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    EventLoop& loop = *loops_[i];
    if (stamps_ != nullptr) stamps_->select(i, loop);
    loop.set_step(step_);
    loop.run_until(end);
    while (const auto departure = loop.network().depart()) {
      sent = std::min(sent, departure->arrives);
      const std::uint32_t to = parting_.process_of(part_into_[departure->direction], exchange_.size());
      codec_.write(*departure, out_[0][to]);
      loop.pool().release(departure->frame);
    }
    next = std::min(next, loop.next_event());
  }
  now_ = end;
  // Other processes may not yet have the frames of the previous window, so the minimum includes these frames.
  exchange_.begin_swap(std::min({next, sent, std::exchange(sent_, sent)}), out_[0]);
  enter(out_[0][exchange_.rank()]);
}

/// Completes the older of the swaps in progress: waits for its frames from other processes, and passes them
/// to the parts of this process.
void PartedLoop::complete_swap() {
  earliest_ = exchange_.complete_swap(in_);
  enter(in_);
}

/// Passes frames from other parts to the parts of this process.
void PartedLoop::enter(ByteSpan frames) {
  ArchiveReader in(frames);
  while (!in.empty()) {
    EventLoop& loop = *loops_[part_into_[CrossingCodec::direction_of_next(in)] - first_part_];
    // A frame that arrives in the past would change the result, so this error must not go unnoticed.
    if (loop.network().enter(codec_.read(in, loop.pool())) <= now_)
      throw std::logic_error("a frame from another part has come too late; please report this");
  }
}

void PartedLoop::change(std::size_t seat, const std::function<void()>& what) {
  EventLoop* const loop = loop_of(seat);
  ++step_;
  earliest_ = now_;
  if (loop == nullptr) return;
  if (!whole()) {
    loop->set_step(step_);
    if (stamps_ != nullptr) stamps_->select(part_of_seat_[seat] - first_part_, *loop);
  }
  what();
  loop->touched(seat);
}

bool PartedLoop::empty() {
  return exchange_.all(
      std::all_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->empty(); }));
}

void PartedLoop::take_snapshot(fabric::NetworkSnapshot& out) {
  if (whole()) return loops_.front()->network().take_snapshot(out, now_);
  Bytes mine;
  ArchiveWriter writer(mine);
  for (std::size_t i = 0; i < loops_.size(); ++i) write_snapshot(i, writer);
  out.totals = {};
  events_ = passed_over_ = 0;
  std::vector<fabric::FlowSnapshot> counted;
  std::vector<std::vector<EventLoop::NewFlow>> begun;
  exchange_.gather(mine, [&](std::uint32_t, ByteSpan bytes) {
    for (ArchiveReader in(bytes); !in.empty();) {
      std::uint64_t part = 0, events = 0, passed_over = 0;
      in.item(part);
      in.item(events);
      in.item(passed_over);
      in.list(begun.emplace_back());
      fabric::archive(in, of_part_);
      events_ += events;
      passed_over_ += passed_over;
      fabric::add_slice(loops_.front()->network().config(), slices_[part], of_part_, out);
      counted.insert(counted.end(), of_part_.flows.begin(), of_part_.flows.end());
    }
  });
  count_flows(begun, counted, out);
  // Each part has its own frames. If a part ran out of frames, the result would depend on the division into
  // parts, so this is an error.
  if (out.totals.dropped_store != 0)
    throw std::runtime_error("frames were lost, and the result would depend on the parts: " +
                             loops_.front()->pool().full_text());
}

void PartedLoop::write_snapshot(std::size_t i, ArchiveWriter& out) {
  EventLoop& loop = *loops_[i];
  loop.network().take_snapshot(of_part_, now_);
  out.item(std::uint64_t{first_part_ + i});
  out.item(loop.events());
  out.item(loop.passed_over());
  out.list(loop.new_flows());
  fabric::archive(out, of_part_);
  loop.new_flows().clear();
}

/// Adds the new flows to the table, in the order of their first packets, and adds up the counters of all
/// parts.
void PartedLoop::count_flows(std::span<const std::vector<EventLoop::NewFlow>> begun,
                             const std::vector<fabric::FlowSnapshot>& counted, fabric::NetworkSnapshot& out) {
  merge(begun, [this](const EventLoop::NewFlow& entry) {
    flows_.find(entry.flow.source, entry.flow.destination, entry.flow.qpn);
  });
  for (std::uint32_t i = 0; i < flows_.all().size(); ++i)
    flows_[i].packets = flows_[i].bytes = flows_[i].ecn_marked = flows_[i].dropped = 0;
  for (const fabric::FlowSnapshot& flow : counted) {
    const std::uint32_t i = flows_.find(flow.source, flow.destination, flow.qpn);
    if (i == fabric::kNoFlow) continue;
    flows_[i].packets += flow.packets;
    flows_[i].bytes += flow.bytes;
    flows_[i].ecn_marked += flow.ecn_marked;
    flows_[i].dropped += flow.dropped;
  }
  out.flows = flows_.all();
}

void PartedLoop::collect_stamps(latency::Stamps* table) {
  if (stamps_ == nullptr) return;
  Bytes mine;
  ArchiveWriter writer(mine);
  for (auto& log : stamps_->logs()) {
    writer.list(log);
    log.clear();
  }
  std::vector<std::vector<LoggedStamps::Entry>> logs;
  exchange_.gather(mine, [&](std::uint32_t, ByteSpan bytes) {
    for (ArchiveReader in(bytes); !in.empty();) in.list(logs.emplace_back());
  });
  merge(std::span<const std::vector<LoggedStamps::Entry>>(logs),
        [table](const LoggedStamps::Entry& e) { table->put(e.key, e.stage, e.at); });
}

}  // namespace softfeb::simulator

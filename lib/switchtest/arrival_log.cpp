// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/arrival_log.hpp"

#include "base/bytes.hpp"

#include <algorithm>
#include <array>

namespace softfeb::switchtest {

namespace {

/// Traffic class and TTL (hop limit) of an IP packet.
struct IpFields {
  std::uint8_t traffic_class = 0;
  std::uint8_t ttl = 0;
};

IpFields ip_fields(const roce::ParsedFrame& frame) {
  constexpr std::size_t kNeeded = 9;
  std::array<std::uint8_t, kNeeded> scratch{};
  const std::uint8_t* const p = frame.datagram.piece(0, kNeeded, scratch.data());
  if (p == nullptr) return {};
  if ((p[0] >> 4) == 4) return {p[1], p[8]};
  return {static_cast<std::uint8_t>(load_be16(p) >> 4), p[7]};
}

/// Returns an upper bound of the number of arrivals that a port records in this trial.
std::size_t most_recorded(const Trial& trial) {
  std::uint64_t sum = 0;
  for (const Source& source : trial.sources) {
    const bool records = std::any_of(source.kinds.begin(), source.kinds.end(),
                                     [&](std::uint16_t kind) { return trial.kinds[kind].record; });
    // Leave room for duplicates, which the network may create.
    if (records) sum += 2 * std::min<std::uint64_t>(source.count, ArrivalLog::kMostArrivals);
  }
  return std::min<std::uint64_t>(sum, ArrivalLog::kMostArrivals);
}

}  // namespace

bool ArrivalLog::Window::add(std::uint64_t sequence) {
  if (sequence + kSize < end_) return true;
  if (sequence >= end_) {
    const std::uint64_t from = std::max(end_, sequence >= kSize ? sequence - kSize + 1 : 0);
    for (std::uint64_t s = from; s < sequence; ++s) seen_.reset(s % kSize);
    end_ = sequence + 1;
    seen_.set(sequence % kSize);
    return true;
  }
  if (seen_.test(sequence % kSize)) return false;
  seen_.set(sequence % kSize);
  return true;
}

void ArrivalLog::prepare(const Trial& trial, std::uint16_t port, std::uint16_t id, Time start,
                         Time clock_error) {
  trial_ = &trial;
  port_ = port;
  id_ = id;
  start_ = start;
  clock_error_ = clock_error;
  tracks_.clear();
  arrivals_.clear();
  pauses_.clear();
  if (trial.list_missing) missing_.prepare();
  foreign_ = 0;
  unrecorded_ = unrecorded_pauses_ = 0;
  std::size_t groups = 0;
  for (const FrameKind& kind : trial.kinds) {
    tracks_.emplace_back();
    if (kind.to == port) {
      tracks_.back().window = std::make_unique<Window>();
      if (trial.series_interval != 0)
        tracks_.back().stats.series.resize((trial.end + trial.series_interval - 1) / trial.series_interval);
    }
    groups = std::max<std::size_t>(groups, kind.latency_group + 1U);
  }
  latency_.assign(groups, {});
  arrivals_.reserve(most_recorded(trial));
  pauses_.reserve(kMostPauses);
}

/// Frames carry only the lower bits of the sequence number. Returns the complete sequence number that ends in
/// these bits and is nearest to `next`.
std::uint64_t ArrivalLog::whole_sequence(const FrameMark& mark, std::uint64_t next) {
  const std::uint64_t size = mark.plain_udp ? std::uint64_t{1} << 32 : std::uint64_t{1} << 24;
  const std::uint64_t base = next - next % size;
  std::uint64_t best = base + mark.sequence;
  if (best > next && best - next > size / 2 && best >= size) best -= size;
  if (best < next && next - best > size / 2) best += size;
  return best;
}

std::optional<ArrivalLog::Taken> ArrivalLog::take(const roce::ParsedFrame& frame, Time at) {
  const auto mark = read_mark(frame);
  if (!mark || mark->trial != id_ || mark->kind >= tracks_.size() || mark->departed < start_ ||
      mark->departed > at + clock_error_) {
    ++foreign_;
    return std::nullopt;
  }
  at = std::max(at, mark->departed);
  Track& track = tracks_[mark->kind];
  const FrameKind& kind = trial_->kinds[mark->kind];
  // A switch may remove the tag of a tagged frame, but must not add one.
  const bool intact = frame.datagram.size() + roce::kEthernetSize == kind.length &&
                      (mark->plain_udp || roce::icrc_matches(frame)) && (kind.vlan || !frame.vlan);
  const std::uint64_t sequence = whole_sequence(*mark, track.next);
  if (kind.record) record(frame, *mark, sequence, mark->departed, at, intact);
  if (!track.window) {
    ++track.stats.misdelivered;
    return std::nullopt;
  }
  // The sequence number in a damaged frame may be wrong as well, so it is not used.
  if (!intact) {
    ++track.stats.damaged;
    return std::nullopt;
  }
  if (!track.window->add(sequence)) {
    ++track.stats.duplicated;
    return std::nullopt;
  }
  ++track.stats.ecn[ip_fields(frame).traffic_class & 3];
  if (trial_->series_interval != 0)
    if (const std::size_t i = (at - start_) / trial_->series_interval; i < track.stats.series.size())
      ++track.stats.series[i];
  if (trial_->list_missing) note_order(mark->kind, sequence, mark->departed);
  count(track, sequence, at - mark->departed, at);
  latency_[kind.latency_group].add(at - mark->departed);
  return Taken{mark->kind, sequence, frame.congestion_experienced};
}

/// Updates the list of missing frames. Call before count(), which changes Track::next.
void ArrivalLog::note_order(std::uint16_t kind, std::uint64_t sequence, Time departed) {
  const std::uint64_t next = tracks_[kind].next;
  if (sequence > next) {
    missing_.skip(kind, next, sequence, departed - start_);
  } else if (sequence < next) {
    missing_.found(kind, sequence);
  }
}

void ArrivalLog::count(Track& track, std::uint64_t sequence, Time delay, Time at) {
  KindStats& s = track.stats;
  if (sequence < track.next) {
    ++s.reordered;
    s.reorder_extent = std::max(s.reorder_extent, track.next - 1 - sequence);
  } else {
    track.next = sequence + 1;
  }
  if (s.arrived != 0) {
    const Time variation = std::max(delay, track.last_delay) - std::min(delay, track.last_delay);
    s.delay_variation_max = std::max(s.delay_variation_max, variation);
  }
  track.last_delay = delay;
  ++s.arrived;
  s.delay_sum += delay;
  s.first_arrival = std::min(s.first_arrival, at - start_);
  s.last_arrival = std::max(s.last_arrival, at - start_);
}

void ArrivalLog::record(const roce::ParsedFrame& frame, const FrameMark& mark, std::uint64_t sequence,
                        Time departed, Time at, bool intact) {
  if (arrivals_.size() == arrivals_.capacity()) {
    ++unrecorded_;
    return;
  }
  const IpFields ip = ip_fields(frame);
  arrivals_.push_back({.kind = mark.kind,
                       .port = port_,
                       .sequence = sequence,
                       .departed = departed - start_,
                       .at = at - start_,
                       .dscp = static_cast<std::uint8_t>(ip.traffic_class >> 2),
                       .ecn = static_cast<roce::Ecn>(ip.traffic_class & 3),
                       .vlan = frame.vlan,
                       .ttl = ip.ttl,
                       .intact = intact});
}

void ArrivalLog::take_pause(const roce::MacControl& control, Time at) {
  if (pauses_.size() == kMostPauses) {
    ++unrecorded_pauses_;
    return;
  }
  pauses_.push_back({port_, at - start_, control});
}

void ArrivalLog::collect(TrialResult& out) const {
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    KindStats& to = out.kinds[k];
    const KindStats& s = tracks_[k].stats;
    to.misdelivered += s.misdelivered;
    if (!tracks_[k].window) continue;
    to.arrived = s.arrived;
    to.next = tracks_[k].next;
    to.duplicated = s.duplicated;
    to.reordered = s.reordered;
    to.reorder_extent = s.reorder_extent;
    to.damaged = s.damaged;
    to.ecn = s.ecn;
    to.first_arrival = s.first_arrival;
    to.last_arrival = s.last_arrival;
    to.delay_sum = s.delay_sum;
    to.delay_variation_max = s.delay_variation_max;
    to.series = s.series;
  }
  out.arrivals.insert(out.arrivals.end(), arrivals_.begin(), arrivals_.end());
  if (trial_ != nullptr && trial_->list_missing)
    out.missing.insert(out.missing.end(), missing_.frames().begin(), missing_.frames().end());
  out.pauses.insert(out.pauses.end(), pauses_.begin(), pauses_.end());
  for (std::size_t g = 0; g < latency_.size(); ++g)
    if (latency_[g].count() != 0) out.latency[g].merge(latency_[g]);
  out.foreign += foreign_;
  out.unrecorded_pauses += unrecorded_pauses_;
  const bool incomplete = trial_ != nullptr && trial_->all_pauses && unrecorded_pauses_ != 0;
  if (unrecorded_ != 0 || incomplete) out.void_reason = "more frames arrived at a port than it can record";
}

}  // namespace softfeb::switchtest

// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/memory_model.hpp"

#include "roce/psn.hpp"

#include <algorithm>

namespace softfeb::conformance {

void MemoryModel::open(std::uint32_t qp, roce::Psn first) {
  if (qps_.size() <= qp) qps_.resize(qp + 1);
  qps_[qp].expected = first;
}

void MemoryModel::sent(const ScriptPacket& packet, std::uint32_t qp, bool dropped) {
  Qp& from = qps_[qp];
  if (!dropped && packet.psn == from.expected) {
    from.expected = (packet.psn + packet.psns) & roce::kPsnMask;
    from.accepted.push_back(sent_.size());
  }
  sent_.push_back({.qp = qp,
                   .psn = packet.psn,
                   .write = is_write(packet.spec.kind),
                   .dropped = dropped,
                   .region = packet.region,
                   .offset = packet.offset,
                   .payload = packet.payload});
  acknowledged_.push_back(0);
}

void MemoryModel::refused(std::uint32_t qp, roce::Psn psn) {
  auto& accepted = qps_[qp].accepted;
  while (!accepted.empty() && roce::psn_diff(sent_[accepted.back()].psn, psn) >= 0) accepted.pop_back();
  qps_[qp].expected = psn;
}

void MemoryModel::acknowledged(std::uint32_t qp, roce::Psn psn) {
  auto& accepted = qps_[qp].accepted;
  for (; !accepted.empty() && roce::psn_diff(sent_[accepted.front()].psn, psn) <= 0; accepted.pop_front())
    acknowledged_[accepted.front()] = 1;
}

bool MemoryModel::inside(const Sent& s) const {
  return s.region == 0 && s.offset < region_size_ && s.payload.size() <= region_size_ - s.offset;
}

MemoryModel::Fate MemoryModel::fate(std::size_t i, const WrittenSpec& written) const {
  const Sent& s = sent_[i];
  const auto listed = [&](const std::vector<std::uint32_t>& list) {
    return std::find(list.begin(), list.end(), i + 1) != list.end();
  };
  if (!s.write || !inside(s)) return Fate::kRefused;
  if (listed(written.tolerated)) return Fate::kTolerated;
  switch (written.kind) {
    case WrittenSpec::Kind::kAcknowledged:
      return acknowledged_[i] != 0 ? Fate::kWritten : Fate::kRefused;
    case WrittenSpec::Kind::kAll:
      return s.dropped ? Fate::kRefused : Fate::kWritten;
    case WrittenSpec::Kind::kListed:
      return listed(written.packets) ? Fate::kWritten : Fate::kRefused;
    case WrittenSpec::Kind::kAny:
      return Fate::kTolerated;
    case WrittenSpec::Kind::kNone:
      break;
  }
  return Fate::kRefused;
}

/// Returns the bytes of the region that the packet could have written, and kMargin bytes before and after
/// them. If a packet lies partly or wholly outside the region, the bytes at the nearest border must not
/// change either.
MemoryModel::Range MemoryModel::around(const Sent& s) const {
  const std::uint64_t size = s.payload.size();
  if (s.offset + size < s.offset || s.offset > UINT64_MAX / 2) {  // the packet begins before the region
    const std::uint64_t end = s.offset + size < s.offset ? s.offset + size : 0;
    return {0, std::min(region_size_, end + kMargin)};
  }
  const std::uint64_t at = std::min(s.offset, region_size_);
  const std::uint64_t from = at - std::min(at, kMargin);
  return {from, std::min(region_size_ - from, (at - from) + size + kMargin)};
}

/// Divides ranges so that none is longer than kMostRead.
std::vector<MemoryModel::Range> MemoryModel::split(const std::vector<Range>& ranges) {
  std::vector<Range> out;
  for (const Range& r : ranges) {
    for (std::uint64_t done = 0; done < r.length; done += kMostRead)
      out.push_back({r.offset + done, std::min(kMostRead, r.length - done)});
  }
  return out;
}

std::vector<MemoryModel::Range> MemoryModel::ranges() const {
  std::vector<Range> all;
  for (const Sent& s : sent_) {
    if (s.region == 0) all.push_back(around(s));
  }
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.offset < b.offset; });
  std::vector<Range> out;
  for (const Range& r : all) {
    if (r.length == 0) continue;
    if (!out.empty() && r.offset <= out.back().offset + out.back().length) {
      const std::uint64_t end = std::max(out.back().offset + out.back().length, r.offset + r.length);
      out.back().length = end - out.back().offset;
    } else {
      out.push_back(r);
    }
  }
  return split(out);
}

std::vector<std::uint8_t> MemoryModel::expected(const Range& range, const WrittenSpec& written,
                                                std::vector<std::uint8_t>& tolerated) const {
  std::vector<std::uint8_t> out(range.length, kGuard);
  tolerated.assign(range.length, 0);
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const Sent& s = sent_[i];
    const Fate fate = this->fate(i, written);
    if (fate == Fate::kRefused) continue;
    const std::uint64_t from = std::max(s.offset, range.offset);
    const std::uint64_t to = std::min(s.offset + s.payload.size(), range.offset + range.length);
    for (std::uint64_t at = from; at < to; ++at) {
      const bool free = fate == Fate::kTolerated;
      tolerated[at - range.offset] = free ? 1 : 0;
      if (!free) out[at - range.offset] = s.payload[at - s.offset];
    }
  }
  return out;
}

/// Explains the wrong byte `found` at `offset`, based on the packets whose payload belongs there.
std::string MemoryModel::explain(std::uint64_t offset, std::uint8_t found, const WrittenSpec& written) const {
  std::string owner;
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const Sent& s = sent_[i];
    if (s.region != 0 || offset - s.offset >= s.payload.size()) continue;  // offsets are modulo 2^64
    const bool its = s.payload[offset - s.offset] == found;
    if (fate(i, written) == Fate::kWritten && !its)
      owner = "packet " + std::to_string(i + 1) + " is not in memory";
    if (fate(i, written) == Fate::kRefused && its)
      return "packet " + std::to_string(i + 1) + " was written although it must not be";
  }
  return owner;
}

void MemoryModel::compare(const Range& range, const WrittenSpec& written,
                          const std::vector<std::uint8_t>& found, std::vector<MemoryDifference>& out) const {
  constexpr std::size_t kShown = 16;
  constexpr std::size_t kMost = 16;
  std::vector<std::uint8_t> tolerated;
  const std::vector<std::uint8_t> wanted = expected(range, written, tolerated);
  if (found.size() != wanted.size()) {
    out.push_back({.offset = range.offset, .text = "the target returned another number of bytes"});
    return;
  }
  for (std::size_t k = 0; k < wanted.size() && out.size() < kMost; ++k) {
    if (found[k] == wanted[k] || tolerated[k] != 0) continue;
    const std::size_t end = std::min(k + kShown, wanted.size());
    const auto from = static_cast<std::ptrdiff_t>(k), to = static_cast<std::ptrdiff_t>(end);
    const std::string owner = explain(range.offset + k, found[k], written);
    out.push_back({.offset = range.offset + k,
                   .expected = {wanted.begin() + from, wanted.begin() + to},
                   .found = {found.begin() + from, found.begin() + to},
                   .guard = owner.empty(),
                   .text = owner.empty() ? "a byte that no packet may change was changed" : owner});
    // Report one difference for each sequence of wrong bytes, so skip the rest of this sequence.
    while (k + 1 < wanted.size() && found[k + 1] != wanted[k + 1]) ++k;
  }
}

}  // namespace softfeb::conformance

// SPDX-License-Identifier: BSD-3-Clause
#include "roce/registration.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::roce {

namespace {

using Verdict = RegistrationVerdict;

constexpr std::uint64_t key_of(std::uint32_t source, std::uint32_t op) {
  return (std::uint64_t{source} << 32) | op;
}

const RegistrationConfig& checked_registration(const RegistrationConfig& c) {
  if (c.packet == 0 || c.mask_bits == 0 || c.entries == 0)
    throw std::invalid_argument("a registration table needs a packet size, mask bits and entries");
  return c;
}

}  // namespace

const char* name_of(RegistrationVerdict verdict) {
  static constexpr std::array<const char*, kRegistrationVerdicts> kNames{
      "placed",     "duplicate", "escaped", "escape_full", "escape_timeout",
      "table_full", "conflict",  "invalid", "too_large",   "unregistered"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Registration::Registration(const RegistrationConfig& config, RegistrationObserver* observer,
                           std::pmr::memory_resource* memory)
    : config_(checked_registration(config)),
      observer_(observer),
      table_(config.entries, config.mask_bits, memory),
      waiting_(memory),
      done_(memory),
      done_bytes_(memory),
      notifications_(config.notifications, Notification{}, memory) {
  waiting_.reserve(config.escape);
  done_.reserve(config.remember);
  if (config.by_address) done_bytes_.reserve(config.remember);
}

std::size_t Registration::memory_bytes(const RegistrationConfig& c) {
  const std::size_t mask = (std::size_t{c.mask_bits} + 63) / 64 * sizeof(std::uint64_t);
  const std::size_t entry = sizeof(RegistrationEntry) + mask + 3 * sizeof(std::uint32_t);
  const std::size_t done = (c.by_address ? 2 : 1) * sizeof(std::uint64_t);
  return c.entries * entry + c.escape * sizeof(Waiting) + c.remember * done +
         c.notifications * sizeof(Notification);
}

Time Registration::next_event() const {
  Time at = waiting_.empty() ? kNever : waiting_.front().deadline;
  if (config_.entry_timeout != 0 && table_.size() != 0)
    at = std::min(at, saturating_add(table_.at(table_.oldest(0)).since, config_.entry_timeout));
  return at;
}

/// Runs the timers that are due. Times do not decrease, so the oldest entry and the oldest waiting packet
/// have the earliest timers.
void Registration::advance(Time now) {
  for (Time at = next_event(); at <= now && at != kNever; at = next_event()) {
    const bool entry_due = config_.entry_timeout != 0 && table_.size() != 0 &&
                           saturating_add(table_.at(table_.oldest(0)).since, config_.entry_timeout) == at;
    if (entry_due) {
      abandon(at);
      continue;
    }
    const RegistrationPacket p = waiting_.front().packet;
    waiting_.erase(waiting_.begin());
    settle(at, p, Verdict::kEscapeTimeout);
  }
}

void Registration::abandon(Time now) {
  const std::uint32_t slot = table_.oldest(0);
  ++counters_.abandoned;
  if (observer_ != nullptr) observer_->abandoned(now, table_.at(slot), table_.mask(slot));
  table_.remove(slot);
  changed_ = true;
  retry_waiting(now);
}

RegistrationVerdict Registration::packet(Time now, const RegistrationPacket& p) {
  advance(now);
  ++counters_.packets;
  const Verdict verdict = take(now, p);
  if (verdict != Verdict::kEscaped) {
    settle(now, p, verdict);
    retry_waiting(now);
    return verdict;
  }
  if (waiting_.size() == config_.escape) {
    settle(now, p, Verdict::kEscapeFull);
    return Verdict::kEscapeFull;
  }
  ++counters_.verdicts[static_cast<std::size_t>(Verdict::kEscaped)];
  waiting_.push_back({saturating_add(now, config_.escape_timeout), p});
  return Verdict::kEscaped;
}

void Registration::settle(Time now, const RegistrationPacket& p, RegistrationVerdict verdict) {
  ++counters_.verdicts[static_cast<std::size_t>(verdict)];
  if (observer_ != nullptr) observer_->settled(now, verdict, p);
}

bool Registration::remembered(const RegistrationPacket& p) const {
  if (!config_.by_address)
    return std::find(done_.begin(), done_.end(), key_of(p.source, p.op)) != done_.end();
  for (std::size_t i = 0; i < done_.size(); ++i) {
    if (p.address >= done_[i] && p.address - done_[i] < done_bytes_[i]) return true;
  }
  return false;
}

RegistrationVerdict Registration::take(Time now, const RegistrationPacket& p) {
  if (p.type == RegistrationPacket::Type::kUnregistered) {
    counters_.bytes += p.length;
    return Verdict::kUnregistered;
  }
  return p.type == RegistrationPacket::Type::kFirst ? take_first(now, p) : take_body(now, p);
}

/// Processes a body packet. An operation in the table is never in the list of completed operations, so the
/// table may be searched first.
RegistrationVerdict Registration::take_body(Time now, const RegistrationPacket& p) {
  const std::uint32_t slot = table_.holding(p.address);
  if (slot != RegistrationTable::kNone) {
    const RegistrationEntry& e = table_.at(slot);
    if (e.source == p.source && (e.op == p.op || config_.by_address)) return place(now, slot, p);
  }
  return remembered(p) ? Verdict::kDuplicate : Verdict::kEscaped;
}

bool Registration::well_formed(const RegistrationPacket& p) const {
  if (p.count == 0 || p.bytes == 0) return false;
  return p.count == (p.bytes - 1) / config_.packet + 1;
}

RegistrationVerdict Registration::take_first(Time now, const RegistrationPacket& p) {
  if (remembered(p)) return Verdict::kDuplicate;
  if (!well_formed(p)) return Verdict::kInvalid;
  if (p.count > config_.mask_bits) return Verdict::kTooLarge;
  if (p.length != std::min<std::uint64_t>(config_.packet, p.bytes)) return Verdict::kInvalid;
  if (const std::uint32_t slot = table_.of(p.source, p.op); slot != RegistrationTable::kNone) {
    const RegistrationEntry& e = table_.at(slot);
    const bool same =
        e.address == p.address && (e.bytes == p.bytes || (config_.open_length && e.count == p.count));
    return same ? Verdict::kDuplicate : Verdict::kConflict;
  }
  if (table_.overlaps(p.address, p.bytes)) return Verdict::kEscaped;
  if (table_.full()) return Verdict::kTableFull;
  const std::uint32_t slot = table_.add({.source = p.source,
                                         .op = p.op,
                                         .address = p.address,
                                         .bytes = p.bytes,
                                         .count = static_cast<std::uint32_t>(p.count),
                                         .since = now});
  ++counters_.registered;
  counters_.bytes += p.length;
  changed_ = true;
  if (observer_ != nullptr) observer_->registered(now, table_.at(slot), table_.mask(slot));
  if (table_.at(slot).left == 0) complete(now, slot);
  return Verdict::kPlaced;
}

RegistrationVerdict Registration::place(Time now, std::uint32_t slot, const RegistrationPacket& p) {
  RegistrationEntry& e = table_.at(slot);
  const std::uint64_t offset = p.address - e.address;
  const std::uint64_t index = offset / config_.packet;
  if (offset % config_.packet != 0) return Verdict::kInvalid;
  const std::uint64_t most = std::min<std::uint64_t>(config_.packet, e.bytes - offset);
  const bool may_be_short = config_.open_length && index + 1 == e.count && p.length != 0;
  if (p.length != most && !(may_be_short && p.length < most)) return Verdict::kInvalid;
  if (!table_.mark(slot, index)) return Verdict::kDuplicate;
  e.bytes -= most - p.length;
  counters_.bytes += p.length;
  if (e.left == 0) complete(now, slot);
  return Verdict::kPlaced;
}

void Registration::complete(Time now, std::uint32_t slot) {
  const RegistrationEntry e = table_.at(slot);
  table_.remove(slot);
  changed_ = true;
  ++counters_.complete;
  if (notified_ < notifications_.size()) {
    notifications_[(notified_first_ + notified_++) % notifications_.size()] = {now, e.source, e.op, e.address,
                                                                               e.bytes};
  } else {
    ++counters_.notifications_lost;
  }
  if (config_.remember != 0) remember(e);
}

void Registration::remember(const RegistrationEntry& e) {
  const std::uint64_t key = config_.by_address ? e.address : key_of(e.source, e.op);
  if (done_.size() < config_.remember) {
    done_.push_back(key);
    if (config_.by_address) done_bytes_.push_back(e.bytes);
  } else {
    done_[done_next_] = key;
    if (config_.by_address) done_bytes_[done_next_] = e.bytes;
    done_next_ = (done_next_ + 1) % done_.size();
  }
}

/// Retries waiting packets, oldest first. Starts again with the oldest packet whenever a packet registers or
/// completes an operation, because other packets may then be placed. Any other packet that leaves the escape
/// channel does not change the verdict on the packets tried before it.
void Registration::retry_waiting(Time now) {
  if (!changed_) return;
  changed_ = false;
  for (std::size_t k = 0; k < waiting_.size();) {
    const RegistrationPacket p = waiting_[k].packet;
    const Verdict verdict = take(now, p);
    if (verdict == Verdict::kEscaped) {
      ++k;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(k));
    settle(now, p, verdict);
    if (changed_) k = 0;
    changed_ = false;
  }
}

std::optional<Notification> Registration::poll() {
  if (notified_ == 0) return std::nullopt;
  const Notification n = notifications_[notified_first_];
  notified_first_ = (notified_first_ + 1) % notifications_.size();
  --notified_;
  return n;
}

}  // namespace softfeb::roce

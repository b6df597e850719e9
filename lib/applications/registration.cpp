// SPDX-License-Identifier: BSD-3-Clause
#include "applications/registration.hpp"

#include "base/time.hpp"
#include "roce/transfer_table.hpp"

#include <algorithm>

namespace softfeb {

namespace {

using Verdict = roce::RegistrationVerdict;
using Result = TransferReceiver::Result;

/// Converts nanoseconds to Time. Saturates: all times beyond 213 days are converted to the same value.
Time picoseconds(std::uint64_t ns) { return ns > kNever / kNanosecond ? kNever : ns * kNanosecond; }

roce::RegistrationConfig table_config(const TransferSettings& s) {
  roce::RegistrationConfig c;
  c.packet = s.segment_bytes;
  c.mask_bits = s.segments;
  c.entries = s.entries;
  c.escape = s.escape;
  c.escape_timeout = picoseconds(s.escape_timeout_ns);
  c.entry_timeout = picoseconds(s.entry_timeout_ns);
  c.remember = s.remember;
  c.notifications = s.notifications;
  return c;
}

Result result_of(std::optional<Verdict> verdict) {
  switch (verdict.value_or(Verdict::kInvalid)) {
    case Verdict::kPlaced:
      return Result::kPlaced;
    case Verdict::kDuplicate:
      return Result::kDuplicate;
    case Verdict::kEscaped:
      return Result::kWaiting;
    case Verdict::kEscapeFull:
    case Verdict::kTableFull:
      return Result::kDropped;
    default:
      return Result::kRejected;
  }
}

}  // namespace

class TransferReceiver::Impl final : private roce::RegistrationObserver {
 public:
  explicit Impl(const TransferSettings& s)
      : table_({s.sources, s.slots, s.segments}, table_config(s), this) {}

  roce::TransferTable& table() { return table_; }

  std::optional<AbandonedTransfer> poll_abandoned() {
    if (count_ == 0) return std::nullopt;
    return abandoned_[(first_ + kKept - count_--) % kKept];
  }

 private:
  static constexpr std::size_t kKept = 64;

  void abandoned(Time, const roce::RegistrationEntry& e, std::span<const std::uint64_t> mask) override {
    AbandonedTransfer& t = abandoned_[first_];
    t = {e.source, e.op, e.address, e.count, e.left, {}};
    std::copy(mask.begin(), mask.end(), t.mask.begin());
    first_ = (first_ + 1) % kKept;
    count_ = std::min(count_ + 1, kKept);
  }

  roce::TransferTable table_;
  std::array<AbandonedTransfer, kKept> abandoned_;  ///< ring buffer of the latest abandoned transfers
  std::size_t first_ = 0;                           ///< index at which the next abandoned transfer is stored
  /// Number of abandoned transfers in the ring that poll_abandoned() has not returned yet.
  std::size_t count_ = 0;
};

TransferReceiver::TransferReceiver(const TransferSettings& settings)
    : impl_(std::make_unique<Impl>(settings)) {}
TransferReceiver::~TransferReceiver() = default;
TransferReceiver::TransferReceiver(TransferReceiver&&) noexcept = default;
TransferReceiver& TransferReceiver::operator=(TransferReceiver&&) noexcept = default;

Result TransferReceiver::completed(std::uint32_t source, std::uint32_t immediate, std::uint32_t bytes,
                                   std::uint64_t now_ns) {
  return result_of(impl_->table().message(picoseconds(now_ns), source, immediate, bytes));
}

void TransferReceiver::advance(std::uint64_t now_ns) { impl_->table().advance(picoseconds(now_ns)); }

std::optional<Notification> TransferReceiver::poll() {
  const auto n = impl_->table().poll();
  if (!n) return std::nullopt;
  return Notification{n->source, n->op, n->address, n->bytes, n->at / kNanosecond};
}

std::optional<AbandonedTransfer> TransferReceiver::poll_abandoned() { return impl_->poll_abandoned(); }

std::uint64_t TransferReceiver::memory_bytes() const {
  const roce::TransferTable& table = impl_->table();
  return table.layout().memory(table.table().config().packet);
}

TransferReceiver::Counters TransferReceiver::counters() const {
  const roce::TransferTable& table = impl_->table();
  const roce::RegistrationCounters& c = table.table().counters();
  Counters out;
  out.messages = c.packets + table.rejected();
  out.placed = c.of(Verdict::kPlaced);
  out.duplicate = c.of(Verdict::kDuplicate);
  out.dropped = c.of(Verdict::kEscapeFull) + c.of(Verdict::kEscapeTimeout) + c.of(Verdict::kTableFull);
  out.rejected =
      c.of(Verdict::kConflict) + c.of(Verdict::kInvalid) + c.of(Verdict::kTooLarge) + table.rejected();
  out.waiting = table.table().waiting();
  out.open = table.table().open();
  out.complete = c.complete;
  out.abandoned = c.abandoned;
  out.notifications_lost = c.notifications_lost;
  return out;
}

}  // namespace softfeb

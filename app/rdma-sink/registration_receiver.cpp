// SPDX-License-Identifier: BSD-3-Clause
#include "registration_receiver.hpp"

#include <cstdio>

namespace softfeb::sink {

namespace {

using nlohmann::json;

constexpr std::size_t kListed = 20;

roce::RegistrationConfig table_config(const RegistrationOptions& o, const Hello& hello) {
  roce::RegistrationConfig c;
  c.packet = hello.message_size;
  c.mask_bits = (hello.immediate.segments + 31) / 32 * 32;
  c.entries = o.entries;
  c.escape = o.escape;
  c.escape_timeout = o.escape_timeout_us * kMicrosecond;
  c.entry_timeout = o.entry_timeout_us * kMicrosecond;
  c.remember = o.remember;
  return c;
}

double microseconds(Time t) { return static_cast<double>(t) / 1e6; }

/// Formats the mask in hexadecimal, without spaces. Bit 0 is the lowest bit of the last digit.
std::string hex(std::span<const std::uint64_t> mask, std::uint32_t bits) {
  std::string text;
  for (std::uint32_t at = bits; at != 0; at -= 4) {
    const std::uint32_t low = at - 4;
    text += "0123456789abcdef"[mask[low / 64] >> low % 64 & 15];
  }
  return text;
}

}  // namespace

RegistrationReceiver::RegistrationReceiver(const RegistrationOptions& options, const Hello& hello,
                                           std::uint64_t slots)
    : segments_(hello.immediate.segments),
      table_({.sources = 1, .slots = slots, .segments = segments_}, table_config(options, hello), this) {}

void RegistrationReceiver::on_message(Time now, std::uint32_t immediate, std::uint32_t length) {
  table_.message(now, 0, immediate, length);
  while (const auto n = table_.poll()) {
    ++notifications_;
    if (notified_.size() < kListed)
      notified_.push_back({{"op", n->op}, {"bytes", n->bytes}, {"at_us", microseconds(n->at)}});
  }
}

void RegistrationReceiver::abandoned(Time at, const roce::RegistrationEntry& entry,
                                     std::span<const std::uint64_t> mask) {
  list(at, "abandoned", entry, mask);
}

void RegistrationReceiver::list(Time at, const char* status, const roce::RegistrationEntry& entry,
                                std::span<const std::uint64_t> mask) {
  if (incomplete_.size() == kListed) return;
  incomplete_.push_back({{"op", entry.op},
                         {"status", status},
                         {"at_us", microseconds(at)},
                         {"segments", entry.count},
                         {"missing", entry.left},
                         {"mask", hex(mask, table_.table().config().mask_bits)}});
}

void RegistrationReceiver::finish(Time now, std::optional<std::uint64_t> messages) {
  table_.advance(now);
  for (std::size_t k = 0; k < table_.table().open(); ++k)
    list(now, "open", table_.table().entry(k), table_.table().mask(k));
  if (messages) sent_ = *messages / segments_;
}

json RegistrationReceiver::report() const {
  const roce::Registration& table = table_.table();
  const roce::RegistrationCounters& c = table.counters();
  json j{{"packets", c.packets},
         {"registered", c.registered},
         {"complete", c.complete},
         {"abandoned", c.abandoned},
         {"open", table.open()},
         {"waiting", table.waiting()},
         {"bytes", c.bytes},
         {"wrong_immediate", table_.rejected()},
         {"notifications", {{"count", notifications_}, {"first", notified_}}},
         {"incomplete", incomplete_},
         {"slots", table_.layout().slots},
         {"entries", table.config().entries},
         {"mask_bits", table.config().mask_bits},
         {"memory_bytes", roce::Registration::memory_bytes(table.config())}};
  for (std::size_t v = 0; v < roce::kRegistrationVerdicts; ++v)
    j[roce::name_of(static_cast<roce::RegistrationVerdict>(v))] = c.verdicts[v];
  return j;
}

std::vector<std::string> RegistrationReceiver::problems() const {
  using Verdict = roce::RegistrationVerdict;
  const roce::RegistrationCounters& c = table_.table().counters();
  std::vector<std::string> list;
  const std::uint64_t known = c.complete + c.abandoned + table_.table().open();
  const std::uint64_t sent = sent_.value_or(known);
  if (c.complete < sent)
    list.push_back(std::to_string(sent - c.complete) + " of " + std::to_string(sent) +
                   " transfers are not complete");
  const std::uint64_t wrong =
      table_.rejected() + c.of(Verdict::kConflict) + c.of(Verdict::kInvalid) + c.of(Verdict::kTooLarge);
  if (wrong != 0) list.push_back(std::to_string(wrong) + " messages contradict their transfer");
  return list;
}

}  // namespace softfeb::sink

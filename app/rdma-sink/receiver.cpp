// SPDX-License-Identifier: BSD-3-Clause
#include "receiver.hpp"

#include "choose_gid.hpp"
#include "hostclock/tai.hpp"

#include <array>

#include <arpa/inet.h>
#include <time.h>

namespace softfeb::sink {

namespace {

constexpr std::size_t kMaxEvents = 20;

/// The builder's times begin this long before the session, so that triggers before the session also have a
/// positive time.
constexpr std::uint32_t kMarginSeconds = 3600;

/// Reads TAI only once per session, so that steps of the clock do not affect the session's timeouts.
detector::EventTime session_origin() {
  detector::EventTime origin = hostclock::tai_now();
  origin.seconds -= kMarginSeconds;
  return origin;
}

Shares shares_of(const Options& options, const Hello& hello, const DeviceLimits& device) {
  check_event_layout(options, hello);
  if (options.events) return share_out_events(options, hello, device);
  if (options.registration) return share_out_transfers(options, hello, device);
  if (hello.immediate.kind == ImmediateRule::Kind::kTransfer)
    throw Refusal("the client sends registered transfers; fix: rdma-sink --registration");
  return share_out(options, hello, device);
}

}  // namespace

Receiver::Receiver(const Device& device, const Options& options, const Hello& hello,
                   eventfile::EventFile* event_file)
    : options_(options),
      hello_(hello),
      gid_(choose_gid(device, options, hello.ip, hello.pmtu)),
      shares_(shares_of(options, hello, device.limits())),
      expected_(hello, options.expect),
      out_(options.out),
      qps_(device, gid_, options, hello, shares_),
      receives_(qps_, qps_.size(), shares_, options.srq.has_value(), options.replenish),
      counters_(device.sysfs_port()),
      cpu_(threads_of_process(), read_clock(CLOCK_MONOTONIC)) {
  if (out_.wanted() && hello.qps.size() > 1 && hello.messages == 0)
    throw Refusal("--out with several queue pairs requires 'messages' for each");
  received_.assign(qps_.size(), {});
  for (std::size_t i = 0; i < qps_.size(); ++i) index_of_[qps_.qpn(i)] = i;
  since_ = Clock::now();
  if (options.registration) {
    registration_.emplace(*options.registration, hello_, shares_.slots);
  } else if (options.events) {
    event_receiver_.emplace(*options.events, qps_.all_memory(), session_origin(), event_file);
  } else {
    accounting_.reserve(qps_.size());
    for (std::size_t i = 0; i < qps_.size(); ++i)
      accounting_.emplace_back(hello_, i, shares_.slots, shares_.live, qps_.memory(i), expected_.stream());
  }
  if (hello.immediate.present()) post({shares_.receives, std::nullopt});
}

nlohmann::json Receiver::welcome() const {
  nlohmann::json qps = nlohmann::json::array();
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const MutableByteSpan memory = shares_memory() ? qps_.all_memory() : qps_.memory(i);
    qps.push_back({{"qpn", qps_.qpn(i)},
                   {"psn", 0},
                   {"rkey", qps_.rkey(i)},
                   {"address", reinterpret_cast<std::uintptr_t>(memory.data())},
                   {"length", memory.size()}});
  }
  nlohmann::json line{{"version", kVersion},    {"ip", gid_.ip.to_string()},    {"gid_index", gid_.index},
                      {"slots", shares_.slots}, {"receives", shares_.receives}, {"qps", std::move(qps)}};
  if (gid_.mac) line["mac"] = roce::to_string(*gid_.mac);
  if (options_.events) {
    for (const auto& [name, value] : detector::values_of({options_.events->layout, options_.events->builder}))
      line["events"][name] = value;
  }
  return line;
}

nlohmann::json Receiver::status() const {
  nlohmann::json qps = nlohmann::json::array();
  for (std::size_t i = 0; i < qps_.size(); ++i)
    qps.push_back({{"qpn", qps_.qpn(i)},
                   {"state", qps_.state(i)},
                   {"immediates", accounting_.empty() ? received_[i].messages : accounting_[i].immediates()},
                   {"receives_posted", receives_.posted(i)}});
  return {{"qps", std::move(qps)}};
}

Time Receiver::since_start() const {
  const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - since_);
  return static_cast<Time>(elapsed.count()) * kNanosecond;
}

Time Receiver::since_origin() const { return kMarginSeconds * kSecond + since_start(); }

bool Receiver::poll() {
  cpu_.advance(read_clock(CLOCK_MONOTONIC));
  if (event_receiver_) event_receiver_->advance(since_origin());
  if (registration_) registration_->advance(since_start());
  std::array<ibv_wc, 64> completions;
  bool any = false;
  for (;;) {
    const std::size_t n = qps_.completions().poll(completions);
    for (std::size_t i = 0; i < n; ++i) on_completion(completions[i]);
    receives_.flush();
    if (n == 0) return any;
    any = true;
  }
}

void Receiver::on_completion(const ibv_wc& wc) {
  const auto found = index_of_.find(wc.qp_num);
  if (found == index_of_.end()) return;
  const std::size_t i = found->second;
  receives_.consumed(i);
  if (wc.status != IBV_WC_SUCCESS) {
    ++failed_[ibv_wc_status_str(wc.status)];
    return;
  }
  if (wc.opcode != IBV_WC_RECV_RDMA_WITH_IMM) {
    ++unexpected_;
    return;
  }
  last_ = Clock::now();
  if (first_ == Clock::time_point{}) {
    first_ = last_;
    first_bytes_ = wc.byte_len;
  }
  if (shares_memory()) {
    ++received_[i].messages;
    received_[i].bytes += wc.byte_len;
    const std::uint32_t immediate = ntohl(wc.imm_data);
    if (event_receiver_)
      event_receiver_->on_message(since_origin(), static_cast<std::uint32_t>(i), immediate, wc.byte_len);
    else
      registration_->on_message(since_start(), immediate, wc.byte_len);
  } else {
    const std::uint64_t n = accounting_[i].on_immediate(ntohl(wc.imm_data), wc.byte_len);
    if (out_.wanted()) out_.write(out_offset(i, n), accounting_[i].message(n));
  }
  receives_.handled(i);
}

void Receiver::on_async_event(const std::string& name) {
  if (events_.size() < kMaxEvents) events_.push_back(name);
}

}  // namespace softfeb::sink

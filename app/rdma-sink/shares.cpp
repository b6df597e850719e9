// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include "roce/transfer_table.hpp"

#include <algorithm>

namespace softfeb::sink {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kDefaultReceives = 128;
/// UC has no RNR NAK: a message for which no receive is posted is lost. UC therefore has a higher default.
constexpr std::uint64_t kDefaultReceivesUc = 1024;
constexpr std::uint32_t kMaxCapacity = 16384;

std::uint64_t at_least_one(int limit) { return static_cast<std::uint64_t>(std::max(limit, 1)); }

void share_memory(const Options& options, const Hello& hello, Shares& s) {
  const std::uint64_t qps = hello.qps.size();
  s.length = options.memory / qps / kPage * kPage;
  const std::uint64_t need =
      std::max<std::uint64_t>(hello.message_size, 1) * std::max<std::uint64_t>(hello.slots, 1);
  if (s.length < need)
    throw Refusal("each of " + std::to_string(qps) + " queue pairs gets " + std::to_string(s.length) +
                  " bytes of memory, but needs " + std::to_string(need) + "; fix: rdma-sink --memory " +
                  std::to_string((need + kPage - 1) / kPage * kPage * qps) + ", or smaller messages");
  s.slots = hello.message_size == 0 ? 1 : s.length / hello.message_size;
  if (hello.slots != 0) s.slots = std::min(s.slots, hello.slots);
}

/// Returns the number of receives to post, at most `limit`. Message n overwrites message n - slots. On RC,
/// message n cannot complete before a receive is posted for it. If there are fewer receives than slots, a
/// message therefore stays unchanged until it has been checked.
std::uint64_t safe_receives(const Hello& hello, const Shares& s, std::uint64_t limit) {
  const bool rc = hello.transport == roce::Transport::kRc;
  return rc && hello.message_size != 0 ? std::clamp<std::uint64_t>(s.slots - 1, 1, limit) : limit;
}

void share_receives(const Options& options, const Hello& hello, const DeviceLimits& device, Shares& s) {
  const std::uint64_t qps = hello.qps.size();
  const std::uint64_t limit = std::min<std::uint64_t>(
      {at_least_one(device.max_cqe) / qps, at_least_one(device.max_qp_wr), kMaxCapacity});
  if (limit == 0 || options.recvs.value_or(0) > limit)
    throw Refusal("the device has completions for " + std::to_string(limit) + " receives on each of " +
                  std::to_string(qps) + " queue pairs; fix: use fewer queue pairs or a smaller --recvs");
  const std::uint64_t safe = safe_receives(hello, s, limit);
  const bool rc = hello.transport == roce::Transport::kRc;
  s.receives = options.recvs.value_or(
      static_cast<std::uint32_t>(std::min(safe, rc ? kDefaultReceives : kDefaultReceivesUc)));
  s.capacity = std::max(s.receives, static_cast<std::uint32_t>(safe));
  s.completions = s.capacity * static_cast<std::uint32_t>(qps);
}

void judge_live(const Hello& hello, Shares& s) {
  s.live = hello.transport == roce::Transport::kRc && hello.immediate.present() && s.capacity < s.slots;
}

/// Returns the options of rdma-sink for this layout, each with a space in front.
std::string options_for(const Options& options, const detector::BuilderLayout& events) {
  std::string text = " --events";
  for (const auto& [name, value] : detector::values_of(events))
    text += std::string(" --event-") + name + ' ' + std::to_string(value);
  if (options.events && options.events->window > events.layout.slots)
    text += " --event-window " + std::to_string(events.layout.slots);
  if (const std::uint64_t memory = events.layout.memory(); memory > options.memory)
    text += " --memory " + std::to_string(memory);
  return text;
}

}  // namespace

std::string missing_feature(const Options& options, const DeviceLimits& device) {
  if (!options.srq) return "";
  if (device.max_srq <= 0 || device.max_srq_wr <= 0)
    return "the device has no shared receive queues; fix: leave out --srq, or use another --device";
  const auto most = std::min(device.max_srq_wr, std::max(device.max_cqe, 1));
  if (*options.srq > static_cast<std::uint32_t>(most))
    return "a shared receive queue of the device has at most " + std::to_string(most) +
           " receives; fix: --srq " + std::to_string(most);
  return "";
}

Shares share_out(const Options& options, const Hello& hello, const DeviceLimits& device) {
  const std::uint64_t qps = hello.qps.size();
  if (qps > options.max_qps)
    throw Refusal(std::to_string(qps) + " queue pairs; fix: rdma-sink --max-qps " + std::to_string(qps));
  Shares s;
  share_memory(options, hello, s);
  if (options.srq)
    s.capacity = s.receives = s.completions = *options.srq;
  else
    share_receives(options, hello, device, s);
  judge_live(hello, s);
  return s;
}

void check_event_layout(const Options& options, const Hello& hello) {
  if (!hello.events) return;
  const std::string fix = "; fix: rdma-sink" + options_for(options, *hello.events);
  if (!options.events) throw Refusal("the client sends events" + fix);
  const detector::BuilderLayout own{options.events->layout, options.events->builder};
  std::string differences;
  for (const auto& [name, boards, builder] : detector::compare_layouts(*hello.events, own))
    differences += (differences.empty() ? "" : ", ") + std::string(name) + " is " + std::to_string(boards) +
                   ", but --event-" + name + " is " + std::to_string(builder);
  if (!differences.empty())
    throw Refusal("the client has another layout of events: " + differences + fix +
                  ", or let the client use the layout of rdma-sink");
}

Shares share_out_events(const Options& options, const Hello& hello, const DeviceLimits& device) {
  const detector::EventLayout& layout = options.events->layout;
  if (hello.qps.size() != layout.boards)
    throw Refusal(std::to_string(hello.qps.size()) + " queue pairs; --events needs one for each of " +
                  std::to_string(layout.boards) + " boards; fix: rdma-sink --event-boards");
  if (!hello.immediate.present()) throw Refusal("--events needs WRITEs with immediate");
  // Calculate the number of receive requests and the memory as if each QP sent one message per event, and
  // this message filled a slot.
  Hello messages = hello;
  messages.message_size = layout.slot;
  messages.slots = layout.slots;
  Options rounded = options;
  rounded.memory = (layout.memory() / layout.boards + kPage - 1) / kPage * kPage * layout.boards;
  return share_out(rounded, messages, device);
}

Shares share_out_transfers(const Options& options, const Hello& hello, const DeviceLimits& device) {
  if (hello.immediate.kind != ImmediateRule::Kind::kTransfer || hello.message_size == 0)
    throw Refusal(
        "--registration needs the immediates of registered transfers; fix: let the client send transfers "
        "(softfeb: traffic.transfer), or start rdma-sink without --registration");
  const std::uint64_t transfer = std::uint64_t{hello.message_size} * hello.immediate.segments;
  const std::uint64_t fit = std::min(options.memory / transfer, roce::TransferLayout::kMostSlots);
  const std::uint64_t slots = hello.slots == 0 ? fit : hello.slots;
  if (slots == 0 || slots > fit)
    throw Refusal(std::to_string(std::max<std::uint64_t>(slots, 1)) + " transfers of " +
                  std::to_string(transfer) + " bytes do not fit; fix: rdma-sink --memory " +
                  std::to_string(transfer * std::max<std::uint64_t>(slots, 1)) + ", and at most " +
                  std::to_string(roce::TransferLayout::kMostSlots) + " slots");
  // Calculate the number of receive requests and the memory as if each QP sent an equal share of the
  // segments.
  const std::uint64_t qps = hello.qps.size();
  Hello messages = hello;
  messages.slots = (slots * hello.immediate.segments + qps - 1) / qps;
  Options rounded = options;
  rounded.memory = (messages.slots * hello.message_size + kPage - 1) / kPage * kPage * qps;
  Shares s = share_out(rounded, messages, device);
  s.slots = slots;
  s.live = false;
  return s;
}

}  // namespace softfeb::sink

// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_session.hpp"

#include "choose_gid.hpp"
#include "conformance_answers.hpp"
#include "guarded_memory.hpp"
#include "port_counters.hpp"
#include "remote_access.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <array>

namespace softfeb::sink {

namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxCompletions = 16384;
/// A queue pair has room for at least this number of receives, so that more can be posted later.
constexpr std::uint32_t kLeastCapacity = 64;
constexpr std::uint32_t kLeastPmtu = 256;

std::uint32_t limit_of(int device, std::uint32_t own) {
  return std::min(own, static_cast<std::uint32_t>(std::max(device, 1)));
}

}  // namespace

ConformanceSession::OpenedQp::OpenedQp(QueuePair&& queue_pair, std::uint32_t room)
    : capacity(room), pair(std::move(queue_pair)) {}

ConformanceSession::ConformanceSession(const Device& device, const Options& options,
                                       const ConformanceHello& hello)
    : device_(device),
      options_(options),
      gid_(choose_gid(device, options, hello.ip, kLeastPmtu)),
      limits_(device.attributes()),
      pd_(allocate_pd(device)),
      most_completions_(limit_of(limits_.max_cqe, kMaxCompletions)),
      completions_(device, most_completions_),
      regions_(device, pd_.get(), options.memory) {}

json ConformanceSession::welcome() const {
  json line = describe(device_, gid_);
  line["version"] = kVersion;
  line["conformance"] = true;
  line["guard"] = kGuard;
  line["limits"] = {{"qps", options_.max_qps},
                    {"regions", kMaxRegions},
                    {"memory", options_.memory},
                    {"receives", limit_of(limits_.max_qp_wr, kMaxReceives)},
                    {"receive_size", kMaxReceiveSize},
                    {"completions", most_completions_},
                    {"max_dest_rd_atomic", std::clamp(limits_.max_qp_rd_atom, 0, 255)},
                    {"pmtu", std::min(options_.mtu, mtu_bytes(device_.port_attributes().active_mtu))},
                    {"read", kMaxRead},
                    {"line", kMaxRequestLine}};
  return line;
}

json ConformanceSession::answer(const ConformanceRequest& request) {
  return std::visit([this](const auto& r) { return handle(r); }, request);
}

json ConformanceSession::handle(const RegionsRequest& request) {
  return {{"regions", regions_.add(request, buffer_bytes())}};
}

json ConformanceSession::handle(const FreeRequest& request) {
  regions_.free(request.region);
  return {{"freed", request.region}};
}

ResponderAttributes ConformanceSession::attributes_of(const OpenRequest& request) const {
  if (request.max_dest_rd_atomic > limits_.max_qp_rd_atom)
    throw Refusal("the device supports a 'max_dest_rd_atomic' of at most " +
                  std::to_string(limits_.max_qp_rd_atom));
  ResponderAttributes attributes;
  attributes.transport = request.transport;
  attributes.pmtu = request.pmtu;
  attributes.dest_qpn = request.dest_qpn;
  attributes.psn = request.psn;
  attributes.ip = request.ip;
  attributes.access = access_flags(request.access, request.transport, supported_access(device_));
  attributes.min_rnr_timer =
      request.min_rnr_timer.value_or(static_cast<std::uint8_t>(options_.min_rnr_timer));
  attributes.max_dest_rd_atomic = request.max_dest_rd_atomic;
  return attributes;
}

json ConformanceSession::handle(const OpenRequest& request) {
  if (qps_.size() >= options_.max_qps)
    throw Refusal("a session has at most " + std::to_string(options_.max_qps) +
                  " queue pairs; fix: close some, or rdma-sink --max-qps " +
                  std::to_string(options_.max_qps + 1));
  const ResponderAttributes attributes = attributes_of(request);
  const Gid gid = choose_gid(device_, options_, request.ip, request.pmtu);
  const std::uint32_t capacity = limit_of(limits_.max_qp_wr, std::max(request.receives, kLeastCapacity));
  QueuePair pair(device_, options_, gid, attributes, pd_.get(), completions_.get(), nullptr, capacity,
                 "another queue pair");
  const roce::Qpn qpn = pair.qpn();
  OpenedQp& qp = qps_.try_emplace(qpn, std::move(pair), capacity).first->second;
  try {
    prepare(qp, request);
  } catch (...) {
    close(qpn);
    throw;
  }
  json answer = describe(gid);
  answer["qpn"] = qpn;
  return answer;
}

void ConformanceSession::prepare(OpenedQp& qp, const OpenRequest& request) {
  qp.pair.enter(QpState::kInit);
  add_buffer(qp, request.receive_size);
  post(qp, request.receives);  // must be done before the queue pair accepts packets
  qp.pair.move_to(request.state);
}

void ConformanceSession::add_buffer(OpenedQp& qp, std::uint32_t size) const {
  if (size == 0) return;
  check_memory(regions_.bytes() + buffer_bytes(), size, options_.memory);
  qp.buffer.emplace(size);
  qp.buffer_region = register_region(pd_.get(), qp.buffer->bytes(), 0);
}

std::uint64_t ConformanceSession::buffer_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [qpn, qp] : qps_) sum += qp.buffer ? qp.buffer->bytes().size() : 0;
  return sum;
}

/// Posts receives. Throws Refusal if their completions might not fit into the completion queue.
void ConformanceSession::post(OpenedQp& qp, std::uint32_t count) {
  collect();
  if (count > qp.capacity - qp.posted)
    throw Refusal("the queue pair has room for " + std::to_string(qp.capacity - qp.posted) +
                  " more receives");
  const std::size_t in_use = posted_ + completed_.size();
  if (count > most_completions_ - in_use)
    throw Refusal("the session has room for " + std::to_string(most_completions_ - in_use) +
                  " more completions; fix: request 'completions', or close queue pairs");
  ibv_sge buffer{};
  if (qp.buffer)
    buffer = {reinterpret_cast<std::uintptr_t>(qp.buffer->bytes().data()),
              static_cast<std::uint32_t>(qp.buffer->bytes().size()), qp.buffer_region->lkey};
  const std::uint32_t posted = post_receives(qp.pair.get(), nullptr, 0, count, qp.buffer ? &buffer : nullptr);
  qp.posted += posted;
  posted_ += posted;
  if (posted != count)
    throw Refusal("the device accepted only " + std::to_string(posted) + " of " + std::to_string(count) +
                  " receives");
}

ConformanceSession::OpenedQp& ConformanceSession::find(roce::Qpn qpn) {
  const auto found = qps_.find(qpn);
  if (found == qps_.end())
    throw Refusal("there is no queue pair " + std::to_string(qpn) +
                  " in this session; fix: use a number from the answer to 'open'");
  return found->second;
}

json ConformanceSession::handle(const ModifyRequest& request) {
  QueuePair& pair = find(request.qpn).pair;
  pair.move_to(request.state);
  return {{"state", name_of(pair.state())}};
}

json ConformanceSession::handle(const StateRequest& request) {
  return {{"state", name_of(find(request.qpn).pair.state())}};
}

void ConformanceSession::close(roce::Qpn qpn) {
  collect();
  posted_ -= find(qpn).posted;
  qps_.erase(qpn);
  std::erase_if(completed_, [qpn](const ibv_wc& wc) { return wc.qp_num == qpn; });
  // The device may assign this QPN to a new queue pair. Therefore, collect() is called now: it discards the
  // completions of the closed queue pair that are still in the completion queue.
  collect();
}

json ConformanceSession::handle(const CloseRequest& request) {
  close(request.qpn);
  return {{"closed", request.qpn}};
}

json ConformanceSession::handle(const ReceiveRequest& request) {
  post(find(request.qpn), request.count);
  return {{"posted", request.count}};
}

json ConformanceSession::handle(const FillRequest& request) {
  regions_.fill(request);
  return {{"filled", request.byte}};
}

json ConformanceSession::handle(const ReadRequest& request) {
  return {{"data", to_hex(regions_.bytes_of(request.range))}};
}

json ConformanceSession::handle(const CrcRequest& request) {
  return {{"crc", roce::crc32(0, regions_.bytes_of(request.range))}};
}

/// Moves the completions of open queue pairs from the queue to completed_. post() bounds their number.
void ConformanceSession::collect() {
  std::array<ibv_wc, 64> batch;
  while (const std::size_t n = completions_.poll(batch)) {
    for (const ibv_wc& wc : std::span(batch).first(n)) {
      const auto qp = qps_.find(wc.qp_num);
      if (qp == qps_.end()) continue;
      --qp->second.posted;
      --posted_;
      completed_.push_back(wc);
    }
  }
}

json ConformanceSession::handle(const CompletionsRequest&) {
  collect();
  json list = json::array();
  for (const ibv_wc& wc : completed_) list.push_back(describe(wc));
  completed_.clear();
  return {{"completions", std::move(list)}};
}

json ConformanceSession::handle(const ArmRequest& request) {
  // Empty the completion queue first. Some devices would otherwise raise an event at once for the completions
  // in the queue.
  collect();
  completions_.take_events();
  event_ = false;
  completions_.arm(request.solicited);
  return {{"armed", request.solicited ? "solicited" : "any"}};
}

json ConformanceSession::handle(const EventRequest&) {
  event_ = completions_.take_events() || event_;
  return {{"event", event_}};
}

json ConformanceSession::handle(const CountersRequest&) { return current_counters(device_.sysfs_port()); }

}  // namespace softfeb::sink

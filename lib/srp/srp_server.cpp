// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp_server.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::srp {

namespace {

/// Maximum size of a received request in bytes; longer requests are dropped. The limit exceeds the size of
/// the longest valid request, so that a request that is slightly too long can be refused with a response.
constexpr std::size_t kLongestRequest = 4 * srp::kMaxMessage;

}  // namespace

/// The access in progress and the response being built. Shared with the bus during the access.
struct SrpServer::Access {
  SrpServer* server = nullptr;  ///< null if the server has been destroyed
  bool stale = false;           ///< true if the connection of the request has closed
  std::vector<std::uint8_t> message;
  srp::Request request;  ///< refers to `message`
  std::vector<std::uint8_t> response;
  std::size_t done = 0;  ///< bytes accessed
};

SrpServer::SrpServer(Bus& bus, const SrpServerLimits& limits)
    : bus_(bus), limits_(limits), receiver_(kLongestRequest), access_(std::make_shared<Access>()) {
  access_->server = this;
}

SrpServer::~SrpServer() { access_->server = nullptr; }

void SrpServer::on_open(Time) { reset(); }
void SrpServer::on_close(RssiClose, Time) { reset(); }

void SrpServer::reset() {
  sender_.reset();
  receiver_.reset();
  requests_.clear();
  request_bytes_ = 0;
  refused_segment_ = false;
  access_->stale = true;
  if (phase_ == Phase::kBegin) phase_ = Phase::kIdle;
}

bool SrpServer::has_space() const {
  return requests_.size() < limits_.requests && request_bytes_ < limits_.request_bytes;
}

bool SrpServer::on_segment(ByteSpan payload, Time now) {
  if (!has_space()) {
    refused_segment_ = true;
    ++counters_.busy;
    return false;
  }
  if (receiver_.push(payload) != Depacketizer::Result::kFrame) return true;
  const ByteSpan frame = receiver_.frame();
  ++counters_.requests;
  request_bytes_ += frame.size();
  requests_.push_back({{frame.begin(), frame.end()}, receiver_.tags().eofe()});
  advance(now);
  return true;
}

void SrpServer::on_room(Time now) { advance(now); }

/// Processes requests until it must wait for the bus or the link. Reentrant: the bus and the link may call
/// back from inside the functions that this function calls.
void SrpServer::advance(Time now) {
  now_ = std::max(now_, now);
  if (advancing_) return;
  advancing_ = true;
  do {
    sender_.flush(*link_, now_);
  } while (step());
  advancing_ = false;
  if (refused_segment_ && has_space()) {
    refused_segment_ = false;
    link_->resume(now_);
  }
}

bool SrpServer::step() {
  switch (phase_) {
    case Phase::kBus:
      return false;
    case Phase::kBegin:
      call_bus();
      return true;
    case Phase::kIdle:
      break;
  }
  if (requests_.empty() || sender_.bytes() >= limits_.response_bytes) return false;
  begin();
  return true;
}

void SrpServer::begin() {
  Access& a = *access_;
  Message message = std::move(requests_.front());
  requests_.pop_front();
  request_bytes_ -= message.bytes.size();
  a.stale = false;
  a.done = 0;
  a.message = std::move(message.bytes);
  const auto request = srp::parse_request(a.message, message.eofe);
  if (!request) return;
  a.request = *request;
  if (!request->answered()) ++counters_.posted;
  if (request->status != 0) ++counters_.refused;
  a.response.assign(request->header.begin(), request->header.end());
  a.response.insert(a.response.end(), request->data.begin(), request->data.end());
  a.response.resize(srp::kHeaderSize + request->access);
  if (request->access == 0) return respond();
  phase_ = Phase::kBegin;
}

/// Starts the access or continues it after a failed word.
void SrpServer::call_bus() {
  Access& a = *access_;
  phase_ = Phase::kBus;
  const auto address = static_cast<std::uint32_t>(a.request.address + a.done);
  auto done = [held = access_](const BusResult& result, Time now) {
    if (held->server != nullptr) held->server->bus_done(result, now);
  };
  if (a.request.opcode == srp::Opcode::kRead)
    bus_.read(address, MutableByteSpan(a.response).subspan(srp::kHeaderSize + a.done), now_, std::move(done));
  else
    bus_.write(address, a.request.data.subspan(a.done), now_, std::move(done));
}

void SrpServer::bus_done(const BusResult& result, Time now) {
  Access& a = *access_;
  const std::size_t left = a.request.access - a.done;
  const bool failed = result.status != BusStatus::kOk;
  a.done += failed ? std::min(result.words * 4, left - 4) : left;
  phase_ = Phase::kIdle;
  if (a.stale) return advance(now);
  if (failed) ++counters_.bus_errors;
  if (failed && a.request.ignore_bus_errors && result.status != BusStatus::kTimeout) {
    if (a.request.opcode == srp::Opcode::kRead)
      std::fill_n(a.response.begin() + static_cast<std::ptrdiff_t>(srp::kHeaderSize + a.done), 4, 0xff);
    a.done += 4;
    if (a.done < a.request.access)
      phase_ = Phase::kBegin;
    else
      respond();
  } else {
    a.request.status |= static_cast<std::uint32_t>(result.status);
    respond();
  }
  advance(now);
}

/// Appends the status to the words transferred and sends the response.
void SrpServer::respond() {
  Access& a = *access_;
  if (!a.request.answered()) return;
  a.response.resize(srp::kHeaderSize + a.done + srp::kStatusSize);
  store_le32(&a.response[srp::kHeaderSize + a.done], a.request.status);
  ++counters_.responses;
  sender_.push(a.response, *link_);
}

}  // namespace softfeb::srp

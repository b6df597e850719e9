// SPDX-License-Identifier: BSD-3-Clause
#include "srp/srp_client.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::srp {

void SrpClient::notify(Notice opened, std::function<void(RssiClose, Time)> closed) {
  opened_ = std::move(opened);
  closed_ = std::move(closed);
}

bool SrpClient::read(std::uint32_t address, std::size_t bytes, Time now, Callback done) {
  return begin(srp::Opcode::kRead, address, bytes, {}, now, std::move(done));
}

bool SrpClient::write(std::uint32_t address, ByteSpan data, Time now, Callback done) {
  return begin(srp::Opcode::kWrite, address, data.size(), data, now, std::move(done));
}

bool SrpClient::post(std::uint32_t address, ByteSpan data, Time now) {
  return begin(srp::Opcode::kPostedWrite, address, data.size(), data, now, {});
}

bool SrpClient::null(Time now, Callback done) {
  return begin(srp::Opcode::kNull, 0, 4, {}, now, std::move(done));
}

bool SrpClient::begin(srp::Opcode opcode, std::uint32_t address, std::size_t size, ByteSpan data, Time now,
                      Callback done) {
  if (link_ == nullptr || !link_->open()) return false;
  const Number number = next_++;
  const auto message = srp::make_request(opcode, static_cast<std::uint32_t>(number), address, size, data);
  ++counters_.requests;
  if (opcode != srp::Opcode::kPostedWrite) {
    Pending p{{}, opcode, size, now, std::move(done)};
    std::copy_n(message.begin(), srp::kHeaderSize, p.header.begin());
    pending_.emplace(number, std::move(p));
  }
  sender_.push(message, *link_);
  sender_.flush(*link_, now);
  return true;
}

bool SrpClient::on_segment(ByteSpan payload, Time now) {
  if (receiver_.push(payload) == Depacketizer::Result::kFrame && !receiver_.tags().eofe())
    on_response(receiver_.frame(), now);
  return true;
}

/// Finds the pending transaction with this id, the lower 32 bits of its number. Pending transactions span
/// fewer than 2^32 numbers, so the id is unique.
std::map<SrpClient::Number, SrpClient::Pending>::iterator SrpClient::find(std::uint32_t id) {
  if (pending_.empty()) return pending_.end();
  const Number first = pending_.begin()->first;
  return pending_.find(first + (id - static_cast<std::uint32_t>(first)));
}

void SrpClient::on_response(ByteSpan message, Time now) {
  const auto response = srp::parse_response(message);
  const auto found = response ? find(response->id) : pending_.end();
  if (found == pending_.end() || !response->answers(found->second.header)) {
    ++counters_.foreign;
    return;
  }
  const Pending p = std::move(found->second);
  pending_.erase(found);
  ++counters_.replies;
  last_answer_ = now;
  SrpReply reply{SrpOutcome::kOk, response->status, response->data};
  const std::size_t expected = p.opcode == srp::Opcode::kNull ? 0 : p.size;
  if (reply.status != 0 ? reply.data.size() > expected : reply.data.size() != expected)
    reply.outcome = SrpOutcome::kMalformed;
  else if (reply.status != 0)
    reply.outcome = SrpOutcome::kStatus;
  p.done(reply, now);
}

Time SrpClient::deadline() const {
  if (pending_.empty()) return kNever;
  return saturating_add(std::max(pending_.begin()->second.begun, last_answer_), timeout_);
}

void SrpClient::on_timer(Time now) {
  while (deadline() <= now) {
    const auto oldest = pending_.begin();
    const Pending p = std::move(oldest->second);
    pending_.erase(oldest);
    ++counters_.timeouts;
    p.done({SrpOutcome::kTimeout}, now);
  }
}

void SrpClient::on_open(Time now) {
  sender_.reset();
  receiver_.reset();
  if (opened_) opened_(now);
}

void SrpClient::on_close(RssiClose why, Time now) {
  sender_.reset();
  receiver_.reset();
  const auto lost = std::exchange(pending_, {});
  for (const auto& [number, p] : lost) p.done({SrpOutcome::kClosed}, now);
  if (closed_) closed_(why, now);
}

}  // namespace softfeb::srp

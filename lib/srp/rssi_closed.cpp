// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_closed.hpp"

#include <cstdio>

namespace softfeb::srp {

namespace {

/// Formats seconds with three decimals.
std::string seconds(Time time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", to_seconds(time));
  return text;
}

Time since(Time then, Time now) { return now > then ? now - then : 0; }

std::string error_text(const RssiClosed& c) {
  return std::to_string(c.errors) + (c.errors == 1 ? " invalid segment" : " invalid segments") +
         ", the last: " + (c.last_error != nullptr ? c.last_error : "unknown");
}

}  // namespace

const char* to_string(RssiKind kind) {
  switch (kind) {
    case RssiKind::kSyn:
      return "SYN";
    case RssiKind::kAck:
      return "ACK";
    case RssiKind::kData:
      return "data";
    case RssiKind::kNul:
      return "NUL";
    case RssiKind::kRst:
      return "RST";
  }
  return "?";
}

const char* code_of(RssiClose why) {
  switch (why) {
    case RssiClose::kByPeer:
      return "peer_reset";
    case RssiClose::kByUs:
      return "local_close";
    case RssiClose::kTimeout:
      return "null_timeout";
    case RssiClose::kRetransmit:
      return "retransmission_limit";
    case RssiClose::kReplaced:
      return "replaced";
    case RssiClose::kRestarted:
      return "client_restarted";
    case RssiClose::kProtocol:
      return "protocol_error";
    case RssiClose::kRegister:
      return "close_register";
    case RssiClose::kShutdown:
      return "shutdown";
  }
  return "?";
}

std::string reason_of(const RssiClosed& c) {
  switch (c.why) {
    case RssiClose::kByPeer:
      return "peer sent RST";
    case RssiClose::kByUs:
      return "closed by this end";
    case RssiClose::kTimeout:
      return "null timeout: nothing received for " + seconds(c.idle_limit);
    case RssiClose::kRetransmit:
      return "retransmission limit reached: a segment was sent " + std::to_string(c.max_transmissions) +
             " times and not acknowledged";
    case RssiClose::kReplaced:
      return "replaced by another client" + (c.replaced_by ? ", " + to_text(*c.replaced_by) : std::string());
    case RssiClose::kRestarted:
      return "client restarted: it sent SYN again and did not respond on the open connection";
    case RssiClose::kProtocol:
      return "protocol error: no valid segment for " + seconds(c.idle_limit) + ", but " + error_text(c);
    case RssiClose::kRegister:
      return "closed by the register CloseConn";
    case RssiClose::kShutdown:
      return "shutdown: softfeb ended";
  }
  return "?";
}

std::string describe(const RssiClosed& c) {
  std::string text = to_text(c.peer) + ": connection closed after " +
                     seconds(since(c.opened_at, c.closed_at)) + ": " + reason_of(c) +
                     "; last heard: " + to_string(c.heard) + " " + seconds(since(c.heard_at, c.closed_at)) +
                     " ago";
  // A client that closes the connection need not acknowledge our last response.
  if (c.unacknowledged != 0 && c.why != RssiClose::kByPeer)
    text += "; " + std::to_string(c.unacknowledged) + " of our segments unacknowledged";
  if (c.errors != 0 && c.why != RssiClose::kProtocol) text += "; " + error_text(c);
  return text;
}

void RssiHistory::add(const RssiClosed& closed) {
  ++counts_[static_cast<std::size_t>(closed.why)];
  if (kept_.size() == kKept) kept_.pop_front();
  kept_.push_back(closed);
}

}  // namespace softfeb::srp

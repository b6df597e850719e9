// SPDX-License-Identifier: BSD-3-Clause
#include "metadata_bus.hpp"

#include "access.hpp"
#include "failure.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// When a new request is sent, RecvMetaData may still be set because of the previous request. The board
/// clears RecvMetaData within this time.
constexpr auto kStale = 20ms;

const char* bus_name(std::size_t type) { return type == 0 ? "PD" : type == 1 ? "MR" : "QP"; }

template <class Response>
Response expect(const board::MetadataResponse& response) {
  if (const auto* right = std::get_if<Response>(&response)) return *right;
  throw Refusal(fmt::format(
      "metadata bus: the response is from the {} bus; fix: run febctl teardown, or reset the board",
      bus_name(response.index())));
}

}  // namespace

MetadataBus::MetadataBus(RegisterPort& board, const Catalogue& catalogue, std::chrono::milliseconds patience)
    : board_(board),
      send_(catalogue.one("RoceEngine.SendMetaData")),
      receive_(catalogue.one("RoceEngine.RecvMetaData")),
      tx_(catalogue.one("RoceEngine.MetaDataTx")),
      rx_(catalogue.one("RoceEngine.MetaDataRx")),
      patience_(patience) {}

board::PdResponse MetadataBus::ask(const board::PdRequest& request) {
  return expect<board::PdResponse>(exchange(request));
}
board::MrResponse MetadataBus::ask(const board::MrRequest& request) {
  return expect<board::MrResponse>(exchange(request));
}
board::QpResponse MetadataBus::ask(const board::QpRequest& request) {
  return expect<board::QpResponse>(exchange(request));
}

std::optional<board::QpResponse> MetadataBus::last_qp_response() {
  const auto response = board::decode_response(read_response());
  if (!response) return std::nullopt;
  const auto* qp = std::get_if<board::QpResponse>(&*response);
  return qp == nullptr ? std::nullopt : std::optional(*qp);
}

board::MetadataResponseBits MetadataBus::read_response() {
  const Bytes words = board_.read(rx_.range());
  return board::MetadataResponseBits(
      std::span<const std::uint8_t, board::MetadataResponseBits::kBytes>(words.data(), words.size()));
}

board::MetadataResponse MetadataBus::exchange(const board::MetadataRequest& request) {
  const auto before = read_response();
  board_.write_word(send_.address, 0);
  board_.write(tx_.address, board::encode_request(request).bytes());
  board_.write_word(send_.address, 1);
  board_.write_word(send_.address, 0);
  const auto response = board::decode_response(await(before));
  if (response) return *response;
  throw Refusal(
      "metadata bus: unknown kind of response; fix: check that --profile matches the board's firmware");
}

/// Waits for the response. For a short time, the registers may still contain the previous response, `before`.
/// A response that differs from `before` is accepted at once; an equal response only after kStale.
board::MetadataResponseBits MetadataBus::await(const board::MetadataResponseBits& before) {
  const Clock::time_point began = Clock::now();
  std::chrono::milliseconds pause = 1ms;
  while (true) {
    const bool there = low64(extract(receive_, board_.read(receive_.range()))) != 0;
    if (there) {
      const auto now = read_response();
      if (now != before || Clock::now() - began > kStale) return now;
    }
    if (Clock::now() - began > patience_) {
      throw NoAnswer(fmt::format(
          "metadata bus: no response within {:.1f} s; fix: reset the board's RoCE engine, or increase "
          "--metadata-timeout",
          std::chrono::duration<double>(patience_).count()));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
}

}  // namespace softfeb::febctl

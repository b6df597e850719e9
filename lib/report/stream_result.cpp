// SPDX-License-Identifier: BSD-3-Clause
#include "report/stream_result.hpp"

#include "stats/goodput.hpp"

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using detector::StreamReason;
using detector::StreamVerdict;

Json counts(const detector::StreamCounts& c) {
  return {{"datagrams", c[StreamVerdict::kAppended]},
          {"bytes", c.bytes},
          {"full", c[StreamReason::kFull]},
          {"timeout", c[StreamReason::kTimeout]},
          {"end", c[StreamReason::kEnd]},
          {"no_buffer", c[StreamVerdict::kNoBuffer]},
          {"too_long", c[StreamVerdict::kTooLong]},
          {"empty", c[StreamVerdict::kEmpty]}};
}

Json event(const detector::StreamEvent& e, Time started) {
  return {{"stream", e.stream},
          {"buffer", e.buffer},
          {"bytes", e.bytes},
          {"packets", e.packets},
          {"reason", detector::to_string(e.reason)},
          {"time_us", to_seconds(e.at - started) * 1e6}};
}

}  // namespace

void add_traffic_gen(Json& json, const stats::Outcome& o, const endpoints::Endpoints& endpoints,
                     std::size_t board) {
  const engine::TrafficGen* const generator = endpoints.boards[board]->traffic_gen();
  const auto& c = o.final[board].traffic_gen;
  if (generator == nullptr || !c) return;
  const double seconds = c->end > c->first ? to_seconds(c->end - c->first) : 0;
  const double bits = static_cast<double>(c->datagram_bytes + c->write_bytes) * 8;
  json["traffic_gen"] = {{"bursts", c->bursts},
                         {"datagrams", c->datagrams},
                         {"datagram_bytes", c->datagram_bytes},
                         {"writes", c->writes},
                         {"write_bytes", c->write_bytes},
                         {"seconds", seconds},
                         {"payload_gbps", seconds > 0 ? Json(bits * 1e-9 / seconds) : Json(nullptr)}};
}

void add_streams(Json& json, const stats::Outcome& o, const endpoints::Endpoints& endpoints,
                 std::size_t receiver) {
  const engine::StreamReceiver* const streams = endpoints.receivers[receiver]->streams();
  if (streams == nullptr) return;
  const detector::StreamBuffers& buffers = streams->buffers();
  const detector::StreamCounts& all = buffers.counts();
  const auto gbps = stats::stream_goodput_gbps(o, endpoints.boards.size(), receiver);
  Json out = counts(all);
  out["other_port"] = all[StreamVerdict::kOtherPort];
  out["goodput_gbps"] = gbps ? Json(*gbps) : Json(nullptr);
  out["by_stream"] = Json::array();
  for (std::uint32_t s = 0; s < buffers.config().streams; ++s) {
    Json one{{"port", buffers.config().first_port + s}};
    one.update(counts(buffers.counts_of(s)));
    out["by_stream"].push_back(std::move(one));
  }
  out["events"] = Json::array();
  for (const detector::StreamEvent& e : streams->recorded()) out["events"].push_back(event(e, o.started));
  const std::uint64_t events =
      all[StreamReason::kFull] + all[StreamReason::kTimeout] + all[StreamReason::kEnd];
  out["events_unlisted"] = events - streams->recorded().size();
  json["streams"] = std::move(out);
}

}  // namespace softfeb::report

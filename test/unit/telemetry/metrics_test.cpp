// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/metrics.hpp"

#include "latency/stage_table.hpp"
#include "test_run.hpp"

#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::telemetry;

namespace {

/// Parses the metrics, and checks Prometheus' exposition format strictly. Each family must occur once and
/// begin with HELP and TYPE. It may contain only its own series, each of them once. The names of counters
/// must end in _total.
std::map<std::string, std::string> parse(const std::string& text) {
  static const std::regex kSeries(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\"n])*"(,|(?=\})))*\})? (\S+))re");
  std::map<std::string, std::string> series;
  std::set<std::string> families;
  std::string family;
  std::istringstream in(text);
  REQUIRE((text.empty() || text.back() == '\n'));
  for (std::string line; std::getline(in, line);) {
    CAPTURE(line);
    if (line.rfind("# HELP ", 0) == 0) {
      family = line.substr(7, line.find(' ', 7) - 7);
      REQUIRE(families.insert(family).second);
      REQUIRE(line.size() > 8 + family.size());
      continue;
    }
    if (line.rfind("# TYPE ", 0) == 0) {
      const bool counter = line == "# TYPE " + family + " counter";
      REQUIRE((counter || line == "# TYPE " + family + " gauge"));
      REQUIRE(counter == (family.size() > 6 && family.substr(family.size() - 6) == "_total"));
      continue;
    }
    std::smatch m;
    REQUIRE(std::regex_match(line, m, kSeries));
    REQUIRE(m[1] == family);
    REQUIRE(series.emplace(m[1].str() + m[2].str(), m[6].str()).second);
  }
  return series;
}

}  // namespace

TEST_CASE("slow-control connections are counted by the reason for closing") {
  TestRun s;
  srp::RssiHistory history;
  srp::RssiClosed closed;
  closed.why = srp::RssiClose::kTimeout;
  for (int i = 0; i < 58; ++i) history.add(closed);
  const std::vector<LinkView> links{
      {.board = 0, .link = "registers", .open = true, .connections = 59, .history = &history}};
  const auto series = parse(metrics(s.info, s.at(kSecond), links));
  const std::string labels = R"({board="feb\\0",link="registers")";
  CHECK(series.at("softfeb_control_link_open" + labels + "}") == "1");
  CHECK(series.at("softfeb_control_connections_opened_total" + labels + "}") == "59");
  const std::string by_reason = "softfeb_control_connections_closed_total" + labels + ",reason=";
  CHECK(series.at(by_reason + "\"null_timeout\"}") == "58");
  CHECK(series.at(by_reason + "\"peer_reset\"}") == "0");
  CHECK(metrics(s.info, s.at(kSecond)).find("softfeb_control_") == std::string::npos);
}

TEST_CASE("metrics use the Prometheus text format") {
  TestRun s;
  s.endpoints[0].send_qps[0].requester.packets = 5;
  s.endpoints[0].send_qps[1].requester.packets = 6;
  s.endpoints[0].endpoint.rx_icrc_errors = 3;
  s.endpoints[0].endpoint.rx_ce = 17;
  s.endpoints[1].receive_qps[1].responder.payload_bytes = UINT64_MAX;
  s.network.ports[1].queue_bytes = 99;
  s.network.ports[1].paused = 1'500 * kMillisecond;
  s.network.totals.dropped_fault = 4;
  const auto m = parse(metrics(s.info, s.at(2 * kSecond)));
  CHECK(m.at(R"(softfeb_info{version="0",title="a \"title\""})") == "1");
  CHECK(m.at("softfeb_traffic_seconds") == "2");
  CHECK(m.at(R"(softfeb_board_sent_packets_total{board="feb\\0"})") == "11");
  CHECK(m.at(R"(softfeb_board_ce_acks_total{board="feb\\0"})") == "17");
  CHECK(m.at(R"(softfeb_qp_sent_packets_total{board="feb\\0",qp="1"})") == "6");
  CHECK(m.at(R"(softfeb_qp_current_rate_bytes_per_second{board="feb\\0",qp="0"})") == "1000000");
  CHECK(m.at(R"(softfeb_qp_alpha_ratio{board="feb\\0",qp="0"})") == "0.5");
  CHECK(m.at(R"(softfeb_receiver_payload_bytes_total{receiver="daq"})") == "18446744073709551615");
  CHECK(m.at(R"(softfeb_endpoint_dropped_frames_total{endpoint="feb\\0",reason="icrc"})") == "3");
  CHECK(m.at(R"(softfeb_switch_port_queue_bytes{switch="tor",peer="daq"})") == "99");
  CHECK(m.at(R"(softfeb_switch_port_paused_seconds_total{switch="tor",peer="daq"})") == "1.5");
  CHECK(m.at(R"(softfeb_switch_port_ecn_kmax_bytes{switch="tor",peer="daq"})") == "400");
  CHECK(m.at(R"(softfeb_network_packets_total{fate="dropped_fault"})") == "4");
}

TEST_CASE("queue pairs have the quantities of their algorithm") {
  TestRun s;
  s.endpoints[0].send_qps.resize(4);
  s.endpoints[0].send_qps[1].congestion = congestion::CongestionState{.rate = 5'000,
                                                                      .target_rate = 5'000,
                                                                      .window = 4108.5,
                                                                      .rtt = 20 * kMicrosecond,
                                                                      .target_delay = 25 * kMicrosecond};
  s.endpoints[0].send_qps[2].congestion =
      congestion::CongestionState{.window = 1000.0, .utilization = 0.75, .granted = 7};
  const auto m = parse(metrics(s.info, s.at(kSecond)));
  const auto series = [&](const std::string& name, int qp) {
    const auto it = m.find("softfeb_qp_" + name + R"({board="feb\\0",qp=")" + std::to_string(qp) + "\"}");
    return it == m.end() ? std::string() : it->second;
  };
  CHECK(series("alpha_ratio", 0) == "0.5");
  CHECK(series("window_bytes", 0).empty());
  CHECK(series("rtt_seconds", 0).empty());
  CHECK(series("current_rate_bytes_per_second", 1) == "5000");
  CHECK(series("alpha_ratio", 1).empty());
  CHECK(series("window_bytes", 1) == "4108.5");
  CHECK(std::stod(series("rtt_seconds", 1)) == Approx(20e-6));
  CHECK(std::stod(series("target_delay_seconds", 1)) == Approx(25e-6));
  CHECK(series("utilization_ratio", 1).empty());
  CHECK(series("rtt_seconds", 2).empty());
  CHECK(series("utilization_ratio", 2) == "0.75");
  CHECK(series("granted_packets", 2) == "7");
  CHECK(series("current_rate_bytes_per_second", 3).empty());  // board 3 has no congestion control
}

TEST_CASE("a quantity that no algorithm of the run has gets no family") {
  TestRun s;
  const std::string dcqcn = metrics(s.info, s.at(kSecond));
  CHECK(dcqcn.find("softfeb_qp_alpha_ratio") != std::string::npos);
  for (const char* name :
       {"window_bytes", "rtt_seconds", "target_delay_seconds", "utilization_ratio", "granted_packets"})
    CHECK(dcqcn.find("softfeb_qp_" + std::string(name)) == std::string::npos);
  for (auto& qp : s.endpoints[0].send_qps) qp.congestion = congestion::CongestionState{.rtt = kMicrosecond};
  const std::string timely = metrics(s.info, s.at(kSecond));
  CHECK(timely.find("softfeb_qp_alpha_ratio") == std::string::npos);
  CHECK(timely.find("# TYPE softfeb_qp_rtt_seconds gauge\n") != std::string::npos);
}

TEST_CASE("before the first sample, and without switches, there are fewer metrics") {
  TestRun s;
  CHECK(parse(metrics(s.info, {})).size() == 1);
  stats::Sample sample = s.at(0);
  sample.network = nullptr;
  for (const auto& [name, value] : parse(metrics(s.info, sample)))
    CHECK(name.find("switch") == std::string::npos);
}

TEST_CASE("with many queue pairs only boards have series") {
  TestRun s;
  s.info.boards[0].qps = kQpSeries + 1;
  for (const auto& [name, value] : parse(metrics(s.info, s.at(0)))) CHECK(name.rfind("softfeb_qp_", 0) != 0);
}

TEST_CASE("traffic generators") {
  TestRun s;
  CHECK(metrics(s.info, s.at(kSecond)).find("softfeb_traffic_gen_") == std::string::npos);
  s.info.boards.push_back({.name = "idle"});
  s.endpoints.insert(s.endpoints.begin() + 1, engine::EndpointSnapshot{});
  s.endpoints[0].traffic_gen = engine::TrafficGenCounters{
      .datagrams = 5, .writes = 3, .datagram_bytes = 5'000, .write_bytes = 300, .bursts = 2};
  s.endpoints[0].traffic_gen_running = true;
  const auto m = parse(metrics(s.info, s.at(kSecond)));
  const auto value = [&](const std::string& name, const std::string& board) {
    const auto it = m.find("softfeb_traffic_gen_" + name + "{board=\"" + board + "\"}");
    return it == m.end() ? std::string("none") : it->second;
  };
  CHECK(value("running", "feb\\\\0") == "1");
  CHECK(value("bursts_total", "feb\\\\0") == "2");
  CHECK(value("datagrams_total", "feb\\\\0") == "5");
  CHECK(value("datagram_bytes_total", "feb\\\\0") == "5000");
  CHECK(value("writes_total", "feb\\\\0") == "3");
  CHECK(value("write_bytes_total", "feb\\\\0") == "300");
  CHECK(value("running", "idle") == "none");
  s.endpoints[0].traffic_gen_running = false;
  CHECK(parse(metrics(s.info, s.at(kSecond))).at(R"(softfeb_traffic_gen_running{board="feb\\0"})") == "0");
}

TEST_CASE("streams of datagrams") {
  TestRun s;
  CHECK(metrics(s.info, s.at(kSecond)).find("softfeb_stream_") == std::string::npos);
  detector::StreamCounts& c = s.endpoints[1].streams.emplace();
  for (std::size_t i = 0; i < detector::kStreamVerdicts; ++i) c.datagrams[i] = 10 + i;
  for (std::size_t i = 0; i < detector::kStreamReasons; ++i) c.events[i] = 20 + i;
  c.bytes = 1'234;
  const auto m = parse(metrics(s.info, s.at(kSecond)));
  const auto value = [&](const std::string& name, const std::string& reason = {}) {
    const std::string more = reason.empty() ? "" : ",reason=\"" + reason + '"';
    return m.at("softfeb_stream_" + name + R"({receiver="daq")" + more + '}');
  };
  CHECK(value("datagrams_total") == "10");
  CHECK(value("bytes_total") == "1234");
  CHECK(value("closed_buffers_total", "full") == "20");
  CHECK(value("closed_buffers_total", "timeout") == "21");
  CHECK(value("closed_buffers_total", "end") == "22");
  CHECK(value("dropped_datagrams_total", "empty") == "11");
  CHECK(value("dropped_datagrams_total", "other_port") == "12");
  CHECK(value("dropped_datagrams_total", "too_long") == "13");
  CHECK(value("dropped_datagrams_total", "no_buffer") == "14");
}

TEST_CASE("time of workers by stage") {
  TestRun s;
  stats::Sample sample = s.at(kSecond);
  CHECK(metrics(s.info, sample).find("softfeb_worker_") == std::string::npos);
  std::vector<dataplane::CpuTimes> workers(2);
  workers[0] = {.stages = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75}, .idle = 1.5};
  workers[1].idle = 4;
  sample.cpu = &workers;
  const auto m = parse(metrics(s.info, sample));
  const auto value = [&](int worker, const std::string& stage) {
    return m.at("softfeb_worker_stage_seconds_total{worker=\"" + std::to_string(worker) + "\",stage=\"" +
                stage + "\"}");
  };
  CHECK(value(0, "rx") == "0.125");
  CHECK(value(0, "check") == "0.25");
  CHECK(value(0, "place") == "0.375");
  CHECK(value(0, "build") == "0.5");
  CHECK(value(0, "tx") == "0.625");
  CHECK(value(0, "other") == "0.75");
  CHECK(value(0, "idle") == "1.5");
  CHECK(value(1, "rx") == "0");
  CHECK(value(1, "idle") == "4");
}

TEST_CASE("special values and labels are escaped") {
  PrometheusText out;
  out.family("x", "gauge", "Help.");
  out.series({{"l", "a\\b\"c\nd"}}, 0.1);
  out.series({}, std::numeric_limits<double>::quiet_NaN());
  CHECK(out.take() ==
        "# HELP x Help.\n# TYPE x gauge\nx{l=\"a\\\\b\\\"c\\nd\"} 0.10000000000000001\nx NaN\n");
}

TEST_CASE("times of messages from stage to stage are a summary") {
  TestRun s;
  latency::StageTable table(64);
  const latency::MessageKey key = latency::message_key(latency::QpOwner::board(0), 1, 2);
  for (const auto& [stage, at] : {std::pair{latency::Stage::kTriggered, Time{0}},
                                  {latency::Stage::kSent, 3 * kMicrosecond},
                                  {latency::Stage::kCompleted, 5 * kMicrosecond}})
    table.put(key, stage, at);
  stats::Sample sample = s.at(kSecond);
  CHECK(metrics(s.info, sample).find("softfeb_message_stage") == std::string::npos);
  sample.stages = &table.figures();
  const std::string text = metrics(s.info, sample);
  for (const char* line :
       {"# TYPE softfeb_message_stage_seconds summary\n",
        "softfeb_message_stage_seconds{from=\"sent\",to=\"completed\",quantile=\"0.999\"} ",
        "softfeb_message_stage_seconds_count{from=\"sent\",to=\"completed\"} 1\n",
        "softfeb_message_stage_seconds_sum{from=\"triggered\",to=\"completed\"} ",
        "softfeb_message_stage_overflows_total 0\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

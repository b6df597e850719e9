// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/live_page.hpp"

#include "test_run.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::telemetry;
using Json = nlohmann::ordered_json;

namespace {

struct FakeParameters final : Parameters {
  std::vector<Change> changes;
  void read(std::size_t board, Respond respond) override {
    respond({200, "application/json", std::to_string(board), {}});
  }
  void write(const Change& change, Respond respond) override {
    changes.push_back(change);
    respond({200, "application/json", "{}", {}});
  }
};

/// The live page of a running experiment, and the events that the page has published.
struct Watched {
  TestRun s;
  FakeParameters parameters;
  LivePage page{s.info, {.interval = 100 * kMillisecond}, &parameters};
  std::vector<std::string> events;

  Watched() {
    page.publish_by([this](const std::string& e) { events.push_back(e); });
    page.begin();
  }
};

Response ask(LivePage& page, const std::string& method, const std::string& path,
             const std::string& body = {}) {
  Request r;
  r.method = method;
  r.path = path;
  r.body = body;
  Response out;
  out.status = 0;
  page.serve(r, [&](Response answer) { out = std::move(answer); });
  return out;
}

Json get(LivePage& page, const std::string& path) { return Json::parse(ask(page, "GET", path).body); }

}  // namespace

TEST_CASE("events of boards and receivers") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  page.add(s.at(100 * kMillisecond));
  CHECK_FALSE(get(page, "/api/history").back().contains("events"));
  s.endpoints[0].events = engine::EventSnapshot{.sent = 40, .lost = 2, .busy = 10 * kMillisecond};
  s.endpoints[1].events = engine::EventSnapshot{.complete = 40, .incomplete = 2};
  page.add(s.at(200 * kMillisecond));
  s.endpoints[0].events->busy += 25 * kMillisecond;
  s.endpoints[1].events->complete += 1'000;
  page.add(s.at(300 * kMillisecond));
  const Json last = get(page, "/api/history").back()["events"];
  CHECK(last["rate"] == 10'000);
  CHECK(last["complete"] == 1'040);
  CHECK(last["incomplete"] == 2);
  CHECK(last["lost"] == 2);
  CHECK(last["busy"] == 0.25);
}

TEST_CASE("if rdma-sink builds the events, the page knows only what the boards know") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  s.endpoints[0].events = engine::EventSnapshot{.sent = 40, .lost = 2};
  page.add(s.at(100 * kMillisecond));
  const Json last = get(page, "/api/history").back()["events"];
  for (const char* name : {"rate", "complete", "incomplete"}) CHECK(last.at(name).is_null());
  CHECK(last["lost"] == 2);
  CHECK(last["busy"] == 0);
}

TEST_CASE("traffic generators and streams of datagrams") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  page.add(s.at(100 * kMillisecond));
  for (const char* name : {"traffic_gen", "streams"})
    CHECK_FALSE(get(page, "/api/history").back().contains(name));
  for (const char* name : {"traffic_gens", "streams"}) CHECK_FALSE(get(page, "/api/counters").contains(name));

  s.endpoints[0].traffic_gen = engine::TrafficGenCounters{.datagrams = 7, .bursts = 1};
  s.endpoints[0].traffic_gen_running = true;
  s.endpoints[1].streams = detector::StreamCounts{};
  page.add(s.at(200 * kMillisecond));
  s.endpoints[0].traffic_gen->datagrams += 100;
  s.endpoints[0].traffic_gen->writes += 50;
  s.endpoints[0].traffic_gen->datagram_bytes += 1'000'000;
  s.endpoints[0].traffic_gen->write_bytes += 250'000;
  detector::StreamCounts& c = *s.endpoints[1].streams;
  c.datagrams[static_cast<std::size_t>(detector::StreamVerdict::kAppended)] = 90;
  c.datagrams[static_cast<std::size_t>(detector::StreamVerdict::kTooLong)] = 4;
  c.datagrams[static_cast<std::size_t>(detector::StreamVerdict::kNoBuffer)] = 6;
  c.bytes = 900'000;
  page.add(s.at(300 * kMillisecond));
  const Json last = get(page, "/api/history").back();
  CHECK(last["traffic_gen"] == Json{{"generators", 1}, {"running", 1}, {"packets", 1500.0}, {"gbps", 0.1}});
  CHECK(last["streams"] == Json{{"datagrams", 900.0}, {"gbps", 0.072}, {"dropped", 10}});

  s.endpoints[0].traffic_gen_running = false;
  page.end(s.at(400 * kMillisecond));
  CHECK(get(page, "/api/history").back()["traffic_gen"]["running"] == 0);
  const Json counters = get(page, "/api/counters");
  CHECK(counters["traffic_gens"]["names"] == Json({"feb\\0"}));
  CHECK(counters["traffic_gens"]["columns"][2] == "datagrams_total");
  CHECK(counters["traffic_gens"]["rows"] == Json::parse("[[0, 1, 107, 1000000, 50, 250000]]"));
  CHECK(counters["streams"]["names"] == Json({"daq"}));
  CHECK(counters["streams"]["columns"][5] == "dropped_datagrams_no_buffer_total");
  CHECK(counters["streams"]["rows"] == Json::parse("[[90, 900000, 0, 0, 0, 6, 4, 0, 0]]"));
}

TEST_CASE("shares of the workers' time") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  page.add(s.at(100 * kMillisecond));
  CHECK_FALSE(get(page, "/api/history").back().contains("cpu"));
  std::vector<dataplane::CpuTimes> workers(2);
  stats::Sample sample = s.at(200 * kMillisecond);
  sample.cpu = &workers;
  page.add(sample);
  workers[0] = {.stages = {0.01, 0, 0, 0.02, 0, 0}, .idle = 0.05};  // preempted for 20 of 100 ms
  sample.at = 300 * kMillisecond;
  page.add(sample);
  workers[0].stages[3] += 0.1;
  workers[1].idle = 0.1;
  sample.at = 400 * kMillisecond;
  page.add(sample);
  workers.clear();  // has no effect on the page, which has copied the data
  const Json history = get(page, "/api/history");
  CHECK(history[2]["cpu"]["rx"] == Json({0.125, 0.0}));
  CHECK(history[2]["cpu"]["build"] == Json({0.25, 0.0}));
  CHECK(history[2]["cpu"]["idle"] == Json({0.625, 0.0}));
  CHECK(history[3]["cpu"]["build"] == Json({1.0, 0.0}));
  CHECK(history[3]["cpu"]["idle"] == Json({0.0, 1.0}));
  CHECK(history[3]["cpu"].size() == 7);
  CHECK(ask(page, "GET", "/metrics").body.find("{worker=\"1\",stage=\"idle\"} 0.1") != std::string::npos);
}

TEST_CASE("rates are differences of samples") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  CHECK(page.due() == 100 * kMillisecond);
  page.add(s.at(100 * kMillisecond));
  CHECK(page.due() == 200 * kMillisecond);
  s.endpoints[0].send_qps[0].counters.counted_bytes = 12'500'000;
  s.endpoints[0].send_qps[1].completed_payload_bytes = 6'250'000;
  s.endpoints[0].send_qps[1].counters.cnp_rx = 3;
  s.network.ports[1].tx_wire_bytes = 62'500'000;
  s.network.ports[1].queue_bytes_peak = 350;
  page.add(s.at(350 * kMillisecond));
  CHECK(page.due() == 400 * kMillisecond);

  const Json sample = get(page, "/api/history").at(1);
  CHECK(sample["t"] == 0.35);
  CHECK(sample["rc"][0] == 0.008);  // the two QPs share this rate, so it counts once
  CHECK(sample["rt"][0] == 0.016);
  CHECK(sample["alpha"][0] == 0.5);
  CHECK(sample["sent"][0] == 0.4);
  CHECK(sample["goodput"][0] == 0.2);
  CHECK(sample["cnp"][0] == 3);
  CHECK(sample["tx"][1] == 2.0);
  CHECK(sample["peak"][1] == 350);
  REQUIRE(events.size() == 4);  // state, sample, counters and sample
  CHECK(events[0] == "event: state\ndata: {\"state\":\"running\"}\n\n");
  CHECK(events[3] == "event: sample\ndata: " + sample.dump() + "\n\n");
}

TEST_CASE("samples have the quantities of the boards' algorithms") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  page.add(s.at(100 * kMillisecond));
  auto& qps = s.endpoints[0].send_qps;  // the second QP shares the congestion control of the first
  for (auto& qp : qps)
    qp.congestion = congestion::CongestionState{.rate = 1'000'000,
                                                .target_rate = 1'000'000,
                                                .window = 4108.0,
                                                .rtt = 12'500 * kNanosecond,
                                                .target_delay = 30 * kMicrosecond};
  page.add(s.at(200 * kMillisecond));
  qps[0].congestion.reset();
  page.add(s.at(300 * kMillisecond));

  const Json history = get(page, "/api/history");
  for (const char* name : {"rtt_us", "target_delay_us", "window", "utilization", "granted"}) {
    CAPTURE(name);
    CHECK_FALSE(history[0].contains(name));
    CHECK_FALSE(history[2].contains(name));
  }
  CHECK(history[0]["alpha"][0] == 0.5);
  CHECK(history[1]["rtt_us"] == Json({12.5}));
  CHECK(history[1]["target_delay_us"] == Json({30.0}));
  CHECK(history[1]["window"] == Json({4108.0}));
  CHECK_FALSE(history[1].contains("utilization"));
  CHECK(history[1]["alpha"][0].is_null());
  CHECK(history[2]["alpha"][0] == 0.0);
  CHECK(history[2]["rc"][0].is_null());
}

TEST_CASE("the reason of a closed slow-control connection is published") {
  struct FakeLinks : Links {
    std::vector<LinkView> links() const override { return views; }
    srp::RssiHistory registers, stream;
    std::vector<LinkView> views{{.board = 0, .link = "registers", .history = &registers},
                                {.board = 0, .link = "stream", .history = &stream}};
  } links;
  TestRun s;
  LivePage page(s.info, {}, nullptr, &links);
  std::vector<std::string> events;
  page.publish_by([&](const std::string& e) {
    if (e.find("event: links") == 0) events.push_back(e);
  });
  page.begin();
  page.add(s.at(1 * kSecond));
  page.add(s.at(2 * kSecond));
  CHECK(events.size() == 1);

  srp::RssiClosed closed;
  closed.why = srp::RssiClose::kTimeout;
  closed.peer = {*roce::IpAddress::parse("192.168.2.100"), 40'000};
  closed.opened_at = kSecond;
  closed.closed_at = 5 * kSecond;
  closed.heard = srp::RssiKind::kNul;
  closed.heard_at = 4 * kSecond;
  closed.idle_limit = kSecond;
  closed.in_band = true;
  closed.unix_ns = 1'700'000'000'123'000'000;
  for (int i = 0; i < 20; ++i) links.registers.add(closed);
  closed.why = srp::RssiClose::kByPeer;
  closed.closed_at = 6 * kSecond;
  links.stream.add(closed);
  links.views[1].open = true;
  links.views[1].peer = closed.peer;
  page.add(s.at(3 * kSecond));
  REQUIRE(events.size() == 2);
  const Json now = get(page, "/api/links");
  CHECK(events[1] == "event: links\ndata: " + now.dump() + "\n\n");
  CHECK(now["links"] == 2);
  CHECK(now["open"].size() == 1);
  CHECK(now["open"][0]["peer"] == "192.168.2.100:40000");
  CHECK(now["closed_by_reason"] == Json({{"peer_reset", 1}, {"null_timeout", 20}}));
  REQUIRE(now["closed"].size() == 1 + srp::RssiHistory::kKept);
  CHECK(now["closed"][0]["link"] == "stream");  // the newest connection comes first
  const Json& one = now["closed"][1];
  CHECK(one["at"] == "2023-11-14T22:13:20.123Z");
  CHECK(one["board"] == "feb\\0");
  CHECK(one["way"] == "in_band");
  CHECK(one["reason"] == "null timeout: nothing received for 1.000 s");
  CHECK(one["up_s"] == 4.0);
  CHECK(one["last_heard"] == Json({{"segment", "NUL"}, {"ago_s", 1.0}}));
  CHECK(page.greeting().find("event: links\n") != std::string::npos);
}

TEST_CASE("goodput of UC is the receiver's, and null for external receivers") {
  TestRun t;
  config::RunConfig config;
  config.boards.resize(1);
  config.boards[0].qps.resize(1);
  config.receivers.resize(1);
  std::vector<endpoints::QpPlan> plans(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    plans[i].config = &config.boards[0].qps[0];
    plans[i].on_board = i;
    plans[i].target.receiver = 0;
    plans[i].target.receiver_qp = i;
    t.endpoints[0].send_qps[i].uc = true;
  }
  for (const bool ours : {true, false}) {
    CAPTURE(ours);
    if (!ours) plans[1].target.receiver.reset();
    t.info.deliveries = stats::DeliveryMap(config, plans);
    LivePage page(t.info, {.interval = 100 * kMillisecond}, nullptr);
    page.begin();
    t.endpoints[0].send_qps[0].completed_payload_bytes = 0;
    t.endpoints[1].receive_qps[1].responder.completed_bytes = 0;
    page.add(t.at(100 * kMillisecond));
    t.endpoints[0].send_qps[0].completed_payload_bytes = 12'500'000;  // bytes sent
    t.endpoints[1].receive_qps[1].responder.completed_bytes = 2'500'000;
    page.add(t.at(200 * kMillisecond));
    const Json goodput = get(page, "/api/history").at(1)["goodput"][0];
    const std::string metrics = ask(page, "GET", "/metrics").body;
    const bool counted =
        metrics.find("\nsoftfeb_board_delivered_payload_bytes_total{board=\"feb\\\\0\"} 2500000\n") !=
        std::string::npos;
    if (ours) {
      CHECK(goodput == 0.2);
    } else {
      CHECK(goodput.is_null());
    }
    CHECK(counted == ours);
  }
}

TEST_CASE("a late client gets setup, history and later samples") {
  TestRun s;
  LivePage page(s.info, {.interval = kMillisecond, .run = 17}, nullptr);
  CHECK(page.greeting().find("\"waiting\"") != std::string::npos);
  page.begin();
  for (Time t = 1; t <= LivePage::kHistory + 50; ++t) page.add(s.at(t * kMillisecond));
  CHECK(get(page, "/api/history").size() == LivePage::kHistory);
  page.end(s.at(900 * kMillisecond));
  CHECK(page.due() == kNever);
  const std::string text = page.greeting();
  CHECK(text.find("event: setup") == 0);
  CHECK(text.find("event: history\n") != std::string::npos);
  CHECK(text.find("event: counters\n") != std::string::npos);
  CHECK(text.find("\"ended\"") != std::string::npos);
  const Json setup = get(page, "/api/setup");
  CHECK(setup["boards"][0]["name"] == "feb\\0");
  CHECK(setup["ports"][1] ==
        Json::parse(
            R"({"name":"tor.daq","gbps":10.0,"bottleneck":true,"buffer":1000000,"kmin":100,"kmax":400})"));
  CHECK(setup["run"] == "17");
  CHECK(setup["changeable"] == false);
}

TEST_CASE("changes reach the parameters") {
  TestRun s;
  FakeParameters parameters;
  LivePage page(s.info, {}, &parameters);
  const Json fields = get(page, "/api/dcqcn");
  CHECK(fields["firmware"]["rate_dec_interval"]["unit"] == "clocks");
  CHECK(fields["paper"]["gd"]["highest"] == 20);
  CHECK(ask(page, "GET", "/api/dcqcn/feb%5C0").body == "0");
  CHECK(ask(page, "GET", "/api/dcqcn/nobody").status == 404);
  CHECK(ask(page, "POST", "/api/dcqcn", R"({"board":"feb\\0","qps":1,"set":{"rai":"1Mb/s"}})").status == 200);
  REQUIRE(parameters.changes.size() == 1);
  CHECK(parameters.changes[0].qp == 1U);
  CHECK(parameters.changes[0].given[0].second == "1Mb/s");
  CHECK(ask(page, "POST", "/api/dcqcn", R"({"board":"nobody","set":{"rai":"1Mb/s"}})").status == 404);
  CHECK(ask(page, "POST", "/api/dcqcn", "{}").status == 400);
  CHECK(ask(page, "POST", "/metrics", "{}").status == 405);
}

TEST_CASE("after the run, the page shows the result and refuses changes") {
  Watched w;
  auto& [s, parameters, page, events] = w;
  CHECK(ask(page, "GET", "/api/dcqcn/feb%5C0").status == 200);
  CHECK(get(page, "/api/result").is_null());
  CHECK(page.greeting().find("event: result") == std::string::npos);
  page.end(s.at(kSecond));
  const std::string change = R"({"board":"feb\\0","qps":1,"set":{"rai":"1Mb/s"}})";
  CHECK(ask(page, "GET", "/api/dcqcn/feb%5C0").status == 409);
  CHECK(ask(page, "POST", "/api/dcqcn", change).status == 409);
  CHECK(parameters.changes.empty());
  page.conclude("held", "a table\nof \xff two lines\n");
  const std::string result = R"({"verdict":"held","text":"a table\nof � two lines\n"})";
  CHECK(events.back() == "event: result\ndata: " + result + "\n\n");
  CHECK(ask(page, "GET", "/api/result").body == result + "\n");
  CHECK(page.greeting().find(events.back()) != std::string::npos);
}

TEST_CASE("the page's files exist, and Chart.js if installed") {
  TestRun s;
  const std::string path = "telemetry_chart_test.js";
  std::ofstream(path) << "chart";
  LivePage page(s.info, {.chart_js = path}, nullptr);
  const Response index = ask(page, "GET", "/");
  CHECK(index.status == 200);
  CHECK(index.type == "text/html; charset=utf-8");
  CHECK(index.body.find("http://") == std::string::npos);  // the page loads nothing from other hosts
  CHECK(index.body.find("https://") == std::string::npos);
  CHECK(ask(page, "GET", "/page.css").type == "text/css; charset=utf-8");
  CHECK(ask(page, "GET", "/chart.js").body == "chart");
  CHECK(ask(page, "GET", "/../etc/passwd").status == 404);
  std::remove(path.c_str());
  const Response missing = ask(page, "GET", "/chart.js");
  CHECK(missing.status == 404);
  CHECK(missing.body.find("libjs-chart.js") != std::string::npos);
}

// SPDX-License-Identifier: BSD-3-Clause
// lab-virtual FILE DIR [KEY=VALUE ...]: runs a topology in virtual time and writes all counts to DIR: to
// result.json at the end, and to series.csv every tenth of a millisecond. Needs no DPDK. same_bytes.py
// compares the output of different builds.

#include "config/load.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/flows.hpp"
#include "lab/judge.hpp"
#include "lab/metrics_config.hpp"

#include <cstdio>
#include <exception>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace softfeb;
using Json = nlohmann::ordered_json;

namespace {

/// Writes the series: for each sample, a line for each endpoint and each port.
class Series : public stats::Observer {
 public:
  explicit Series(const std::string& path) : out_(path) {}

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override {
    for (std::size_t e = 0; e < sample.endpoints->size(); ++e) {
      const engine::EndpointSnapshot& s = (*sample.endpoints)[e];
      out_ << sample.at << ",endpoint," << e << ',' << s.endpoint.tx_frames << ',' << s.endpoint.rx_frames
           << ',' << s.endpoint.rx_pause << ',' << s.cnp_tx;
      for (const engine::SendQpSnapshot& qp : s.send_qps) {
        out_ << ',' << qp.requester.packets << ',' << qp.counters.cnp_rx;
        if (qp.congestion)
          out_ << ',' << qp.congestion->rate << ',' << qp.congestion->alpha << ',' << qp.congestion->credit;
      }
      for (const engine::ReceiveQpSnapshot& qp : s.receive_qps)
        out_ << ',' << qp.responder.payload_bytes << ',' << qp.congestion_experienced;
      out_ << '\n';
    }
    for (const fabric::PortSnapshot& p : sample.network->ports) {
      out_ << sample.at << ",port," << p.switch_index << ',' << p.link << ',' << p.queue_bytes << ','
           << p.queue_bytes_peak << ',' << p.tx_packets << ',' << p.ecn_marked << ',' << p.pause_tx << ','
           << p.paused << '\n';
    }
    due_ += kMillisecond / 10;
  }

 private:
  std::ofstream out_;
  Time due_ = kMillisecond / 10;
};

Json endpoint(const engine::EndpointSnapshot& s) {
  Json send = Json::array(), receive = Json::array();
  for (const engine::SendQpSnapshot& qp : s.send_qps) {
    send.push_back({qp.requester.packets, qp.requester.retransmitted_packets, qp.requester.messages_completed,
                    qp.requester.messages_failed, qp.requester.timeouts, qp.requester.ack_rx,
                    qp.requester.nak_sequence_rx, qp.counters.cnp_rx, qp.counters.counted_bytes,
                    qp.counters.first_sent, qp.counters.last_completed, qp.completed_payload_bytes});
  }
  for (const engine::ReceiveQpSnapshot& qp : s.receive_qps) {
    receive.push_back({qp.responder.packets, qp.responder.payload_bytes, qp.responder.messages,
                       qp.responder.duplicate, qp.responder.out_of_order, qp.bytes_checked, qp.bytes_wrong,
                       qp.congestion_experienced, qp.missing_messages});
  }
  return {{"tx_frames", s.endpoint.tx_frames},
          {"tx_bytes", s.endpoint.tx_bytes},
          {"rx_frames", s.endpoint.rx_frames},
          {"rx_icrc_errors", s.endpoint.rx_icrc_errors},
          {"cnp_tx", s.cnp_tx},
          {"send_qps", std::move(send)},
          {"receive_qps", std::move(receive)}};
}

Json port(const fabric::PortSnapshot& p) {
  return {p.switch_index,    p.link,       p.tx_packets, p.tx_wire_bytes, p.rx_packets,
          p.queue_bytes_max, p.ecn_marked, p.dropped,    p.pause_tx,      p.resume_tx,
          p.pause_rx,        p.paused,     p.cnp_forged};
}

Json flow(const fabric::FlowSnapshot& f) {
  return {f.source, f.destination, f.qpn, f.packets, f.bytes, f.ecn_marked, f.dropped};
}

Json completion_times(const engine::CompletionTimes& times) {
  Json list = Json::array();
  for (const engine::CompletionTimes::Class& c : times.classes()) {
    list.push_back({c.time.count(), c.time.mean(), c.time.percentile(0.5), c.time.percentile(0.99),
                    c.slowdown.mean(), c.slowdown.percentile(0.5), c.slowdown.percentile(0.99)});
  }
  return list;
}

Json result(const config::LabConfig& config, const stats::Outcome& o, const lab::RunStats& f) {
  Json j{
      {"config", config::to_json(config)}, {"origin", o.started}, {"stopped", o.stopped}, {"ended", o.ended}};
  j["endpoints"] = Json::array();
  for (const auto& e : o.final) j["endpoints"].push_back(endpoint(e));
  j["ports"] = Json::array();
  for (const auto& p : o.network->ports) j["ports"].push_back(port(p));
  j["flows"] = Json::array();
  for (const auto& x : o.network->flows) j["flows"].push_back(flow(x));
  for (const lab::Balance& b : f.balances) j["balances"].push_back({b.name, b.left, b.right});
  j["memory_wrong"] = f.memory_wrong;
  if (f.completion_times) j["completion_times"] = completion_times(*f.completion_times);
  for (const lab::CheckResult& c : lab::judge(config.lab, f))
    j["checks"].push_back({c.name, c.value ? Json(*c.value) : Json(nullptr), c.held});
  return j;
}

int run(const std::string& file, const std::string& folder, const std::vector<std::string>& overrides) {
  const config::LabConfig config = config::load_lab(file, overrides);
  experiment::VirtualDriver driver(config);
  lab::Metrics metrics(lab::make_metrics_config(config, lab::flows_of(config.run, driver.plans().all())));
  Series series(folder + "/series.csv");
  const stats::Outcome outcome =
      experiment::run_phases(config.run, driver, {&metrics, &series}, [](const std::string&) {});
  const lab::RunStats figures = experiment::lab_stats(config, driver, outcome, metrics);
  std::ofstream(folder + "/result.json") << result(config, outcome, figures).dump(1) << '\n';
  for (const lab::Balance& b : figures.balances) {
    if (b.holds()) continue;
    std::fprintf(stderr, "%s: %llu is not %llu\n", b.name.c_str(), static_cast<unsigned long long>(b.left),
                 static_cast<unsigned long long>(b.right));
    return 1;
  }
  return figures.memory_wrong == 0 && figures.totals.bytes_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: lab-virtual FILE DIR [KEY=VALUE ...]\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], std::vector<std::string>(argv + 3, argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "lab-virtual: %s\n", e.what());
    return 2;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "receiver.hpp"
#include "sha256.hpp"

#include <algorithm>
#include <thread>

namespace softfeb::sink {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json report_immediates(const ReceiveAccounting& ledger) {
  json immediates{{"received", ledger.immediates()},
                  {"wrong", ledger.wrong_immediates()},
                  {"in_order", ledger.map().late() == 0 && ledger.wrong_immediates() == 0},
                  {"first_wrong", nullptr}};
  if (const auto& wrong = ledger.first_wrong_immediate())
    immediates["first_wrong"] = {{"message", wrong->message}, {"got", wrong->got}, {"want", wrong->want}};
  return immediates;
}

json report_mismatches(const roce::PayloadCheck& check) {
  json list = json::array();
  for (const roce::Mismatch& m : check.mismatches())
    list.push_back({{"message", m.message}, {"offset", m.offset}, {"got", m.got}, {"want", m.want}});
  return list;
}

json report_missing(const roce::MessageMap& map) {
  json list = json::array();
  for (const roce::MessageMap::Range& range : map.ranges()) list.push_back({range.first, range.last});
  return list;
}

}  // namespace

/// The last completions may come a moment after the client has its acknowledgements.
void Receiver::settle(const End& end) {
  const auto total = [this] {
    std::uint64_t sum = 0;
    for (const ReceiveAccounting& ledger : ledgers_) sum += ledger.immediates();
    return sum;
  };
  const Clock::time_point give_up = Clock::now() + 2s;
  Clock::time_point quiet_since = Clock::now();
  while (hello_.immediate.present() && (!end.counted || total() < end.messages)) {
    if (poll()) quiet_since = Clock::now();
    if (Clock::now() > give_up || Clock::now() - quiet_since > 200ms) return;
    std::this_thread::sleep_for(1ms);
  }
  poll();
}

std::optional<std::uint64_t> Receiver::sent_on(std::size_t i, const End* end) const {
  if (end == nullptr || !end->counted) return std::nullopt;
  if (i < end->messages_of_qp.size()) return end->messages_of_qp[i];
  if (qps_.size() == 1 || end->messages == 0) return end->messages;
  if (hello_.messages != 0 && end->messages == hello_.messages * qps_.size()) return hello_.messages;
  return std::nullopt;
}

/// Files of several QPs stand one after the other, each as long as its messages are together.
std::uint64_t Receiver::out_offset(std::size_t i, std::uint64_t n) const {
  const std::uint64_t stream =
      hello_.payload.file_size != 0 ? hello_.payload.file_size : hello_.messages * hello_.message_size;
  return i * stream + n * hello_.message_size;
}

void Receiver::write_rest(std::size_t i, std::uint64_t sent) {
  if (!out_.wanted() || hello_.immediate.present()) return;
  if (sent > shares_.slots) {
    problem("--out: " + std::to_string(sent) + " messages were sent into " + std::to_string(shares_.slots) +
            " slots, so the first were overwritten unseen; fix: --memory, or messages with immediates");
    return;
  }
  for (std::uint64_t n = 0; n < sent; ++n) out_.write(out_offset(i, n), ledgers_[i].message(n));
}

json Receiver::report_qp(std::size_t i) const {
  const ReceiveAccounting& ledger = ledgers_[i];
  const roce::PayloadCheck* check = ledger.check();
  json qp{{"qpn", qps_.qpn(i)},
          {"state", qps_.state(i)},
          {"messages", ledger.messages()},
          {"payload_bytes", ledger.bytes()},
          {"missing", ledger.missing()},
          {"missing_ranges", report_missing(ledger.map())},
          {"missing_slots", ledger.untouched_slots()},
          {"duplicate", ledger.map().duplicate()},
          {"out_of_order", ledger.map().late()},
          {"wrong_lengths", ledger.wrong_lengths()},
          {"bytes_checked", check ? check->checked() : 0},
          {"bytes_wrong", check ? check->wrong() : 0},
          {"mismatches", check ? report_mismatches(*check) : json::array()},
          {"payload_origin", ledger.origin() ? json(*ledger.origin()) : json(nullptr)},
          {"immediates", report_immediates(ledger)}};
  if (options_.sha256) {
    const ByteSpan written = ledger.written();
    qp["sha256"] = sha256_hex(written);
    qp["sha256_bytes"] = written.size();
  }
  return qp;
}

void Receiver::judge(std::size_t i, std::optional<std::uint64_t> sent) {
  const ReceiveAccounting& ledger = ledgers_[i];
  const std::string who = "queue pair " + std::to_string(i) + ": ";
  const auto expect_none = [&](std::uint64_t count, const char* what) {
    if (count != 0) problem(who + std::to_string(count) + " " + what);
  };
  expect_none(ledger.check() ? ledger.check()->wrong() : 0, "bytes wrong");
  expect_none(ledger.missing(), "messages missing");
  expect_none(ledger.wrong_immediates(), "immediates wrong");
  expect_none(ledger.wrong_lengths(), "messages of wrong length");
  expect_none(ledger.map().late(), "messages out of order");
  expect_none(ledger.map().duplicate(), "messages twice");
  if (std::string_view(qps_.state(i)) == "ERR") problem(who + "in state ERR: a request was refused");
  if (sent && hello_.immediate.present() && ledger.immediates() > *sent)
    problem(who + std::to_string(ledger.immediates()) + " immediates for " + std::to_string(*sent) +
            " messages");
}

void Receiver::problem(std::string text) {
  constexpr std::size_t kMaxProblems = 20;
  if (problems_.size() < kMaxProblems) problems_.push_back(std::move(text));
}

/// Between the first and the last completion, so the first message's bytes do not count; without immediates
/// only the client has seen how long it took.
void Receiver::add_rates(json& report, const End* end) const {
  const double seconds = std::chrono::duration<double>(last_ - first_).count();
  const auto bytes = report["payload_bytes"].get<double>();
  const bool own = seconds > 0;
  const double theirs = end != nullptr ? end->seconds : 0;
  report["duration_s"] = own ? seconds : theirs;
  report["timed_by"] = own ? "receiver" : "client";
  const double counted = own ? bytes - static_cast<double>(first_bytes_) : bytes;
  const double time = own ? seconds : theirs;
  report["goodput_gbps"] = time > 0 ? json(counted * 8e-9 / time) : json(nullptr);
}

json Receiver::finish(const End* end) {
  if (end != nullptr)
    settle(*end);
  else
    poll();
  json report{{"version", kVersion},
              {"transport", hello_.transport == roce::Transport::kRc ? "rc" : "uc"},
              {"peer", hello_.ip.to_string()},
              {"message_size", hello_.message_size},
              {"pmtu", hello_.pmtu},
              {"slots", shares_.slots},
              {"checked", expected_.stream() == nullptr ? "nothing"
                          : shares_.live                ? "each message"
                                                        : "final memory"},
              {"qps", json::array()}};
  for (const char* key :
       {"messages", "payload_bytes", "bytes_checked", "bytes_wrong", "missing", "duplicate", "out_of_order"})
    report[key] = 0;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const auto sent = sent_on(i, end);
    ledgers_[i].finish(sent);
    if (sent)
      write_rest(i, *sent);
    else if (!hello_.immediate.present())
      problem("queue pair " + std::to_string(i) +
              ": how much was sent is not known, so nothing could be checked");
    judge(i, sent);
    json qp = report_qp(i);
    for (const char* key : {"messages", "payload_bytes", "bytes_checked", "bytes_wrong", "missing",
                            "duplicate", "out_of_order"})
      report[key] = report[key].get<std::uint64_t>() + qp[key].get<std::uint64_t>();
    report["qps"].push_back(std::move(qp));
  }
  add_rates(report, end);
  if (end == nullptr)
    problem("the client went away without an end");
  else if (!end->complete)
    problem("the client did not complete its run");
  if (unexpected_ != 0) problem(std::to_string(unexpected_) + " completions of other operations than WRITE");
  for (const auto& [status, count] : failed_)
    problem(std::to_string(count) + " receives ended with: " + status);
  for (const std::string& event : events_) problem("the device reports: " + event);
  if (!out_.error().empty()) problem(out_.error());
  report["problems"] = problems_;
  report["held"] = problems_.empty();
  return report;
}

}  // namespace softfeb::sink

// SPDX-License-Identifier: BSD-3-Clause
#include "receiver.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include <openssl/evp.h>

namespace softfeb::sink {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Returns the SHA-256 (FIPS 180-4) of `bytes` as 64 hexadecimal digits.
std::string sha256_hex(ByteSpan bytes) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto cannot compute a SHA-256");
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

json report_immediates(const ReceiveAccounting& account) {
  json immediates{{"received", account.immediates()},
                  {"wrong", account.wrong_immediates()},
                  {"in_order", account.map().late() == 0 && account.wrong_immediates() == 0},
                  {"first_wrong", nullptr}};
  if (const auto& wrong = account.first_wrong_immediate())
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

/// Waits for the last completions, which may arrive shortly after the client has received its
/// acknowledgements.
void Receiver::settle(const End& end) {
  const Clock::time_point give_up = Clock::now() + 2s;
  Clock::time_point quiet_since = Clock::now();
  while (hello_.immediate.present() && (!end.counted || completions() < end.messages)) {
    if (poll()) quiet_since = Clock::now();
    if (Clock::now() > give_up || Clock::now() - quiet_since > 200ms) return;
    std::this_thread::sleep_for(1ms);
  }
  poll();
}

std::uint64_t Receiver::completions() const {
  std::uint64_t sum = 0;
  for (const Received& qp : received_) sum += qp.messages;
  for (const ReceiveAccounting& account : accounting_) sum += account.immediates();
  return sum;
}

std::optional<std::uint64_t> Receiver::sent_on(std::size_t i, const End* end) const {
  if (end == nullptr || !end->counted) return std::nullopt;
  if (i < end->messages_of_qp.size()) return end->messages_of_qp[i];
  if (qps_.size() == 1 || end->messages == 0) return end->messages;
  if (hello_.messages != 0 && end->messages == hello_.messages * qps_.size()) return hello_.messages;
  return std::nullopt;
}

/// Returns the offset of message `n` of QP `i` in the --out file. The file contains the data of the QPs
/// one after another. The data of a QP is as long as all its messages together.
std::uint64_t Receiver::out_offset(std::size_t i, std::uint64_t n) const {
  const std::uint64_t stream =
      hello_.payload.file_size != 0 ? hello_.payload.file_size : hello_.messages * hello_.message_size;
  return i * stream + n * hello_.message_size;
}

void Receiver::write_rest(std::size_t i, std::uint64_t sent) {
  if (!out_.wanted() || hello_.immediate.present()) return;
  if (sent > shares_.slots) {
    problem("--out: " + std::to_string(sent) + " messages were sent into " + std::to_string(shares_.slots) +
            " slots, so the first were overwritten before they were checked; fix: increase --memory, or send "
            "immediates");
    return;
  }
  for (std::uint64_t n = 0; n < sent; ++n) out_.write(out_offset(i, n), accounting_[i].message(n));
}

json Receiver::report_qp(std::size_t i) const {
  const ReceiveAccounting& account = accounting_[i];
  const roce::PayloadCheck* check = account.check();
  json qp{{"qpn", qps_.qpn(i)},
          {"state", qps_.state(i)},
          {"messages", account.messages()},
          {"payload_bytes", account.bytes()},
          {"missing", account.missing()},
          {"missing_ranges", report_missing(account.map())},
          {"missing_slots", account.untouched_slots()},
          {"duplicate", account.map().duplicate()},
          {"out_of_order", account.map().late()},
          {"wrong_lengths", account.wrong_lengths()},
          {"bytes_checked", check ? check->checked() : 0},
          {"bytes_wrong", check ? check->wrong() : 0},
          {"mismatches", check ? report_mismatches(*check) : json::array()},
          {"payload_origin", account.origin() ? json(*account.origin()) : json(nullptr)},
          {"immediates", report_immediates(account)}};
  if (options_.sha256) {
    const ByteSpan written = account.written();
    qp["sha256"] = sha256_hex(written);
    qp["sha256_bytes"] = written.size();
  }
  return qp;
}

void Receiver::judge(std::size_t i, std::optional<std::uint64_t> sent) {
  const ReceiveAccounting& account = accounting_[i];
  const std::string who = "queue pair " + std::to_string(i) + ": ";
  const auto expect_none = [&](std::uint64_t count, const char* what) {
    if (count != 0) problem(who + std::to_string(count) + " " + what);
  };
  expect_none(account.check() ? account.check()->wrong() : 0, "bytes wrong");
  expect_none(account.missing(), "messages missing");
  expect_none(account.wrong_immediates(), "immediates wrong");
  expect_none(account.wrong_lengths(), "messages of wrong length");
  expect_none(account.map().late(), "messages out of order");
  expect_none(account.map().duplicate(), "messages received twice");
  if (std::string_view(qps_.state(i)) == "ERR") problem(who + "in state ERR: a request was refused");
  if (sent && hello_.immediate.present() && account.immediates() > *sent)
    problem(who + std::to_string(account.immediates()) + " immediates for " + std::to_string(*sent) +
            " messages");
}

void Receiver::problem(std::string text) {
  constexpr std::size_t kMaxProblems = 20;
  if (problems_.size() < kMaxProblems) problems_.push_back(std::move(text));
}

/// Adds the rates to the report. A rate covers the time from the first to the last completion, and therefore
/// excludes the bytes of the first message. WRITEs without immediate do not cause completions; their rate is
/// based on the time that the client measured.
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

void Receiver::finish_qps(json& report, const End* end) {
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const auto sent = sent_on(i, end);
    accounting_[i].finish(sent);
    if (sent)
      write_rest(i, *sent);
    else if (!hello_.immediate.present())
      problem("queue pair " + std::to_string(i) +
              ": the number of messages sent is unknown, so nothing could be checked");
    judge(i, sent);
    json qp = report_qp(i);
    for (const char* key : {"messages", "payload_bytes", "bytes_checked", "bytes_wrong", "missing",
                            "duplicate", "out_of_order"})
      report[key] = report[key].get<std::uint64_t>() + qp[key].get<std::uint64_t>();
    report["qps"].push_back(std::move(qp));
  }
}

/// Reports the messages and states of QPs that share their memory.
void Receiver::report_states(json& report) {
  report["messages"] = completions();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const std::string state = qps_.state(i);
    bytes += received_[i].bytes;
    report["qps"].push_back({{"qpn", qps_.qpn(i)},
                             {"state", state},
                             {"messages", received_[i].messages},
                             {"payload_bytes", received_[i].bytes}});
    if (state == "ERR") problem("queue pair " + std::to_string(i) + ": in state ERR: a request was refused");
  }
  report["payload_bytes"] = bytes;
}

/// Reports the results of the registration table, which checks the messages but not their bytes.
void Receiver::finish_registration(json& report, const End* end) {
  const bool counted = end != nullptr && end->counted;
  registration_->finish(since_start(), counted ? std::optional(end->messages) : std::nullopt);
  report_states(report);
  report["registration"] = registration_->report();
  for (std::string& text : registration_->problems()) problem(std::move(text));
}

/// Reports the results of the event builder, which checks the messages. Lost messages are a problem only if
/// the share of incomplete events exceeds --event-loss-limit.
void Receiver::finish_events(json& report, const End* end) {
  event_receiver_->finish(since_origin(), end != nullptr ? end->events : std::nullopt);
  report_states(report);
  report["checked"] = "each message";
  report["events"] = event_receiver_->report();
  for (std::string& text : event_receiver_->problems()) problem(std::move(text));
}

json Receiver::finish(const End* end) {
  if (end != nullptr)
    settle(*end);
  else
    poll();
  json cpu = cpu_.report();  // excludes the CPU time that the report itself takes
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
  if (event_receiver_)
    finish_events(report, end);
  else if (registration_)
    finish_registration(report, end);
  else
    finish_qps(report, end);
  add_rates(report, end);
  report["cpu"] = std::move(cpu);
  counters_.add_to(report);
  if (end == nullptr)
    problem("the client disconnected without sending 'end'");
  else if (!end->complete)
    problem("the client did not complete its run");
  if (unexpected_ != 0) problem(std::to_string(unexpected_) + " completions of operations other than WRITE");
  for (const auto& [status, count] : failed_)
    problem(std::to_string(count) + " receives completed with status: " + status);
  for (const std::string& event : events_) problem("the device reports: " + event);
  if (!out_.error().empty()) problem(out_.error());
  report["problems"] = problems_;
  report["held"] = problems_.empty();
  return report;
}

}  // namespace softfeb::sink

// SPDX-License-Identifier: BSD-3-Clause
#include "lab/checks.hpp"

#include "base/uint128.hpp"
#include "lab/fault_rules.hpp"
#include "stats/window_loss.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace softfeb::lab {

namespace {

/// Returns a hint on how to fix the cause of a completion status of a queue pair that sends to `to`.
std::string advice(roce::WcStatus status, const config::Target& to) {
  switch (status) {
    case roce::WcStatus::kRemoteAccess:
      return "the receiver refused the rkey, the address or the length: compare `to` with the region it "
             "registered";
    case roce::WcStatus::kRemoteInvalidRequest:
      return "the receiver considers the request malformed: compare the path MTU of both sides";
    case roce::WcStatus::kTimeoutsExceeded:
      if (std::holds_alternative<config::PerftestTarget>(to)) {
        return "the receiver did not respond: check that ib_write_bw runs without -c UC, and that the path "
               "carries the MTU";
      }
      return "the receiver did not respond: check that it runs, that QPN, address and MAC are right, and "
             "that the path carries the MTU";
    case roce::WcStatus::kRetriesExceeded:
      return "the receiver kept refusing (sequence NAK or receiver not ready): check that it posts receives, "
             "and the "
             "path for packet loss";
    case roce::WcStatus::kLocalOperationError:
      return "the payload is not available, or a board does not support the request";
    case roce::WcStatus::kFlushed:
      return "the run ended before they completed: use a longer run.drain_timeout or a lower rate";
    default:
      return "the receiver ended the connection";
  }
}

class Judge {
 public:
  void add(const std::string& name, std::uint64_t value, std::uint64_t limit = 0) {
    out.checks.push_back({name, value <= limit, value, limit});
  }
  void say(std::string text) { out.messages.push_back(std::move(text)); }
  Judgement out;
};

void judge_senders(Judge& judge, const config::RunConfig& config, const endpoints::Plans& plans,
                   const stats::Outcome& o) {
  std::uint64_t incomplete = 0;
  std::uint64_t disorder = 0;
  std::uint64_t unresolved = 0;
  std::set<roce::IpAddress> absent;
  std::set<std::string> failures;  // reasons why congestion control failed
  std::size_t told = 0;
  for (const endpoints::QpPlan& plan : plans.all()) {
    const auto& qp = o.final[plan.board].send_qps[plan.on_board];
    const std::uint64_t missing = qp.messages_made - qp.requester.messages_completed;
    const auto wanted = plan.config->traffic.messages;
    const std::uint64_t not_made =
        wanted && !o.interrupted && !config.run.duration && *wanted > qp.messages_made
            ? *wanted - qp.messages_made
            : 0;
    incomplete += missing + not_made;
    const std::uint64_t all = qp.messages_made + not_made;
    disorder += qp.counters.completions_out_of_order;
    if (qp.congestion && qp.congestion->failure != nullptr) failures.insert(qp.congestion->failure);
    if (!qp.resolved) {
      ++unresolved;
      absent.insert(plan.target.ip);
    }
    if (missing + not_made == 0 || !qp.resolved || told >= 8) continue;
    ++told;
    const roce::WcStatus status = qp.failure.value_or(roce::WcStatus::kFlushed);
    judge.say(fmt::format(
        "board {} QP {:#x} -> {} QP {:#x}: {} of {} messages did not complete, first with status {} ({}); {}",
        config.boards[plan.board].endpoint.name, plan.qpn, plan.target.ip.to_string(), plan.target.qpn,
        missing + not_made, all, roce::to_string(status), static_cast<unsigned>(status),
        advice(status, plan.config->to)));
  }
  for (const std::string& failure : failures) judge.say("queue pairs stopped: " + failure);
  if (!failures.empty()) judge.add("congestion_control", failures.size());
  for (const roce::IpAddress& ip : absent) {
    judge.say(fmt::format("no answer to {} for {}; check `to`, VLAN and cabling, or configure its mac",
                          ip.is_v4() ? "ARP" : "neighbour solicitation", ip.to_string()));
  }
  judge.add("messages_completed", incomplete);
  judge.add("completions_in_order", disorder);
  judge.add("neighbours_resolved", unresolved);
}

/// Judges the receivers with windows. A run fails only if more messages to such a receiver are missing than
/// its limit permits.
void judge_windows(Judge& judge, const config::RunConfig& config, const endpoints::Plans& plans,
                   const stats::Outcome& o, const endpoints::Endpoints& endpoints) {
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const config::ReceiverConfig& c = config.receivers[r];
    if (!c.windows || endpoints.receivers[r]->windows() == nullptr) continue;
    const stats::WindowLoss loss = stats::window_loss(plans, o, endpoints, r);
    const auto limit = static_cast<std::uint64_t>(Uint128{loss.messages} * c.windows->loss_limit.billionths /
                                                  config::Probability::kOne);
    judge.add("loss " + c.endpoint.name, loss.missing, limit);
    if (loss.missing <= limit) continue;
    judge.say(fmt::format(
        "receiver {}: {} of {} messages did not arrive, more than windows.loss_limit permits; see "
        "receivers[].windows.missing_ranges in the result",
        c.endpoint.name, loss.missing, loss.messages));
  }
}

/// Judges event data. A run fails only if a receiver has more incomplete events than its limit permits.
void judge_events(Judge& judge, const config::RunConfig& config, const endpoints::Endpoints& endpoints) {
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const config::ReceiverConfig& c = config.receivers[r];
    const engine::EventReceiver* const events = endpoints.receivers[r]->events();
    if (events == nullptr) continue;
    const std::uint64_t own = endpoints::own_triggers(config, r, endpoints.events);
    const std::uint64_t complete = events->builder().counts()[detector::EventStatus::kComplete];
    const std::uint64_t incomplete = own - std::min(own, complete);
    const auto limit = static_cast<std::uint64_t>(Uint128{own} * c.events->loss_limit.billionths /
                                                  config::Probability::kOne);
    judge.add("events " + c.endpoint.name, incomplete, limit);
    if (incomplete <= limit) continue;
    judge.say(
        fmt::format("receiver {}: {} of {} events are not complete, more than events.loss_limit permits; see "
                    "receivers[].events and boards[].events.lost in the result",
                    c.endpoint.name, incomplete, own));
  }
}

/// Checks that every registered transfer whose messages are all complete has caused a notification. Messages
/// lost over UC are covered by other checks.
void judge_transfers(Judge& judge, const endpoints::Endpoints& endpoints) {
  std::map<std::size_t, std::uint64_t> complete;  // number of complete transfers per receiver
  for (const endpoints::TransferGroup& group : endpoints.transfers.groups) {
    if (group.registered && group.receiver) complete[*group.receiver] += group.progress->complete();
  }
  if (complete.empty()) return;
  std::uint64_t missing = 0;
  for (const auto& [receiver, transfers] : complete) {
    const std::uint64_t notified = endpoints.receivers[receiver]->notified().count;
    missing += transfers > notified ? transfers - notified : 0;
  }
  judge.add("transfers_notified", missing);
  if (missing == 0) return;
  judge.say(fmt::format(
      "{} transfers were sent but not notified; see receivers[].transfers.registration in the result: if "
      "messages "
      "waited for too long, use a longer registration.escape_timeout, or a larger registration.escape",
      missing));
}

void judge_receivers(Judge& judge, const config::RunConfig& config, const endpoints::Plans& plans,
                     const stats::Outcome& o, const endpoints::Endpoints& endpoints) {
  std::uint64_t wrong = 0;
  std::uint64_t missing = 0;
  std::uint64_t surplus = 0;
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (!plan.target.receiver) continue;
    const auto& send = o.final[plan.board].send_qps[plan.on_board];
    const roce::ReceiveQp& receive = endpoints.receivers[*plan.target.receiver]->qp(plan.target.receiver_qp);
    wrong += receive.bytes_wrong();
    const config::ReceiverConfig& receiver = config.receivers[*plan.target.receiver];
    if (receiver.windows || receiver.events) continue;  // judge_windows() or judge_events() judges the losses
    // Over RC, judge_senders() has already reported messages that were not completed. This check requires
    // that the receiver has received all completed messages.
    const std::uint64_t due = plan.config->transport == roce::Transport::kRc
                                  ? send.requester.messages_completed
                                  : send.messages_made;
    const std::uint64_t got = receive.responder().counters().messages;
    missing += due > got ? due - got : 0;
    surplus += got > send.messages_made ? got - send.messages_made : 0;
  }
  // For QPs created by metadata buses, judge only the payload, because the number of messages that these QPs
  // should receive is unknown.
  for (const auto& receiver : endpoints.receivers) {
    for (std::size_t i = receiver->first_slot(); i < receiver->qp_count(); ++i)
      wrong += receiver->qp(i).bytes_wrong();
  }
  if (wrong != 0)
    judge.say(fmt::format("{} payload bytes at our receivers differ from what was sent", wrong));
  if (missing != 0)
    judge.say(
        fmt::format("{} messages did not arrive; see receivers[].missing_ranges in the result", missing));
  judge.add("payload_bytes_right", wrong);
  judge.add("messages_arrived", missing);
  judge.add("messages_once", surplus);
}

/// True if the checks in a report of rdma-sink held, or if the report contains no checks. The report of a
/// perftest server never contains checks. The report comes from the network, so `held` may have any type.
bool report_held(const nlohmann::json& report) {
  if (!report.is_object()) return false;
  const auto held = report.find("held");
  return held == report.end() || (held->is_boolean() && held->get<bool>());
}

void judge_sessions(Judge& judge, const std::vector<endpoints::Targets::Session>& sessions) {
  for (const auto& s : sessions) {
    const bool held = s.error.empty() && report_held(s.report);
    judge.add("receiver " + s.url, held ? 0 : 1);
    if (!s.error.empty()) judge.say(s.error);
    if (held || !s.report.contains("problems")) continue;
    for (const auto& p : s.report["problems"]) {
      judge.say(s.url + ": " + (p.is_string() ? p.get<std::string>() : p.dump()));
    }
  }
}

/// Checks that an event file contains all events that were closed.
void judge_event_files(Judge& judge, const config::RunConfig& config, const stats::Outcome& o) {
  for (std::size_t r = 0; r < o.event_files.size(); ++r) {
    if (!o.event_files[r]) continue;
    const stats::EventFileOutcome& file = *o.event_files[r];
    judge.add("event_file " + config.receivers[r].endpoint.name, file.not_written);
    if (!file.error.empty()) judge.say(file.error);
    if (file.not_written != 0)
      judge.say(fmt::format("{}: {} events were not written", file.path, file.not_written));
  }
}

/// Checks that every rule was hit. A rule that was never hit tested nothing, so the run must not pass.
void judge_fault_rules(Judge& judge, const config::RunConfig& config, const stats::Outcome& o) {
  const std::vector<RuleResult> rules = port_rules(config, o);
  const std::vector<std::string> never = never_hit(rules);
  for (const std::string& line : never) judge.say(line);
  if (!rules.empty()) judge.add("fault_rules", never.size());
}

}  // namespace

bool Judgement::held() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.held; });
}

Judgement judge(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& outcome,
                const endpoints::Endpoints& endpoints,
                const std::vector<endpoints::Targets::Session>& sessions, bool of_lab) {
  Judge j;
  judge_senders(j, config, plans, outcome);
  if (!config.receivers.empty()) judge_receivers(j, config, plans, outcome, endpoints);
  judge_windows(j, config, plans, outcome, endpoints);
  judge_events(j, config, endpoints);
  judge_event_files(j, config, outcome);
  judge_transfers(j, endpoints);
  judge_sessions(j, sessions);
  if (!of_lab) judge_fault_rules(j, config, outcome);
  if (outcome.ended_in_warmup) {
    j.say("the run ended during its warm-up: statistics cover the whole run, including the warm-up");
  }
  return j.out;
}

}  // namespace softfeb::lab

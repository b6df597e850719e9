// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "dispatcher_client.hpp"
#include "failure.hpp"
#include "stop.hpp"
#include "value.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// A parsed and validated NAME=VALUE.
struct Setting {
  Register reg;
  Bits bits;
};

std::vector<Setting> parse_settings(const Catalogue& catalogue, const std::vector<std::string>& words) {
  std::vector<Setting> settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw UsageError(fmt::format("\"{}\": fix: write NAME=VALUE", word));
    const Register reg = catalogue.one(word.substr(0, equals));
    if (!reg.writable()) throw UsageError(reg.path + " is read-only; fix: remove it");
    settings.push_back({reg, parse_value(reg, word.substr(equals + 1))});
  }
  return settings;
}

/// One round of a session: sets up a connection, sends the bursts, and tears the connection down.
class Round {
 public:
  Round(Context& context, const SessionOptions& options, const std::vector<Setting>& set,
        const std::vector<Setting>& during)
      : context_(context),
        options_(options),
        set_(set),
        during_(during),
        dispatcher_(context.board(), context.catalogue) {}

  json run() {
    Connection connection = make_connection(context_, options_.connection);
    json result{{"connection", connection_json(connection)}, {"bursts", json::array()}};
    try {
      dispatcher_.reset_counters();
      apply(set_);
      const std::uint32_t middle = options_.bursts / 2;
      for (std::uint32_t i = 0; i < options_.bursts && !stopped(); ++i)
        result["bursts"].push_back(burst(i == middle && !during_.empty()));
      const Completions all = dispatcher_.completions();
      result["SuccessCounter"] = all.ok;
      result["UnsuccessCounter"] = all.failed;
      expect(all.ok == (sent_ & DispatcherClient::kMaxCount) && all.failed == 0,
             fmt::format("counters show {} completed and {} failed of {}", all.ok, all.failed, sent_));
    } catch (...) {
      end(connection, result);
      throw;
    }
    end(connection, result);
    result["problems"] = problems_;
    return result;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void expect(bool held, const std::string& otherwise) {
    if (!held) problems_.push_back(otherwise);
  }

  /// Writes the settings to the board. write_register() verifies each of them.
  void apply(const std::vector<Setting>& settings) {
    for (const Setting& s : settings) write_register(context_.board(), context_.catalogue, s.reg, s.bits);
  }

  json burst(bool with_changes) {
    const auto began = Clock::now();
    const Completions before = dispatcher_.start(options_.count);
    json j;
    if (with_changes) j["changed"] = change(before);
    const Burst b = dispatcher_.wait(options_.count, before, began,
                                     std::chrono::duration<double>(options_.limit), stopped);
    sent_ += options_.count;
    seconds_ += b.seconds;
    complete_ = complete_ && b.complete();
    expect(b.complete(),
           fmt::format("{} of {} requests completed, {} failed", b.done.ok, b.count, b.done.failed));
    j["completed"] = b.done.ok;
    j["failed"] = b.done.failed;
    j["seconds"] = b.seconds;
    j["gbps"] = b.gbps();
    return j;
  }

  /// Writes the registers of --during while a burst runs. The registers changed during the burst if some
  /// requests had completed before the writes, and some were still outstanding after them.
  json change(const Completions& before) {
    Completions first = dispatcher_.completions().since(before);
    const auto give_up = Clock::now() + std::chrono::seconds(2);
    while (first.ok == 0 && Clock::now() < give_up) first = dispatcher_.completions().since(before);
    apply(during_);
    const Completions after = dispatcher_.completions().since(before);
    expect(first.ok > 0 && after.ok < options_.count,
           fmt::format("the registers changed after {} to {} of {} requests, not during the burst; fix: use "
                       "a larger --count",
                       first.ok, after.ok, options_.count));
    json values = json::object();
    for (const Setting& s : during_)
      values[s.reg.path] = value_json(s.reg, read_register(context_.board(), s.reg));
    return {{"completed_before", first.ok}, {"completed_after", after.ok}, {"read_back", values}};
  }

  void end(Connection& connection, json& result) {
    for (const std::string& what :
         end_connection(context_, connection.board, options_.connection.metadata_timeout))
      problems_.push_back(what);
    if (!connection.sink) return;
    const json report = connection.sink->end({.complete = complete_,
                                              .messages = sent_,
                                              .payload_bytes = sent_ * connection.size,
                                              .messages_of_qp = {sent_},
                                              .seconds = seconds_});
    expect(report.value("held", false),
           "the receiver's checks failed: " + report.value("problems", json()).dump());
    result["sink"] = report;
  }

  Context& context_;
  const SessionOptions& options_;
  const std::vector<Setting>& set_;
  const std::vector<Setting>& during_;
  DispatcherClient dispatcher_;
  std::uint64_t sent_ = 0;
  double seconds_ = 0;
  bool complete_ = true;
  std::vector<std::string> problems_;
};

std::string round_text(std::uint32_t number, const json& r) {
  std::string text =
      fmt::format("round {}: queue pair {:#x}", number, r["connection"]["board"]["qpn"].get<std::uint32_t>());
  for (const json& b : r["bursts"]) {
    text += fmt::format("\n  {} messages in {:.3f} s, {:.3f} Gb/s", b["completed"].get<std::uint32_t>(),
                        b["seconds"].get<double>(), b["gbps"].get<double>());
    if (!b.contains("changed")) continue;
    text += fmt::format("\n    registers changed after {} of them:",
                        b["changed"]["completed_after"].get<std::uint32_t>());
    for (const auto& [path, value] : b["changed"]["read_back"].items())
      text += " " + path + " = " + value.dump();
  }
  text += fmt::format("\n  SuccessCounter {}, UnsuccessCounter {}\n",
                      r["SuccessCounter"].get<std::uint32_t>(), r["UnsuccessCounter"].get<std::uint32_t>());
  if (r.contains("sink")) {
    text += fmt::format("  rdma-sink: {} messages, {} bytes checked, {} wrong\n",
                        r["sink"].value("messages", 0ULL), r["sink"].value("bytes_checked", 0ULL),
                        r["sink"].value("bytes_wrong", 0ULL));
  }
  for (const json& problem : r["problems"]) text += "  " + problem.get<std::string>() + "\n";
  return text;
}

}  // namespace

void session_command(Context& context, const SessionOptions& options) {
  if (options.count == 0 || options.count > DispatcherClient::kMaxCount)
    throw UsageError(fmt::format("--count {} is out of range; fix: use 1 to {}", options.count,
                                 DispatcherClient::kMaxCount));
  const std::vector<Setting> set = parse_settings(context.catalogue, options.set);
  const std::vector<Setting> during = parse_settings(context.catalogue, options.during);
  bool held = true;
  for (std::uint32_t n = 1; n <= options.rounds && !stopped(); ++n) {
    Round round(context, options, set, during);
    const json result = round.run();
    context.out.result(round_text(n, result), result);
    held = held && round.problems().empty();
  }
  if (!held) throw Refusal("a check failed");
}

}  // namespace softfeb::febctl

// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare_result.hpp"

#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using engine::CompletionTimes;

constexpr double kKilo = 1024;
constexpr double kUs = 1e6;

/// A row of the table. If `key` is not null, the result document contains the values of the row under this
/// key.
struct ComparedFigure {
  const char* key;
  const char* label;
  std::function<std::optional<double>(const ComparedRun&)> value;
  bool whole = false;  ///< the document contains the value as an integer
  double scale = 1;    ///< factor from the value in the document to the value in the table
  int digits = 0;      ///< number of decimals in the table
};

std::optional<double> checked(const ComparedRun& run, const char* check) {
  const auto value = lab::value_of(check, run.judged.figures);
  return value && !std::isinf(*value) ? value : std::nullopt;
}

std::function<std::optional<double>(const ComparedRun&)> check_value(const char* check) {
  return [check](const ComparedRun& run) { return checked(run, check); };
}

std::function<std::optional<double>(const ComparedRun&)> total_of(std::uint64_t lab::Totals::*count) {
  return [count](const ComparedRun& run) {
    return std::optional(static_cast<double>(run.judged.figures.totals.*count));
  };
}

const std::vector<ComparedFigure>& compared_figures() {
  using T = lab::Totals;
  static const std::vector<ComparedFigure> all{
      {"goodput_gbps_run", "goodput over the run (Gb/s)",
       [](const auto& r) { return r.goodput ? std::optional(*r.goodput * 8e-9) : std::nullopt; }, false, 1,
       3},
      {"jain_min", "Jain's index over 100 ms, minimum", check_value("fairness_jain"), false, 1, 4},
      {"port_used_min", "port use over 100 ms, minimum (%)", check_value("port_used"), false, 100, 2},
      {"queue_bytes_mean_run", "queue, mean over the run (KiB)",
       [](const auto& r) { return r.queue_bytes_mean; }, false, 1 / kKilo, 1},
      {"queue_bytes_max", "queue, longest (KiB)", check_value("queue_bytes_max"), true, 1 / kKilo, 1},
      {"rtt_us", "round-trip time, mean (us)",
       [](const auto& r) { return r.rtt_s ? std::optional(*r.rtt_s * kUs) : std::nullopt; }, false, 1, 1},
      {"ecn_marked", "packets marked", total_of(&T::ecn_marked), true},
      {"cnp_rx", "CNPs received", total_of(&T::cnp_rx), true},
      {"pause_tx", "pause frames", total_of(&T::pause_tx), true},
      {"dropped", "packets dropped", total_of(&T::dropped), true},
      {"retransmitted", "packets retransmitted", total_of(&T::retransmitted), true},
      {"timeouts", "timeouts", total_of(&T::timeouts), true}};
  return all;
}

Json run_json(const ComparedRun& run) {
  Json json{{"name", run.lab->name},
            {"algorithm", algorithm_of(*run.lab)},
            {"switched_on", run.lab->switched_on},
            {"left_out", run.lab->left_out}};
  json["verdict"] = run.done ? Json(run.held() ? "held" : "failed") : Json(nullptr);
  if (!run.error.empty()) json["error"] = run.error;
  for (const ComparedFigure& q : compared_figures()) {
    const auto value = run.done ? q.value(run) : std::nullopt;
    json[q.key] = !value ? Json(nullptr) : q.whole ? Json(static_cast<std::uint64_t>(*value)) : Json(*value);
  }
  if (!run.done) return json;
  json["figures"] = run.result["lab"]["figures"];
  json["checks"] = run.result["checks"];
  return json;
}

/// Formats the table's rows, all with one column per run.
class Table {
 public:
  Table(const std::string& title, const std::vector<ComparedRun>& runs) : runs_(runs) {
    std::size_t width = 11;
    for (const ComparedRun& run : runs) width = std::max(width, run.lab->name.size());
    width_ = width + 1;
    label_ = std::max(label_, title.size());
    text_ = "\n" + fmt::format("{:<{}}", title, label_);
    for (const ComparedRun& run : runs) text_ += fmt::format("{:>{}}", run.lab->name, width_);
    text_ += '\n';
  }

  /// Adds a row unless `cell` is empty for all runs.
  void add(const std::string& label, const std::function<std::string(const ComparedRun&)>& cell) {
    std::string row = fmt::format("{:<{}}", label, label_);
    bool any = false;
    for (const ComparedRun& run : runs_) {
      const std::string text = run.done ? cell(run) : "";
      any = any || !text.empty();
      row += fmt::format("{:>{}}", text.empty() ? "-" : text, width_);
    }
    if (any) text_ += row + '\n';
  }

  const std::string& text() const { return text_; }

 private:
  const std::vector<ComparedRun>& runs_;
  std::size_t label_ = 36;
  std::size_t width_ = 0;
  std::string text_;
};

/// Name of a group of message lengths, and the function that returns its completion times.
struct Lengths {
  const char* name;
  std::function<CompletionTimes::Class(const CompletionTimes&)> of;
};

const std::array<Lengths, 6>& lengths() {
  static const std::array<Lengths, 6> all{{
      {"up to 10 kB", [](const CompletionTimes& t) { return t.classes()[0]; }},
      {"10 to 100 kB", [](const CompletionTimes& t) { return t.classes()[1]; }},
      {"100 kB to 1 MB", [](const CompletionTimes& t) { return t.classes()[2]; }},
      {"above 1 MB", [](const CompletionTimes& t) { return t.classes()[3]; }},
      {"the shorter half", [](const CompletionTimes& t) { return t.shorter_half(); }},
      {"all messages", [](const CompletionTimes& t) { return t.all(); }},
  }};
  return all;
}

std::string slowdown_text(const ComparedRun& run, const Lengths& of, double share) {
  if (run.judged.figures.completion_times == nullptr) return "";
  const CompletionTimes::Class c = of.of(*run.judged.figures.completion_times);
  if (c.slowdown.count() == 0) return "";
  return fmt::format("{:.2f}", c.slowdown.percentile(share) / CompletionTimes::kPerSlowdown);
}

void add_slowdowns(Table& table) {
  for (const auto& [share, name] : {std::pair{0.5, "p50"}, std::pair{0.99, "p99"}}) {
    for (const Lengths& of : lengths()) {
      table.add(fmt::format("slowdown {}, {}", name, of.name),
                [&, share = share](const ComparedRun& run) { return slowdown_text(run, of, share); });
    }
  }
}

std::string check_text(const ComparedRun& run, const std::string& name) {
  for (const lab::CheckResult& c : run.judged.checks) {
    // "-" means that the check does not count, because the run had no steady state.
    if (c.name == name) return c.held ? "held" : c.gated ? "FAILED" : "-";
  }
  return "";
}

void add_checks(Table& table, const config::LabConfig& base) {
  for (const config::LabCheck& check : base.lab.checks) {
    const config::LabCheckKind* const kind = config::find_lab_check(check.name);
    const bool at_least = check.at_least.value_or(kind != nullptr && kind->at_least);
    const std::string limit = check.at_least ? check.text : (at_least ? ">= " : "<= ") + check.text;
    table.add(check.name + ' ' + limit, [&](const ComparedRun& run) { return check_text(run, check.name); });
  }
  table.add("all checks", [](const ComparedRun& run) { return run.held() ? "held" : "FAILED"; });
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : separator) + w;
  return text;
}

std::string remarks(const ComparedRun& run) {
  std::string text;
  const config::ComparedLab& lab = *run.lab;
  if (const std::string name = algorithm_of(lab); name != lab.name)
    text += fmt::format("{}: algorithm {}\n", lab.name, name);
  if (!lab.switched_on.empty())
    text += fmt::format("{}: switched on {}\n", lab.name, joined(lab.switched_on, "  "));
  if (!lab.left_out.empty())
    text +=
        fmt::format("{}: left out {}, made for another algorithm\n", lab.name, joined(lab.left_out, ", "));
  return text;
}

}  // namespace

std::string algorithm_of(const config::ComparedLab& lab) {
  for (const config::BoardConfig& board : lab.config.run.boards) {
    for (const config::QpConfig& qp : board.qps)
      return (qp.congestion ? *qp.congestion : board.congestion).name();
  }
  return "off";
}

Json compare_json(const config::LabConfig& base, const std::vector<config::UnfitAlgorithm>& unfit,
                  const std::vector<ComparedRun>& runs) {
  const bool held = std::all_of(runs.begin(), runs.end(), [](const ComparedRun& r) { return r.held(); });
  Json list = Json::array();
  for (const ComparedRun& run : runs) list.push_back(run_json(run));
  Json others = Json::array();
  for (const config::UnfitAlgorithm& u : unfit) others.push_back({{"name", u.name}, {"reason", u.reason}});
  return {{"schema_version", 1},     {"verdict", held ? "held" : "failed"}, {"title", base.lab.title},
          {"time", "virtual"},       {"bottleneck", bottleneck_name(base)}, {"config", config::to_json(base)},
          {"runs", std::move(list)}, {"unfit", std::move(others)}};
}

std::string compare_table(const config::LabConfig& base, const std::vector<config::UnfitAlgorithm>& unfit,
                          const std::vector<ComparedRun>& runs) {
  const std::string port = bottleneck_name(base);
  Table table(port.empty() ? base.lab.title : base.lab.title + ", " + port, runs);
  for (const ComparedFigure& q : compared_figures()) {
    table.add(q.label, [&](const ComparedRun& run) {
      const auto value = q.value(run);
      return value ? fmt::format("{:.{}f}", *value * q.scale, q.digits) : std::string();
    });
  }
  add_slowdowns(table);
  add_checks(table, base);
  std::string text = table.text();
  std::string notes;
  for (const ComparedRun& run : runs) notes += remarks(run);
  for (const config::UnfitAlgorithm& u : unfit)
    notes += fmt::format("{}: not compared, because it cannot be used: {}\n", u.name, u.reason);
  return notes.empty() ? text : text + '\n' + notes;
}

}  // namespace softfeb::report

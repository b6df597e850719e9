// SPDX-License-Identifier: BSD-3-Clause
// Summarises a switch: its settings, and how it was tested.
#include "report/markup.hpp"
#include "report/switch_markup.hpp"
#include "report/switch_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;

/// A setting, and the figure that contains its value.
struct SettingSource {
  const char* name;
  const char* test;
  const char* figure;
};

constexpr std::array kSettings{
    SettingSource{"Kmin", "ecn", "kmin_bytes"},
    SettingSource{"Kmax", "ecn", "kmax_bytes"},
    SettingSource{"Pmax", "ecn", "pmax"},
    SettingSource{"XOFF", "xoff", "xoff_bytes"},
    SettingSource{"XON", "xoff", "xon_bytes"},
    SettingSource{"headroom for this cable", "headroom", "needed_bytes"},
    SettingSource{"alpha", "buffer", "alpha"},
};

/// Formats a size in both units that switch configurations use, for example "102413 B (100.01 KiB)".
std::string setting_value(const SwitchRow& row, const Figure& figure) {
  constexpr double kKibi = 1024;
  if (row.figures != 1 || figure.unit != "B" || !figure.value || std::abs(*figure.value) < kKibi)
    return row.value;
  return fmt::format("{} ({:.6g} KiB)", row.value, std::round(*figure.value / kKibi * 100) / 100);
}

SwitchSetting setting_of(const SwitchRun& run, const SettingSource& source) {
  SwitchSetting out{
      .name = source.name, .value = {}, .remark = "the test " + std::string(source.test) + " did not run"};
  for (const TestReport& test : run.report.tests) {
    if (test.name != source.test) continue;
    out.remark = test.reason.empty() ? "not measured" : test.reason;
    TestReport part{.name = test.name};
    std::copy_if(test.figures.begin(), test.figures.end(), std::back_inserter(part.figures),
                 [&](const Figure& f) { return f.name == source.figure; });
    if (part.figures.empty()) continue;
    const SwitchRow row = switch_rows(SwitchRun{}, part, 1).front();
    if (row.status == Status::kMeasured || row.status == Status::kBounded) {
      out.value = setting_value(row, part.figures.front());
      out.remark = row.interval;
    } else {
      out.remark = std::string(switchtest::name(row.status));
      if (!row.reason.empty()) out.remark += ": " + row.reason;
    }
  }
  return out;
}

/// Describes the rig, for example "virtual, 3 ports: p0 and p1 at 10 Gb/s, p2 at 25 Gb/s".
std::string rig_words(const SwitchRun& run) {
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> by_rate;
  for (const switchtest::RigPort& p : run.report.ports) {
    const auto it =
        std::find_if(by_rate.begin(), by_rate.end(), [&](const auto& r) { return r.first == p.rate; });
    (it == by_rate.end() ? by_rate.emplace_back(p.rate, std::vector<std::string>{}) : *it)
        .second.push_back(p.name);
  }
  std::string out(name_of(run.report.rig));
  for (std::size_t k = 0; k < by_rate.size(); ++k)
    out += fmt::format("{}{} at {:.6g} Gb/s", k == 0 ? ": " : "; ", fmt::join(by_rate[k].second, ", "),
                       static_cast<double>(by_rate[k].first) * 8e-9);
  return out;
}

}  // namespace

std::vector<SwitchSetting> settings_to_copy(const SwitchRun& run) {
  std::vector<SwitchSetting> out;
  for (const SettingSource& source : kSettings) out.push_back(setting_of(run, source));
  return out;
}

std::string switch_name(const SwitchRun& run) { return run.device.empty() ? "unnamed switch" : run.device; }

std::vector<std::pair<std::string, std::string>> switch_facts(const SwitchRun& run) {
  const switchtest::Settings& s = run.report.settings;
  std::vector<std::pair<std::string, std::string>> out{{"switch", switch_name(run)}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.emplace_back(name, text);
  };
  add("software", run.software);
  add("date", run.date);
  add("rig", rig_words(run));
  add("profile", std::string(name_of(s.effort)));
  add("frames", fmt::format("{}, DSCP {}", s.plain_udp ? "UDP" : "RoCEv2", s.dscp));
  add("seed", std::to_string(s.seed));
  return out;
}

std::string overall_badge(const SwitchRun& run) {
  const std::string_view word = overall_word(run);
  const char* look = "failed";
  const char* sign = "✗";
  if (word == "held") {
    look = "held";
    sign = "✓";
  } else if (word == "measured") {
    look = "measured";
    sign = "#";
  } else if (word == "undecided") {
    look = "other";
    sign = "?";
  }
  return fmt::format("<span class=\"verdict {}\">{} {}</span>", look, sign, word);
}

}  // namespace softfeb::report

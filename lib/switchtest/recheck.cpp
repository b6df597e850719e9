// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/recheck.hpp"

#include "switchtest/estimators.hpp"
#include "switchtest/tests.hpp"

namespace softfeb::switchtest {

std::string Recheck::Key::text() const {
  std::string out = test + "." + figure;
  for (const auto& [name, value] : labels) out += ", " + name + " " + value;
  return out;
}

void Recheck::run(Context& ctx, const std::vector<std::string>& tests, Time at) {
  Settings settings = ctx.settings;
  settings.effort = Effort::kQuick;
  ++runs_;
  for (const std::string& name : tests) {
    const SwitchTest* const test = find_test(name);
    if (test == nullptr || test->ports > ctx.rig.ports().size()) continue;
    // The findings of a repetition must not influence later tests, or the stimulus of later repetitions.
    Findings findings = ctx.findings;
    TestReport report{.name = name};
    Context own(ctx.rig, settings, findings, report);
    test->run(own);
    for (const Figure& f : report.figures) {
      Values& values = values_[{name, f.name, f.labels}];
      if (f.status == Status::kAbsent) ++values.absent;
      if (!f.value) continue;
      values.unit = f.unit;
      values.points.push_back({.x = to_seconds(at) / 3600, .y = *f.value, .low = f.low, .high = f.high});
    }
  }
}

void Recheck::report(Context& ctx) const {
  for (const auto& [key, values] : values_) {
    if (values.points.empty()) continue;
    std::vector<double> all;
    for (const Curve::Point& p : values.points) all.push_back(p.y);
    const Interval range = median(all);
    Figure figure{.name = "recheck",
                  .labels = key.labels,
                  .value = range.value,
                  .low = range.low,
                  .high = range.high,
                  .unit = values.unit,
                  .method = Method::kMean};
    figure.labels["figure"] = key.test + "." + key.figure;
    if (values.absent != 0)
      figure.reason = "absent in " + std::to_string(values.absent) + " of " + std::to_string(runs_) + " runs";
    ctx.add(figure);
    ctx.report.curves.push_back({.name = "recheck",
                                 .label = key.text(),
                                 .x_name = "time",
                                 .x_unit = "h",
                                 .y_name = key.figure,
                                 .y_unit = values.unit,
                                 .points = values.points});
  }
}

}  // namespace softfeb::switchtest

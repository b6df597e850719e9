// SPDX-License-Identifier: BSD-3-Clause
// Runs a configuration of `softfeb lab` in ns-3 or in softfeb's own simulator, and writes its results as
// JSON. examples/ns3/compare compares the two. README.md explains the licence of the program.

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "figures.hpp"
#include "lab/flows.hpp"
#include "lab/metrics.hpp"
#include "lab/metrics_config.hpp"
#include "ns3_simulation.hpp"
#include "supported.hpp"

#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <ns3/nstime.h>

using namespace softfeb;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kUsage =
    R"(usage: softfeb-ns3 -c FILE [options]

Runs a configuration of `softfeb lab` in virtual time and writes the results to standard output, as JSON.

  -c FILE            configuration, such as conf/lab/incast.yaml
  --set KEY=VALUE    changes a key of the configuration; may be repeated
  --simulator NAME   ns3 (default) or softfeb
  --ordered          ns-3: carry out events of the same time in softfeb's order
  --own-numbers      ns-3: draw the random numbers for marks as softfeb does
  --times            record how long each message took from stage to stage
  --series FILE      write all counters of each lab.sample_interval to FILE
  -h, --help         show this text
)";

struct Options {
  std::string file, series;
  std::vector<std::string> overrides;
  bool own = false;  ///< use softfeb's own simulator in place of ns-3
  bool times = false;
  bool help = false;
  ns3model::Ns3Simulation::Options ns3;
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

bool parse_simulator(const std::string& name) {
  if (name != "ns3" && name != "softfeb")
    throw UsageError("unknown simulator '" + name + "'; fix: use ns3 or softfeb");
  return name == "softfeb";
}

Options parse(const std::vector<std::string>& words) {
  Options out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] {
      if (++i == words.size()) throw UsageError(word + " needs a value");
      return words[i];
    };
    if (word == "-c") {
      out.file = value();
    } else if (word == "--set") {
      out.overrides.push_back(value());
    } else if (word == "--simulator") {
      out.own = parse_simulator(value());
    } else if (word == "--ordered") {
      out.ns3.ordered = true;
    } else if (word == "--own-numbers") {
      out.ns3.own_numbers = true;
    } else if (word == "--times") {
      out.times = true;
    } else if (word == "--series") {
      out.series = value();
    } else if (word == "-h" || word == "--help") {
      out.help = true;
    } else {
      throw UsageError("unknown argument '" + word + "'");
    }
  }
  if (out.file.empty() && !out.help) throw UsageError("-c FILE is missing");
  return out;
}

simulator::MakeSimulation maker(const Options& options) {
  if (options.own) return {};
  return [&options](const fabric::NetworkConfig& network, const std::vector<simulator::Seat>& seats) {
    return std::make_unique<ns3model::Ns3Simulation>(network, seats, options.ns3);
  };
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(const Options& options) {
  ns3::Time::SetResolution(ns3::Time::PS);
  const config::LabConfig config = config::load_lab(options.file, options.overrides);
  ns3model::check_supported(config);
  experiment::VirtualDriver driver(
      config, [] { return 0; }, {}, options.times, {}, nullptr, maker(options));
  lab::Metrics metrics(lab::make_metrics_config(config, lab::flows_of(config.run, driver.plans().all())));
  ns3model::Series series(config, options.series);
  const double before = cpu_seconds();
  const stats::Outcome outcome =
      experiment::run_phases(config.run, driver, {&metrics, &series}, [](const std::string&) {});
  const double seconds = cpu_seconds() - before;
  const lab::RunStats stats = experiment::lab_stats(config, driver, outcome, metrics);
  Json result{{"simulator", options.own ? "softfeb" : "ns-3"}, {"title", config.lab.title}};
  result["figures"] = ns3model::figures(config, driver, outcome, stats, series.queue_mean(), seconds);
  result["message_times"] = ns3model::message_times(outcome);
  result["cpu_s"] = seconds;
  result["bytes_wrong"] = stats.totals.bytes_wrong + stats.memory_wrong;
  bool right = result["bytes_wrong"] == 0;
  for (const lab::Balance& b : stats.balances) {
    result["balances"].push_back({{"name", b.name}, {"left", b.left}, {"right", b.right}});
    right = right && b.holds();
  }
  std::printf("%s\n", result.dump(1).c_str());
  return right ? kDone : kCheckFailed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse({argv + 1, argv + argc});
    if (options.help) {
      std::printf("%s", kUsage);
      return kDone;
    }
    return run(options);
  } catch (const UsageError& e) {
    std::fprintf(stderr, "softfeb-ns3: %s\n%s", e.what(), kUsage);
    return kBadUsage;
  } catch (const config::ConfigError& e) {
    std::fprintf(stderr, "softfeb-ns3: %s\n", e.what());
    return kBadUsage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "softfeb-ns3: %s\n", e.what());
    return kEnvironment;
  }
}

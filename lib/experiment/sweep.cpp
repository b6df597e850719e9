// SPDX-License-Identifier: BSD-3-Clause
#include "base/exit_code.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "experiment/run_points.hpp"
#include "experiment/setup.hpp"
#include "report/pictures.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"
#include "study/durable_file.hpp"
#include "study/grid.hpp"
#include "study/point.hpp"
#include "study/store.hpp"
#include "study/submit.hpp"
#include "study/table.hpp"
#include "study/task.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::experiment {

namespace {

using study::Json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

config::LabConfig load_base(const Options& options) {
  config::LabConfig base = config::load_lab(options.config, options.overrides);
  if (base.lab.sweep.empty()) {
    throw config::ConfigError(
        {{{"lab.sweep", 0, options.config}, "empty", "name keys and values as in conf/lab/sweep.yaml"}});
  }
  return base;
}

/// Shows on the terminal how many points have been run.
class Progress {
 public:
  Progress(std::size_t points, bool shown) : points_(points), shown_(shown) {}
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void one_more() {
    ++done_;
    if (shown_) fmt::print(stderr, "\r\033[K{} of {} runs", done_, points_);
  }

 private:
  std::size_t points_, done_ = 0;
  bool shown_;
};

/// A parameter study: all points of the grid that a configuration file defines.
class Sweep {
 public:
  explicit Sweep(const Options& options)
      : options_(options),
        base_(load_base(options)),
        grid_(base_.lab.sweep),
        config_(config::to_json(base_)),
        threads_(study::thread_count(options.study.threads, options.study.task.has_value(),
                                     study::process_environment)) {}

  /// Runs all points, and keeps their results in memory. Returns the exit status.
  int run_in_memory();
  /// Works with the folder that stores the results of points: runs, submits or collects points, as the
  /// options request. Returns the exit status.
  int use_store();

 private:
  config::LabConfig load(std::size_t point) const;
  std::vector<std::size_t> all_points() const;
  std::vector<std::string> keys() const;
  bool terminal() const { return !options_.quiet && isatty(STDERR_FILENO) != 0; }
  void open(study::Store& store) const;
  void run_stored(const study::Store& store, std::size_t point) const;
  void run_stored(const study::Store& store, const std::vector<std::size_t>& points) const;
  int run_task(const study::Store& store) const;
  int run_on_engine(const study::Store& store) const;
  study::Submission submission(const study::Store& store) const;
  int collect(const study::Store& store) const;
  int report_missing(const study::Store& store, const std::vector<std::size_t>& missing) const;
  study::Arguments command() const;
  int present(const study::Points& points) const;

  const Options& options_;
  const config::LabConfig base_;
  const study::Grid grid_;
  const Json config_;
  const std::size_t threads_;
};

config::LabConfig Sweep::load(std::size_t point) const {
  std::vector<std::string> overrides = options_.overrides;
  for (std::string& o : grid_.overrides(point)) overrides.push_back(std::move(o));
  return config::load_lab(options_.config, overrides);
}

std::vector<std::size_t> Sweep::all_points() const {
  std::vector<std::size_t> points(grid_.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  return points;
}

/// Returns the keys of all points (study::point_key()). For this, it loads the configuration of every point,
/// so that an invalid value is reported before the first point runs.
std::vector<std::string> Sweep::keys() const {
  std::vector<std::string> out(grid_.size());
  run_in_threads(all_points(), threads_,
                 [&](std::size_t p) { out[p] = study::point_key(load(p), SOFTFEB_VERSION); });
  return out;
}

int Sweep::run_in_memory() {
  report::check_writable(base_.run, options_.json, options_.report);
  runtime::catch_stop_signals();
  keys();
  study::Points points;
  for (const std::size_t p : all_points()) points.push_back(study::point_json(grid_, p, {}));
  std::mutex lock;
  {
    Progress progress(points.size(), terminal());
    run_in_threads(all_points(), threads_, [&](std::size_t p) {
      Json point = study::point_json(grid_, p, run_point(load(p)));
      const std::lock_guard guard(lock);
      points[p] = std::move(point);
      progress.one_more();
    });
  }
  return present(points);
}

void Sweep::open(study::Store& store) const {
  study::Manifest manifest{SOFTFEB_VERSION, config_, {}};
  if (store.exists()) return store.open(manifest);
  if (options_.study.existing) {
    throw config::ConfigError(
        {{{"--existing", 0, ""},
          "there is no study in " + absolute(store.folder()) + " on " + study::process_name(),
          "share this folder between all hosts, or begin the study without --existing"}});
  }
  if (options_.study.collect) {
    throw config::ConfigError({{{"--collect", 0, ""},
                                "there is no study in " + store.folder(),
                                "run the points first: " + study::shell_quoted(command())}});
  }
  manifest.keys = keys();
  if (runtime::stop_signals() == 0) store.create(manifest);
}

void Sweep::run_stored(const study::Store& store, std::size_t point) const {
  const auto begin = Clock::now();
  const config::LabConfig config = load(point);
  if (study::point_key(config, SOFTFEB_VERSION) != store.key(point)) {
    throw config::ConfigError(
        {{{options_.config, 0, ""},
          "point " + grid_.name(point) + " reads a file that has changed since the study began",
          "restore the file, or name another folder with --out"}});
  }
  const study::PointRun run = run_point(config);
  if (!run.done && run.error.empty()) return;
  store.write(point, study::point_json(grid_, point, run));
  Json line{{"point", point + 1}, {"process", study::process_name()}, {"seconds", seconds_since(begin)}};
  if (!run.error.empty()) line["error"] = run.error;
  store.log(line);
}

void Sweep::run_stored(const study::Store& store, const std::vector<std::size_t>& points) const {
  std::mutex lock;
  Progress progress(points.size(), terminal());
  run_in_threads(points, threads_, [&](std::size_t p) {
    run_stored(store, p);
    const std::lock_guard guard(lock);
    progress.one_more();
  });
}

int Sweep::run_task(const study::Store& store) const {
  const study::Task task = study::parse_task(*options_.study.task, study::process_environment);
  std::vector<std::size_t> own = all_points();
  std::erase_if(own, [&](std::size_t p) { return !task.has(p); });
  own = store.missing(std::move(own));
  run_stored(store, own);
  const std::size_t left = store.missing(own).size();
  if (!options_.quiet || left != 0) {
    fmt::print(stderr, "softfeb: task {}/{}: {} points run{}\n", task.number, task.count, own.size() - left,
               left == 0 ? "" : fmt::format(", {} interrupted; fix: run the same command again", left));
  }
  return left == 0 ? kDone : kCheckFailed;
}

/// Returns the command that runs the missing points. Its paths are absolute, so that it works from any
/// folder.
study::Arguments Sweep::command() const {
  study::Arguments out{std::filesystem::read_symlink("/proc/self/exe").string(),
                       "lab",
                       "sweep",
                       "-c",
                       absolute(options_.config),
                       "--out",
                       absolute(*options_.study.out)};
  for (const std::string& o : options_.overrides) {
    out.emplace_back("--set");
    out.push_back(o);
  }
  if (options_.study.threads) {
    out.emplace_back("--threads");
    out.push_back(std::to_string(*options_.study.threads));
  }
  return out;
}

study::Submission Sweep::submission(const study::Store& store) const {
  study::Submission out{.folder = absolute(store.folder()),
                        .sweep = command(),
                        .collect = {"--collect"},
                        .points = grid_.size(),
                        .missing = store.missing(all_points()),
                        .seconds_per_point = 0,
                        .options = options_.study};
  const auto add = [&](const char* option, const std::optional<std::string>& path) {
    if (path) out.collect.insert(out.collect.end(), {option, *path == "-" ? *path : absolute(*path)});
  };
  add("--json", options_.json);
  add("--report", options_.report);
  if (!options_.pictures) out.collect.emplace_back("--no-pictures");
  if (options_.quiet) out.collect.emplace_back("--quiet");
  return out;
}

int Sweep::run_on_engine(const study::Store& store) const {
  std::vector<std::size_t> missing = store.missing(all_points());
  if (missing.empty()) return collect(store);
  const auto begin = Clock::now();
  run_stored(store, missing.front());
  const double seconds = seconds_since(begin);
  if (runtime::stop_signals() != 0) return report_missing(store, missing);
  study::Submission job = submission(store);
  if (job.missing.empty()) return collect(store);
  job.seconds_per_point = seconds;
  if (study::engine_of(options_.study) == study::Engine::kSlurm) {
    const std::string text = study::submit_to_slurm(job);
    if (!options_.quiet) fmt::print("{}\n", text);
    return kDone;
  }
  study::run_with_parallel(job);
  return collect(store);
}

int Sweep::report_missing(const study::Store& store, const std::vector<std::size_t>& missing) const {
  constexpr std::size_t kListed = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(kListed, missing.size()); ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(missing[i] + 1);
  fmt::print(stderr, "softfeb: {}: missing {} of {} points: {}{}; fix: {}\n", store.folder(), missing.size(),
             grid_.size(), list, missing.size() > kListed ? ", ..." : "", study::shell_quoted(command()));
  return kCheckFailed;
}

int Sweep::collect(const study::Store& store) const {
  study::Points points;
  std::vector<std::size_t> missing;
  for (const std::size_t p : all_points()) {
    if (auto point = store.read(p))
      points.push_back(std::move(*point));
    else
      missing.push_back(p);
  }
  const std::vector<std::string> unknown = store.unknown_files();
  if (!unknown.empty()) {
    fmt::print(
        stderr,
        "softfeb: {}/points: {} files that do not belong to this study, such as {}; fix: remove them\n",
        store.folder(), unknown.size(), unknown.front());
  }
  if (!missing.empty()) return report_missing(store, missing);
  const std::string process = study::process_name();
  study::write_durably(store.path(study::kSweepCsv), study::csv(grid_, points), process);
  study::write_durably(store.path(report::kReportResult), study::result_json(config_, points).dump(1) + "\n",
                       process);
  return present(points);
}

/// Writes the results that the options request. Returns the exit status.
int Sweep::present(const study::Points& points) const {
  const std::string result = study::result_json(config_, points).dump(1) + "\n";
  if (options_.json) report::write_atomically(*options_.json, result);
  if (options_.report) {
    report::write_atomically(*options_.report + '/' + report::kReportConfig, config::to_yaml(base_));
    report::write_atomically(*options_.report + '/' + report::kReportResult, result);
    report::write_atomically(*options_.report + '/' + study::kSweepCsv, study::csv(grid_, points));
  }
  if (!options_.quiet && options_.json != "-") fmt::print("{}", study::text_table(grid_, points));
  for (const std::string& line : study::complaints(grid_, points)) fmt::print(stderr, "softfeb: {}\n", line);
  if (options_.report && options_.pictures)
    report::make_pictures(*options_.report, options_.quiet || options_.json == "-");
  return study::all_held(points) ? kDone : kCheckFailed;
}

int Sweep::use_store() {
  report::check_writable(base_.run, options_.json, options_.report);
  runtime::catch_stop_signals();
  study::Store store(*options_.study.out, grid_);
  open(store);
  if (runtime::stop_signals() != 0) return kCheckFailed;
  if (options_.study.collect) return collect(store);
  if (options_.study.task) return run_task(store);
  if (study::engine_of(options_.study) != study::Engine::kHere) return run_on_engine(store);
  run_stored(store, store.missing(all_points()));
  return collect(store);
}

}  // namespace

int run_sweep(const Options& options) {
  refuse_useless(options);
  study::check(options.study, options.json || options.report);
  Sweep sweep(options);
  return options.study.out ? sweep.use_store() : sweep.run_in_memory();
}

}  // namespace softfeb::experiment

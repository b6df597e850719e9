// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/event_files.hpp"

#include "config/error.hpp"
#include "config/load.hpp"
#include "detector/payload_pools.hpp"
#include "eventfile/event_file.hpp"
#include "eventfile/recording.hpp"

#include <filesystem>
#include <string>
#include <system_error>

namespace softfeb::experiment {

namespace {

/// Throws ConfigError for an event file. `problem` has the form "WHAT; fix: FIX".
[[noreturn]] void refuse(const config::Where& place, const std::string& problem) {
  static const std::string kFix = "; fix: ";
  const std::size_t at = problem.find(kFix);
  const std::string fix = at == std::string::npos ? "name another file" : problem.substr(at + kFix.size());
  throw config::ConfigError({{place, problem.substr(0, at), fix}});
}

bool has_waveforms(detector::PayloadKind kind) {
  using detector::PayloadKind;
  return kind == PayloadKind::kWaveform12 || kind == PayloadKind::kWaveform16 || kind == PayloadKind::kRoi;
}

eventfile::EventFileConfig file_of(const config::RunConfig& config,
                                   const config::ReceiverEventsConfig& events, bool wait) {
  const config::BoardEventsConfig& boards = *config.boards[*events.first_board].events;
  eventfile::EventFileConfig file;
  file.path = events.out;
  file.boards = boards.boards;
  file.piece = boards.piece;
  if (has_waveforms(boards.kind)) {
    file.channels = boards.channels;
    file.samples = boards.samples;
  }
  file.run = config.run.number;
  file.configuration = config::to_yaml(config);
  file.open_events = events.window;
  file.wait = wait;
  return file;
}

/// Reads the recording for boards with `kind: replay`.
std::unique_ptr<detector::EventPayload> replay(const config::RunConfig& config,
                                               const config::BoardEventsConfig& events) {
  try {
    const eventfile::Recording recording = eventfile::read_recording(events.file);
    detector::ReplayPoolConfig pool;
    pool.channels = recording.channels;
    pool.samples = recording.samples;
    pool.boards = {0, events.boards};
    pool.piece = events.piece;
    pool.largest = events.layout().largest();
    return detector::make_replay_pool(recording.fragments, pool);
  } catch (const eventfile::EventFileError& error) {
    refuse(config.place(events.where, "file"), error.what());
  }
}

}  // namespace

void check_event_files(const config::RunConfig& config) {
  for (const config::ReceiverConfig& receiver : config.receivers) {
    if (!receiver.events || receiver.events->out.empty()) continue;
    const std::string why = eventfile::why_not_creatable(receiver.events->out);
    if (!why.empty()) refuse(config.place(receiver.events->where, "out"), why);
  }
}

endpoints::EventServices event_services(const config::RunConfig& config, EventFiles* files) {
  endpoints::EventServices services;
  services.replay = [&config](const config::BoardEventsConfig& events) { return replay(config, events); };
  if (files != nullptr) services.recorder_of = [files](std::size_t r) { return files->create(r); };
  return services;
}

EventFiles::EventFiles(const config::RunConfig& config, bool wait)
    : config_(config), wait_(wait), files_(config.receivers.size()) {}

EventFiles::~EventFiles() {
  if (finished_) return;
  for (std::size_t r = 0; r < files_.size(); ++r) {
    if (files_[r] == nullptr || files_[r]->stats().closed != 0) continue;
    files_[r].reset();
    std::error_code ignored;
    std::filesystem::remove(config_.receivers[r].events->out, ignored);
  }
}

detector::EventRecorder* EventFiles::create(std::size_t r) {
  const auto& events = config_.receivers[r].events;
  if (!events || events->out.empty()) return nullptr;
  try {
    files_[r] = std::make_unique<eventfile::EventFile>(file_of(config_, *events, wait_));
  } catch (const eventfile::EventFileError& error) {
    refuse(config_.place(events->where, "out"), error.what());
  }
  return files_[r].get();
}

std::vector<std::optional<stats::EventFileOutcome>> EventFiles::finish() {
  finished_ = true;
  std::vector<std::optional<stats::EventFileOutcome>> all(files_.size());
  for (std::size_t r = 0; r < files_.size(); ++r) {
    if (files_[r] == nullptr) continue;
    files_[r]->finish();
    const eventfile::EventFileStats s = files_[r]->stats();
    all[r] = stats::EventFileOutcome{.path = config_.receivers[r].events->out,
                                     .written = s.written,
                                     .not_written = s.not_written,
                                     .fragments = s.fragments,
                                     .data_bytes = s.data_bytes,
                                     .queue_peak = s.queue_peak,
                                     .error = files_[r]->error()};
  }
  return all;
}

}  // namespace softfeb::experiment

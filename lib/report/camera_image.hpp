// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/event_receiver.hpp"

#include <optional>
#include <string>

namespace softfeb::report {

/// File of a report with the charge of each pixel in one event.
inline constexpr const char* kReportCamera = "camera.csv";

/// Content of camera.csv: the charge of each channel in the newest event of which the whole waveforms of all
/// boards are in the receiver's memory. Empty if there is none. Call after the run.
std::optional<std::string> camera_csv(const engine::EventReceiver& events);

}  // namespace softfeb::report

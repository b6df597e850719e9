// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/event_receiver.hpp"

#include <optional>
#include <string>

namespace softfeb::report {

/// Name of the report file that contains the charge of each pixel in one event.
inline constexpr const char* kReportCamera = "camera.csv";

/// Returns the content of camera.csv: the charge of each channel in the newest event for which the receiver's
/// memory contains the complete waveforms of all boards. Returns std::nullopt if there is no such event. Call
/// this function after the run.
std::optional<std::string> camera_csv(const engine::EventReceiver& events);

}  // namespace softfeb::report

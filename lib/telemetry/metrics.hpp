// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/sample.hpp"
#include "telemetry/links.hpp"
#include "telemetry/scene.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// QPs have series of their own up to here; with more there are those of their boards alone.
inline constexpr std::size_t kQpSeries = 64;

/// Everything in `sample` as Prometheus' text (doc/telemetry.md lists the names). A null `sample.endpoints`,
/// before the first one: what the run is and its slow control's links, alone.
std::string metrics(const Scene& scene, const lab::Sample& sample, const std::vector<LinkView>& links = {});

}  // namespace softfeb::telemetry

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/profile.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::report {

/// Reads a profile and the base profiles that it extends. `name` is either the name of a profile that is
/// installed with softfeb (rxe-6.1), or the path of a file, which contains a `/` or ends in .yaml. Paths of
/// base profiles are relative to the folder of the profile that refers to them. Throws NotationError with the
/// place and a fix, also if a file cannot be read.
conformance::Profile load_profile(std::string_view name, const conformance::Catalogue& catalogue);

/// Converts the name of a profile so that it can be used from any folder: paths become absolute.
std::string absolute_profile(const std::string& name);

/// Returns the names of the installed profiles, in alphabetical order; empty if no profiles are installed.
std::vector<std::string> installed_profiles();

}  // namespace softfeb::report

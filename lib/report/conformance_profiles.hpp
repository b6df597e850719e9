// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/profile.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::report {

/// Reads a profile and those that it extends. `name` is the name of a profile that is installed with softfeb
/// (rxe-6.1), or the path of a file, which contains a `/` or ends in .yaml. The path of a base is relative to
/// the folder of the profile that names it. Throws NotationError, which names the place and the fix, also if
/// a file cannot be read.
conformance::Profile load_profile(std::string_view name, const conformance::Catalogue& catalogue);

/// The name or path of a profile, as a file in any folder can name it: paths become absolute.
std::string absolute_profile(const std::string& name);

/// Names of the profiles that are installed, in alphabetical order; empty if the installation lacks them.
std::vector<std::string> installed_profiles();

}  // namespace softfeb::report

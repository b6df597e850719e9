// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where an installed program finds softfeb's data files, which the build puts into the same places.

#include <filesystem>
#include <string>

namespace softfeb::config {

/// Folder `name` of softfeb's data files, for example "conf" or "report": in share/softfeb of the prefix in
/// which this program is installed, or of the build folder to which it belongs. Empty if there is none.
/// Only the place of the program decides, so an installed program never uses files of a source tree.
std::filesystem::path data_folder(const std::string& name);

/// The same, for a program at `program`.
std::filesystem::path data_folder_of(const std::filesystem::path& program, const std::string& name);

/// The configuration that a user means by `path`: the file itself; or, if it does not exist and `path` is
/// relative, the file of softfeb's own configurations, so that "conf/lab/incast.yaml" works in every
/// folder. Returns `path` if neither exists; reading it then gives the error.
std::string find_configuration(const std::string& path);

}  // namespace softfeb::config

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds softfeb's data files. Their paths relative to the prefix of an installation are the same as their
// paths relative to a build folder.

#include <filesystem>
#include <string>

namespace softfeb::config {

/// Returns folder `name` of softfeb's data files, for example "conf" or "report". This folder is in
/// share/softfeb below the prefix in which this program is installed, or below the build folder to which the
/// program belongs. Returns an empty path if there is no such folder. Only the location of the program
/// matters, so an installed program never uses files of a source tree.
std::filesystem::path data_folder(const std::string& name);

/// Same as data_folder(), for a program at the path `program`.
std::filesystem::path data_folder_of(const std::filesystem::path& program, const std::string& name);

/// Returns the path of the configuration that a user means by `path`. This is `path` itself if the file
/// exists. Otherwise, if `path` is relative, it is the file of this name among softfeb's own configurations,
/// so that "conf/lab/incast.yaml" works from any folder. Returns `path` if neither file exists; the error is
/// then reported when the file is read.
std::string find_configuration(const std::string& path);

}  // namespace softfeb::config

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/algorithm.hpp"

#include <stdexcept>
#include <string>
#include <utility>

/// lib/plugins loads users' congestion control algorithms. congestion_plugin.hpp defines the interface, and
/// is the only header that a plug-in includes. PluginControl (plugin_control.hpp) connects a plug-in to the
/// engine. The library may include lib/congestion and lib/base.
namespace softfeb::plugins {

/// Thrown if a plug-in cannot be used. what() returns the reason, and fix() returns the fix.
class PluginError : public std::runtime_error {
 public:
  PluginError(const std::string& what, std::string fix) : runtime_error(what), fix_(std::move(fix)) {}
  const std::string& fix() const { return fix_; }

 private:
  std::string fix_;
};

/// Loads the plug-in in the shared object at `path`, relative to the working directory. The plug-in stays
/// loaded for the rest of the process; a file that is loaded already is not loaded again. Throws PluginError.
/// All calls must be made from the same thread.
const congestion::Algorithm& load_plugin(const std::string& path);

}  // namespace softfeb::plugins

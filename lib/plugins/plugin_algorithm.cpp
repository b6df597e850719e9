// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/plugin_algorithm.hpp"

#include "plugins/plugin_control.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include <dlfcn.h>

namespace softfeb::plugins {

namespace {

using congestion::Parameter;
using softfeb_plugin::Plugin;

/// Events that require a control object for each queue pair.
constexpr std::uint32_t kOwnQp =
    softfeb_plugin::kPosts | softfeb_plugin::kCredit | softfeb_plugin::kPriorities | softfeb_plugin::kRanks;
constexpr const char* kSymbol = "softfeb_congestion_plugin";

[[noreturn]] void refuse(const std::string& what, const std::string& fix) { throw PluginError(what, fix); }

bool is_key(const char* name) {
  if (name == nullptr || *name == '\0' || std::strlen(name) > 48) return false;
  return std::all_of(name, name + std::strlen(name),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

const char* text_or_empty(const char* text) { return text == nullptr ? "" : text; }

congestion::Unit unit_of(softfeb_plugin::Unit unit) {
  switch (unit) {
    case softfeb_plugin::Unit::kReal:
      return congestion::Unit::kReal;
    case softfeb_plugin::Unit::kCount:
      return congestion::Unit::kCount;
    case softfeb_plugin::Unit::kSwitch:
      return congestion::Unit::kSwitch;
    case softfeb_plugin::Unit::kRate:
      return congestion::Unit::kRate;
    case softfeb_plugin::Unit::kTime:
      return congestion::Unit::kTime;
    case softfeb_plugin::Unit::kSize:
      return congestion::Unit::kSize;
  }
  refuse("has a parameter with an unknown unit", "use a unit of softfeb_plugin::Unit");
}

void check_parameter(const softfeb_plugin::Parameter& p) {
  const std::string name = is_key(p.name) ? p.name : "?";
  if (name == "?")
    refuse("has a parameter whose name is no key", "use lower-case letters, digits and underscores");
  for (const char* taken : {"algorithm", "plugin", "scope"}) {
    if (name == taken) refuse("has a parameter `" + name + "`, which is a key of softfeb", "rename it");
  }
  const bool ordered = p.lowest >= 0 && p.lowest <= p.initial && p.initial <= p.highest && p.highest <= 9e15;
  if (!ordered) {
    refuse("parameter `" + name + "` has impossible bounds",
           "make 0 <= lowest <= initial <= highest <= 9e15 hold");
  }
}

/// Throws PluginError if the plug-in does not match this version of softfeb, or if its description is
/// invalid.
void check(const Plugin& plugin) {
  if (plugin.version != softfeb_plugin::kVersion) {
    refuse("is for version " + std::to_string(plugin.version) +
               " of the interface; this softfeb has version " + std::to_string(softfeb_plugin::kVersion),
           "compile it with the <softfeb/congestion_plugin.hpp> of this softfeb");
  }
  if (plugin.description_size != sizeof(softfeb_plugin::Description) || plugin.make == nullptr) {
    refuse("was compiled with another layout of the interface",
           "compile it with GCC or clang for this machine, without options that change layouts");
  }
  const softfeb_plugin::Description& d = plugin.description;
  if (!is_key(d.name))
    refuse("has no name that could be a key", "use lower-case letters, digits and underscores");
  if (congestion::find_algorithm(d.name) != nullptr)
    refuse(std::string("has the name of softfeb's own algorithm ") + d.name, "give it another name");
  if (plugin.control_alignment > 64 || plugin.control_size == 0 || plugin.control_size > 4096)
    refuse("has controls of an impossible size", "make them at most 4096 bytes, aligned to at most 64");
  if (d.parameters.count > softfeb_plugin::kMostParameters ||
      d.counters.count > softfeb_plugin::kMostCounters)
    refuse("has too many parameters or counters", "use the initializers of Description");
  if (d.header_profile != 0 && d.header_profile < 0xf0) {
    refuse("has header profile " + std::to_string(d.header_profile), "use 0xf0 to 0xff, or 0 for none");
  }
  if ((d.events & kOwnQp) != 0 && (d.events & softfeb_plugin::kAcks) == 0) {
    refuse("uses posted(), credit(), priority() or rank() but does not observe acknowledgements",
           "add kAcks to `events`");
  }
  if (d.header_profile != 0 && (d.events & softfeb_plugin::kAcks) == 0)
    refuse("has header fields but does not observe acknowledgements", "add kAcks to `events`");
  for (std::size_t i = 0; i < d.parameters.count; ++i) check_parameter(d.parameters.items[i]);
  for (std::size_t i = 0; i < d.counters.count; ++i) {
    if (!is_key(d.counters.items[i].name))
      refuse("has a counter whose name is no key", "use lower-case letters, digits and underscores");
  }
}

/// A loaded plug-in.
class PluginAlgorithm final : public congestion::Algorithm {
 public:
  explicit PluginAlgorithm(const Plugin& plugin) : plugin_(plugin) {
    facts_.plugin = &plugin_;
    facts_.keep = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      return messages_.insert(text).first->c_str();
    };
    const softfeb_plugin::Description& d = plugin.description;
    for (std::size_t i = 0; i < d.parameters.count; ++i) {
      const softfeb_plugin::Parameter& p = d.parameters.items[i];
      parameters_.push_back({p.name, unit_of(p.unit), p.lowest, p.highest, text_or_empty(p.text)});
    }
    for (std::size_t i = 0; i < d.counters.count; ++i) {
      const softfeb_plugin::Counter& c = d.counters.items[i];
      counters_.push_back({c.name, congestion::Unit::kReal, 0, 0, text_or_empty(c.text)});
    }
    facts_.counters = counters_.data();
  }

  std::string_view name() const override { return plugin_.description.name; }
  std::string_view summary() const override { return text_or_empty(plugin_.description.summary); }
  std::span<const Parameter> parameters() const override { return parameters_; }
  std::optional<Conflict> conflict(std::span<const double>) const override { return std::nullopt; }
  congestion::Hooks hooks() const override { return PluginControl::hooks_of(plugin_); }
  congestion::Needs needs() const override {
    const std::uint32_t events = plugin_.description.events;
    congestion::Needs needs = 0;
    if ((events & softfeb_plugin::kAcks) != 0) needs |= congestion::kNeedsAcks;
    if ((events & kOwnQp) != 0) needs |= congestion::kNeedsOwnQp;
    return needs;
  }
  std::uint8_t header_profile() const override { return plugin_.description.header_profile; }
  std::size_t bytes(const congestion::PathFacts&) const override {
    return PluginControl::control_bytes(plugin_);
  }

  congestion::ParameterValues defaults(const congestion::PathFacts&) const override {
    congestion::ParameterValues values;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      values.push_back(plugin_.description.parameters.items[i].initial);
    return values;
  }
  congestion::CongestionControl* make(void* place, std::span<const double> values,
                                      const congestion::PathFacts& path) const override {
    return new (place) PluginControl(facts_, values, {static_cast<double>(path.line_rate), path.pmtu});
  }
  congestion::Change change(congestion::CongestionControl& control, std::span<const double> values,
                            Time now) const override {
    auto* const c = dynamic_cast<PluginControl*>(&control);
    if (c == nullptr || c->plugin() != &plugin_) return congestion::Change::kRefused;
    c->set_parameters(values, now);
    return congestion::Change::kMade;
  }

 private:
  Plugin plugin_;
  PluginFacts facts_;
  std::vector<Parameter> parameters_;
  std::vector<Parameter> counters_;
  std::mutex mutex_;
  std::set<std::string> messages_;  ///< failure messages of controls
};

}  // namespace

const congestion::Algorithm& load_plugin(const std::string& path) {
  static std::map<const void*, std::unique_ptr<PluginAlgorithm>> loaded;
  // Without a slash, dlopen() would search the system's library folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    refuse(std::string("cannot be loaded: ") + (reason == nullptr ? "unknown reason" : reason),
           "write the path of a shared object, relative to the working directory");
  }
  const auto* const plugin = static_cast<const Plugin*>(dlsym(handle, kSymbol));
  if (plugin == nullptr)
    refuse("is no congestion control plug-in", "use SOFTFEB_CONGESTION_PLUGIN in exactly one source file");
  auto& algorithm = loaded[plugin];
  if (algorithm == nullptr) {
    check(*plugin);
    algorithm = std::make_unique<PluginAlgorithm>(*plugin);
  }
  return *algorithm;
}

}  // namespace softfeb::plugins

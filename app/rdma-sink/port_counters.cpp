// SPDX-License-Identifier: BSD-3-Clause
#include "port_counters.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace softfeb::sink {

namespace {

/// Returns the increase of each counter. If a counter has decreased, it was reset or has wrapped; its current
/// value is then used as the increase.
nlohmann::json increase(const CounterFiles& before, const CounterFiles& now) {
  if (now.empty()) return nullptr;
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [name, value] : now) {
    const auto old = before.find(name);
    all[name] = old == before.end() || old->second > value ? value : value - old->second;
  }
  return all;
}

}  // namespace

CounterFiles read_counters(const std::string& folder) {
  CounterFiles all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    std::string text;
    if (name == "lifespan" || !(std::ifstream(entry.path()) >> text)) continue;
    std::uint64_t value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong == std::errc() && end == text.data() + text.size()) all[name] = value;
  }
  return all;
}

nlohmann::json current_counters(const std::string& port) {
  nlohmann::json all;
  for (const char* kind : {"hw_counters", "counters"}) {
    const CounterFiles files = read_counters(port + '/' + kind);
    all[kind] = files.empty() ? nlohmann::json(nullptr) : nlohmann::json(files);
  }
  return all;
}

PortCounters::PortCounters(std::string port)
    : port_(std::move(port)),
      hardware_(read_counters(port_ + "/hw_counters")),
      standard_(read_counters(port_ + "/counters")) {}

void PortCounters::add_to(nlohmann::json& report) const {
  report["hw_counters"] = increase(hardware_, read_counters(port_ + "/hw_counters"));
  report["counters"] = increase(standard_, read_counters(port_ + "/counters"));
}

}  // namespace softfeb::sink

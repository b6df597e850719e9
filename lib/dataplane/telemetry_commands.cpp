// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/telemetry_commands.hpp"

#include "dataplane/dpdk_versions.hpp"
#include "dataplane/error.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include <rte_telemetry.h>

namespace softfeb::dataplane {
namespace {

constexpr std::size_t kKinds = 3;

struct Published {
  std::mutex lock;
  std::string title, version;
  std::array<TelemetryTable, kKinds> tables;
  bool registered = false;
};

Published& published() {
  static Published all;
  return all;
}

struct Name {
  const char* command;
  const char* help;
};
constexpr std::array<Name, kKinds> kNames{
    {{"/softfeb/boards", "Lists the boards. Parameter: a board's name; returns its counters"},
     {"/softfeb/receivers", "Lists the receivers. Parameter: a receiver's name; returns its counters"},
     {"/softfeb/ports", "Lists the switch ports. Parameter: a port's name; returns its counters"}}};

int names(const TelemetryTable& table, rte_tel_data* out) {
  rte_tel_data_start_array(out, RTE_TEL_STRING_VAL);
  for (std::size_t i = 0; i < std::min<std::size_t>(table.rows.size(), RTE_TEL_MAX_ARRAY_ENTRIES); ++i)
    rte_tel_data_add_array_string(out, table.rows[i].name.c_str());
  return 0;
}

int figures(const TelemetryTable& table, const std::string& name, rte_tel_data* out) {
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [&](const TelemetryTable::Row& r) { return r.name == name; });
  if (row == table.rows.end()) return -1;
  rte_tel_data_start_dict(out);
  for (std::size_t c = 0; c < table.columns.size() && c < row->values.size(); ++c)
    add_to_dict(out, table.columns[c].c_str(), row->values[c]);
  return 0;
}

int answer_table(const char* command, const char* parameters, rte_tel_data* out) {
  const auto kind = std::find_if(kNames.begin(), kNames.end(),
                                 [&](const Name& n) { return std::string(n.command) == command; });
  if (kind == kNames.end()) return -1;
  Published& p = published();
  const std::lock_guard guard(p.lock);
  const TelemetryTable& table = p.tables[static_cast<std::size_t>(kind - kNames.begin())];
  if (parameters == nullptr || *parameters == '\0') return names(table, out);
  return figures(table, parameters, out);
}

int answer_info(const char* /*command*/, const char* /*parameters*/, rte_tel_data* out) {
  Published& p = published();
  const std::lock_guard guard(p.lock);
  rte_tel_data_start_dict(out);
  rte_tel_data_add_dict_string(out, "title", p.title.c_str());
  rte_tel_data_add_dict_string(out, "version", p.version.c_str());
  for (std::size_t k = 0; k < kKinds; ++k)
    add_to_dict(out, kNames[k].command + sizeof "/softfeb/" - 1, p.tables[k].rows.size());
  return 0;
}

void register_command(const char* command, telemetry_cb answer, const char* help) {
  if (rte_telemetry_register_cmd(command, answer, help) == 0) return;
  throw EnvironmentError(std::string("DPDK rejects the telemetry command ") + command,
                         "remove eal.telemetry");
}

}  // namespace

void register_telemetry_commands(const std::string& title, const std::string& version) {
  Published& p = published();
  const std::lock_guard guard(p.lock);
  p.title = title;
  p.version = version;
  if (p.registered) return;
  register_command("/softfeb/info", answer_info,
                   "Returns title, version and the number of boards, receivers and ports");
  for (const Name& n : kNames) register_command(n.command, answer_table, n.help);
  p.registered = true;
}

void publish_telemetry(TelemetryKind kind, TelemetryTable table) {
  Published& p = published();
  const std::lock_guard guard(p.lock);
  p.tables[static_cast<std::size_t>(kind)] = std::move(table);
}

}  // namespace softfeb::dataplane

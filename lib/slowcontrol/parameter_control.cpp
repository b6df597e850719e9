// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/parameter_control.hpp"

#include "config/congestion.hpp"
#include "config/error.hpp"
#include "endpoints/qp_congestion.hpp"
#include "engine/board.hpp"
#include "slowcontrol/control_setup.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace softfeb::slowcontrol {
namespace {

using config::CongestionConfig;
using telemetry::problem;
using telemetry::Respond;
using Json = nlohmann::ordered_json;

constexpr const char* kBypass = "dcqcn_bypass";

telemetry::Response refusal(const config::ConfigError& e) {
  const config::Problem& p = e.problems().front();
  const Json body{{"error", p.where.key + ": " + p.message}, {"fix", p.fix}, {"key", p.where.key}};
  return {400, "application/json", body.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n', {}};
}

telemetry::Response bus_failure() {
  return problem(502, "the board refused the register access", "try again; read the registers with febctl");
}

/// Throws ConfigError if the change sets a key for which the profile has no register.
void check_register(const telemetry::Parameters::Change& change, const DcqcnRegisters& registers) {
  if (registers.has_bypass()) return;
  for (const auto& [key, value] : change.given) {
    if (key != kBypass) continue;
    throw config::ConfigError({{{"", 0, key},
                                "the board's firmware profile has no such register",
                                "use a profile that has it, or set rmin to the line rate"}});
  }
}

bool named(const telemetry::Parameters::Change& change, std::size_t qp) {
  return !change.qp || *change.qp == qp;
}

}  // namespace

ParameterControl::ParameterControl(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                                   runtime::WorkerPool& pool, const ControlService& service)
    : config_(config), dpdk_(dpdk), pool_(pool), boards_(config.boards.size()) {
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    for (const config::QpConfig& group : config.boards[b].qps) {
      const auto shared =
          std::make_shared<const CongestionConfig>(endpoints::congestion_config_of(config.boards[b], group));
      boards_[b].qps.insert(boards_[b].qps.end(), group.count, shared);
    }
    boards_[b].shown_by.assign(boards_[b].qps.size(), kNone);
  }
  for (const auto& control : service.boards()) {
    boards_[control->board()].control = control.get();
    add_slots(control->board());
    add_sharers(control->board());
  }
}

void ParameterControl::add_slots(std::size_t board) {
  Board& b = boards_[board];
  const board::BoardRegistersConfig registers = registers_config(config_, board, 0);
  for (std::size_t slot = 0; slot < registers.dcqcn_qps.size(); ++slot) {
    const std::size_t qp = registers.dcqcn_qps[slot];
    const bool firmware =
        qp >= b.qps.size() || b.qps[qp]->algorithm == CongestionConfig::Algorithm::kFirmware;
    if (!firmware) continue;
    CongestionConfig start = qp < b.qps.size() ? *b.qps[qp] : CongestionConfig{};
    start.algorithm = CongestionConfig::Algorithm::kFirmware;
    b.slots.push_back({qp, DcqcnRegisters(b.control->registers().profile(), slot), start});
  }
}

/// Determines, for each queue pair, the slot whose registers show its parameters: its own slot, or the slot
/// of a queue pair with the same CongestionControl object. The board's worker may be running, so this
/// function reads only which object each QP uses; a QP's object does not change after the board is created.
void ParameterControl::add_sharers(std::size_t board) {
  Board& b = boards_[board];
  const engine::Board& sender = pool_.board(board);
  std::map<const congestion::CongestionControl*, std::size_t> slots;
  std::size_t of_bus = 0;
  for (std::size_t s = 0; s < b.slots.size(); ++s) {
    slots.emplace(sender.qp(b.slots[s].qp).congestion(), s);
    of_bus += b.slots[s].qp >= b.qps.size() ? 1 : 0;
  }
  for (std::size_t qp = 0; qp < b.qps.size(); ++qp) {
    const auto it = slots.find(sender.qp(qp).congestion());
    if (it != slots.end()) b.shown_by[qp] = it->second;
  }
  for (std::size_t s = 0; s < b.slots.size(); ++s) {
    if (b.slots[s].qp < b.qps.size()) b.shown_by[b.slots[s].qp] = s;
  }
  b.not_shown = b.control->config().qps - of_bus;
}

void ParameterControl::follow_schedule() {
  const std::vector<std::uint8_t> made = pool_.changes_made();
  changes_made_.resize(made.size());
  for (std::size_t c = 0; c < made.size(); ++c) {
    if (made[c] == changes_made_[c]) continue;
    changes_made_[c] = made[c];
    for (const config::ChangeConfig::Part& part : config_.changes[c].parts) {
      const auto shared = std::make_shared<const CongestionConfig>(part.congestion);
      auto& qps = boards_[config_.changes[c].board].qps;
      std::fill_n(qps.begin() + part.first, part.count, shared);
    }
  }
}

void ParameterControl::read(std::size_t board, Respond respond) {
  follow_schedule();
  auto task = std::make_shared<Task>();
  task->board = board;
  task->respond = std::move(respond);
  read_slot(task);
}

void ParameterControl::check_alone(const Board& b, const Change& change) const {
  if (!change.qp || *change.qp >= b.qps.size() || has_slot(b, *change.qp)) return;
  const CongestionConfig& d = *b.qps[*change.qp];
  if (d.algorithm == CongestionConfig::Algorithm::kOff || d.scope == CongestionConfig::Scope::kQp) return;
  throw config::ConfigError({{{"", 0, "qps"},
                              "QP " + std::to_string(*change.qp) + " shares its rate with others",
                              "\"qps\": \"all\""}});
}

/// Computes the new parameters of the QPs that have no registers. Throws on invalid values before anything
/// is changed.
void ParameterControl::plan(Task& task) const {
  const Board& b = boards_[task.board];
  const Change& change = *task.change;
  check_alone(b, change);
  bool any = false;
  for (const Slot& s : b.slots) {
    if (!named(change, s.qp)) continue;
    check_register(change, s.registers);
    config::change_congestion(s.last, change.given);
    any = true;
  }
  std::map<const CongestionConfig*, Shared> changed;
  for (std::size_t qp = 0; qp < b.qps.size(); ++qp) {
    const Shared& now = b.qps[qp];
    if (!named(change, qp) || in_slot(b, qp) || now->algorithm == CongestionConfig::Algorithm::kOff) continue;
    Shared& next = changed[now.get()];
    if (next == nullptr)
      next = std::make_shared<const CongestionConfig>(config::change_congestion(*now, change.given));
    task.qps[qp] = next;
    any = true;
  }
  const std::string whom = change.qp ? "QP " + std::to_string(*change.qp) : "the board";
  if (!any)
    throw config::ConfigError({{{"", 0, "qps"}, whom + " has no congestion control", "name another"}});
}

void ParameterControl::write(const Change& change, Respond respond) {
  follow_schedule();
  auto task = std::make_shared<Task>();
  task->board = change.board;
  task->change = change;
  task->qps = boards_[change.board].qps;
  task->respond = std::move(respond);
  try {
    plan(*task);
  } catch (const config::ConfigError& e) {
    return task->respond(refusal(e));
  }
  read_slot(task);
}

void ParameterControl::read_slot(const TaskPointer& task) {
  Board& b = boards_[task->board];
  if (task->slot == b.slots.size()) return finish(task);
  const DcqcnRegisters& r = b.slots[task->slot].registers;
  b.control->bus().read(r.address(), {task->words.data(), r.bytes()}, dpdk_.now(),
                        [this, task](const srp::BusResult& result, Time) {
                          if (result.status != srp::BusStatus::kOk) return task->respond(bus_failure());
                          slot_read(task);
                        });
}

void ParameterControl::slot_read(const TaskPointer& task) {
  Board& b = boards_[task->board];
  Slot& slot = b.slots[task->slot];
  slot.last.firmware.parameters = slot.registers.decode(task->words);
  if (!task->change || !named(*task->change, slot.qp)) {
    ++task->slot;
    return read_slot(task);
  }
  try {
    slot.last = config::change_congestion(slot.last, task->change->given);
  } catch (const config::ConfigError& e) {
    return task->respond(refusal(e));
  }
  slot.registers.encode(slot.last.firmware.parameters, task->words);
  b.control->bus().write(slot.registers.address(), {task->words.data(), DcqcnRegisters::kWritten},
                         dpdk_.now(), [this, task](const srp::BusResult& result, Time) {
                           if (result.status != srp::BusStatus::kOk) return task->respond(bus_failure());
                           write_bypass(task);
                         });
}

void ParameterControl::write_bypass(const TaskPointer& task) {
  Board& b = boards_[task->board];
  const DcqcnRegisters& r = b.slots[task->slot++].registers;
  if (!r.has_bypass()) return read_slot(task);
  constexpr std::size_t kAt = DcqcnRegisters::kBypassAt;
  b.control->bus().write(r.address() + kAt, {task->words.data() + kAt, 4}, dpdk_.now(),
                         [this, task](const srp::BusResult& result, Time) {
                           if (result.status != srp::BusStatus::kOk) return task->respond(bus_failure());
                           read_slot(task);
                         });
}

void ParameterControl::finish(const TaskPointer& task) {
  Board& b = boards_[task->board];
  for (std::size_t first = 0; task->change && first < b.qps.size();) {
    std::size_t end = first + 1;
    while (end < b.qps.size() && task->qps[end] == task->qps[first] && !in_slot(b, end)) ++end;
    if (task->qps[first] != b.qps[first])
      pool_.change(task->board, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first),
                                 *task->qps[first]});
    std::copy(task->qps.begin() + static_cast<std::ptrdiff_t>(first),
              task->qps.begin() + static_cast<std::ptrdiff_t>(end),
              b.qps.begin() + static_cast<std::ptrdiff_t>(first));
    first = end;
  }
  task->respond({200, "application/json", describe(task->board) + '\n', {}});
}

std::string ParameterControl::describe(std::size_t board) const {
  const Board& b = boards_[board];
  Json units = Json::array();
  const auto add = [&units](std::size_t first, std::size_t count, const CongestionConfig& d) -> Json& {
    units.push_back({{"first", first}, {"count", count}, {"algorithm", d.name()}});
    return units.back();
  };
  const auto add_shown = [&add](std::size_t first, std::size_t count, const Slot& s) {
    Json& unit = add(first, count, s.last);
    unit["register"] = s.registers.path();
    if (first != s.qp) unit["shares_with"] = s.qp;
    unit["parameters"] = config::changeable(s.last);
    if (!s.registers.has_bypass()) unit["parameters"].erase(kBypass);
  };
  for (const Slot& s : b.slots) add_shown(s.qp, 1, s);
  for (std::size_t qp = 0; qp < b.qps.size();) {
    const std::size_t first = qp++;
    if (has_slot(b, first)) continue;
    const auto alike = [&](std::size_t i) {
      return b.shown_by[i] == b.shown_by[first] && (in_slot(b, i) || b.qps[i] == b.qps[first]);
    };
    while (qp < b.qps.size() && !has_slot(b, qp) && alike(qp)) ++qp;
    if (in_slot(b, first)) {
      add_shown(first, qp - first, b.slots[b.shown_by[first]]);
    } else {
      add(first, qp - first, *b.qps[first])["parameters"] = config::changeable(*b.qps[first]);
    }
  }
  return Json{{"board", config_.boards[board].endpoint.name}, {"units", units}, {"not_shown", b.not_shown}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace softfeb::slowcontrol

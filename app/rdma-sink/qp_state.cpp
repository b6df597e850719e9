// SPDX-License-Identifier: BSD-3-Clause
#include "qp_state.hpp"

#include "refusal.hpp"

namespace softfeb::sink {

const char* name_of(QpState state) {
  switch (state) {
    case QpState::kReset:
      return "RESET";
    case QpState::kInit:
      return "INIT";
    case QpState::kRtr:
      return "RTR";
    case QpState::kRts:
      return "RTS";
    case QpState::kErr:
      return "ERR";
    case QpState::kUnknown:
      break;
  }
  return "unknown";
}

QpState parse_qp_state(std::string_view name) {
  if (name == "init") return QpState::kInit;
  if (name == "rtr") return QpState::kRtr;
  if (name == "rts") return QpState::kRts;
  if (name == "err") return QpState::kErr;
  throw Refusal("'state' must be \"init\", \"rtr\", \"rts\" or \"err\"");
}

std::vector<QpState> steps_to(QpState from, QpState to) {
  if (from == to) return {};
  if (to == QpState::kErr && from != QpState::kUnknown) return {to};
  std::vector<QpState> steps;
  // RESET, INIT, RTR and RTS are entered in this order, which is also the order of their enumerators.
  if (to <= QpState::kRts && from < to) {
    for (auto state = from; state != to;) {
      state = static_cast<QpState>(static_cast<std::uint8_t>(state) + 1);
      steps.push_back(state);
    }
    return steps;
  }
  throw Refusal(std::string("a queue pair cannot move from ") + name_of(from) + " to " + name_of(to) +
                "; fix: close it and open another one");
}

}  // namespace softfeb::sink

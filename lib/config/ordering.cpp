// SPDX-License-Identifier: BSD-3-Clause
// Key `ordering` of a receiver.
#include "config/checks.hpp"
#include "roce/unordered_writes.hpp"

#include <algorithm>
#include <map>

namespace softfeb::config {
namespace {

/// Checks the QPs that send to receivers with `ordering: any`.
class OrderingChecker {
 public:
  OrderingChecker(Reading& reading, const RunConfig& config) : reading_(reading), config_(config) {}

  void check(const QpConfig& qp) {
    const auto* to = std::get_if<ReceiverTarget>(&qp.to);
    if (to == nullptr) return;
    for (const std::size_t r : to->receivers) {
      if (config_.receivers[r].any_order) check(qp, r);
    }
    for (std::uint32_t i = 0; i < qp.count; ++i) ++qps_[to->receivers[i % to->receivers.size()]];
  }

  void check_numbers() {
    for (const auto& [r, qps] : qps_) {
      const ReceiverConfig& receiver = config_.receivers[r];
      if (!receiver.any_order || qps <= roce::UnorderedWrites::kMostQps) continue;
      reading_.problem(config_.place(receiver.where, "ordering"),
                       std::to_string(qps) + " queue pairs send to this receiver",
                       "use at most " + std::to_string(roce::UnorderedWrites::kMostQps) +
                           ", or several receivers, or remove `ordering: any`");
    }
  }

 private:
  void check(const QpConfig& qp, std::size_t r) {
    const auto problem = [&](const Where& section, const char* key, const std::string& what,
                             std::string fix) {
      reading_.problem(config_.place(section, key),
                       "receiver \"" + config_.receivers[r].endpoint.name + "\" has `ordering: any`, " + what,
                       std::move(fix));
    };
    if (qp.transport != roce::Transport::kUc)
      problem(qp.where, "transport", "but RC packets arrive in order", "write `transport: UC`");
    const std::uint64_t packets = (std::uint64_t{qp.traffic.message_size} + qp.pmtu - 1) / qp.pmtu;
    const std::uint32_t most = roce::UnorderedConfig{}.packets;
    if (packets > most) {
      problem(qp.traffic.where, "message_size",
              "whose messages have at most " + std::to_string(most) + " packets",
              "write at most " + std::to_string(std::uint64_t{most} * qp.pmtu) + "B");
    }
    const auto [first, added] = pmtu_.try_emplace(r, qp.pmtu);
    if (!added && first->second != qp.pmtu)
      problem(qp.where, "pmtu", "whose QPs have one path MTU", "write " + std::to_string(first->second));
  }

  Reading& reading_;
  const RunConfig& config_;
  std::map<std::size_t, std::uint32_t> pmtu_;  ///< path MTU by receiver
  std::map<std::size_t, std::uint64_t> qps_;   ///< number of QPs by receiver
};

}  // namespace

void check_ordering(Reading& reading, const RunConfig& config) {
  OrderingChecker checker(reading, config);
  for (const BoardConfig& board : config.boards) {
    for (const QpConfig& qp : board.qps) checker.check(qp);
  }
  checker.check_numbers();
}

}  // namespace softfeb::config

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu_times.hpp"
#include "event_receiver.hpp"
#include "out_file.hpp"
#include "port_counters.hpp"
#include "queue_pairs.hpp"
#include "receive_accounting.hpp"
#include "receives.hpp"
#include "registration_receiver.hpp"

#include <chrono>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::sink {

/// One session, from a client's hello to its report.
class Receiver {
 public:
  /// After construction, the queue pairs are in RTR and receives are posted. Throws Refusal or NoDevice.
  /// `device`, `options` and `event_file`, which may be null, must outlive this object.
  Receiver(const Device& device, const Options& options, const Hello& hello,
           eventfile::EventFile* event_file);

  nlohmann::json welcome() const;
  nlohmann::json status() const;

  /// Handles completions; returns false if there were none.
  bool poll();
  int completion_fd() const { return qps_.completions().fd(); }
  void rearm() { qps_.rearm(); }

  /// Posts `what.count` more receives on the selected queues (see Receives::post()), and returns
  /// `what.count`. Throws Refusal if they do not fit.
  std::uint32_t post(const PostReceives& what) { return receives_.post(what); }
  void on_async_event(const std::string& name);

  /// Ends the session and returns the report. `end` is null if the client disconnected. "held" in the report
  /// is true if all checks passed.
  nlohmann::json finish(const End* end);

 private:
  using Clock = std::chrono::steady_clock;
  struct Received {
    std::uint64_t messages = 0;  ///< number of completions
    std::uint64_t bytes = 0;     ///< number of payload bytes of these completions
  };

  void on_completion(const ibv_wc& wc);
  Time since_start() const;
  Time since_origin() const;  ///< time since the origin of the event builder's times
  void finish_qps(nlohmann::json& report, const End* end);
  void finish_events(nlohmann::json& report, const End* end);
  void finish_registration(nlohmann::json& report, const End* end);
  void report_states(nlohmann::json& report);
  /// Returns true if all QPs share one memory region.
  bool shares_memory() const { return event_receiver_ || registration_; }
  std::uint64_t completions() const;
  void settle(const End& end);
  std::optional<std::uint64_t> sent_on(std::size_t i, const End* end) const;
  void write_rest(std::size_t i, std::uint64_t sent);
  std::uint64_t out_offset(std::size_t i, std::uint64_t n) const;
  nlohmann::json report_qp(std::size_t i) const;
  void judge(std::size_t i, std::optional<std::uint64_t> sent);
  void add_rates(nlohmann::json& report, const End* end) const;
  void problem(std::string text);

  const Options& options_;
  Hello hello_;
  Gid gid_;
  Shares shares_;
  ExpectedPayload expected_;
  OutFile out_;
  QueuePairs qps_;
  Receives receives_;
  PortCounters counters_;
  CpuTimes cpu_;
  std::vector<ReceiveAccounting> accounting_;  ///< one for each QP; empty with --events or --registration
  std::optional<EventReceiver> event_receiver_;
  std::optional<RegistrationReceiver> registration_;
  Clock::time_point since_;  ///< start of the session
  /// Received messages of each QP; used only with --events or --registration.
  std::vector<Received> received_;
  std::unordered_map<std::uint32_t, std::size_t> index_of_;
  std::map<std::string, std::uint64_t> failed_;  ///< number of failed completions, by status
  /// Number of successful completions whose opcode is not IBV_WC_RECV_RDMA_WITH_IMM.
  std::uint64_t unexpected_ = 0;
  std::vector<std::string> events_;
  std::vector<std::string> problems_;
  Clock::time_point first_{};
  Clock::time_point last_{};
  std::uint64_t first_bytes_ = 0;
};

}  // namespace softfeb::sink

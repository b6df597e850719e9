// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "lab/conservation.hpp"
#include "latency/stage_table.hpp"
#include "stats/observers.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::endpoints {
class Targets;
}
namespace softfeb::runtime {
class DpdkRuntime;
}
namespace softfeb::stats {
struct Outcome;
}

/// lib/experiment runs an experiment from its configuration to its result. Begin with run_experiment.hpp, the
/// pipeline. phases.hpp defines the order of a run. A Driver carries out the run in real time
/// (real_driver.hpp) or in virtual time (virtual_driver.hpp). This folder may include every other library;
/// phases and virtual time need no DPDK.
namespace softfeb::experiment {

/// Counters of all endpoints at one moment. Boards come first, then receivers, each in the order of the
/// configuration.
struct Counters {
  std::vector<engine::EndpointSnapshot> endpoints;
  std::optional<fabric::NetworkSnapshot> network;  ///< set only if switches run in this process
};

/// Runs boards and receivers in real or virtual time. The constructor creates plans and endpoints. The calls
/// that follow are open(), begin(), pass() any number of times, stop_traffic(), flush() if needed, settle(),
/// and close(). All times are on the driver's clock.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual const endpoints::Plans& plans() const = 0;
  virtual const endpoints::Payloads& payloads() const = 0;
  /// The caller may use the endpoints only before open() and after close().
  virtual endpoints::Endpoints& endpoints() = 0;

  using Say = std::function<void(const std::string&)>;
  /// Opens the services that clients use during the run. Reports them to the user through `say`, which must
  /// outlive the driver. Returns the services' observers. Throws SocketError, PeerError.
  virtual std::vector<stats::Observer*> open(const Say& say) = 0;

  virtual Time now() const = 0;
  /// Starts traffic and returns its start time. From then on, pass() gives samples to `observers`, which must
  /// exist until the end of the run.
  virtual Time begin(stats::Observers& observers) = 0;

  enum class Until : std::uint8_t { kTime, kFinished };
  enum class Passed : std::uint8_t {
    kTime,      ///< `end` was reached
    kFinished,  ///< all boards have sent and completed everything
    kStopped,   ///< there have been more stop requests than allowed
  };
  /// Runs until `end`, until all boards have finished (kFinished), or until there have been more than
  /// `stop_requests` stop requests.
  virtual Passed pass(Time end, Until until, int stop_requests) = 0;
  /// Returns the number of stop requests so far.
  virtual int stop_requests() const = 0;
  /// True if all boards have sent and completed everything.
  virtual bool finished() const = 0;

  /// Called at the end of the warm-up, when the measured time begins.
  virtual void begin_measurement() {}
  /// Returns the counters of the endpoints, boards first, without a snapshot of the simulated network.
  virtual std::vector<engine::EndpointSnapshot> endpoint_counters() = 0;
  virtual Counters counters() = 0;
  /// Indexed like RunConfig::changes: 1 if the change has been applied to all its queue pairs.
  virtual std::vector<std::uint8_t> changes_made() const = 0;

  virtual void stop_traffic() = 0;
  /// Completes outstanding requests with an error.
  virtual void flush() = 0;
  /// Waits until packets in flight have reached the receivers, up to a time limit.
  virtual void settle() = 0;
  /// Closes the services opened by open(), and adds the driver's own results to the outcome.
  virtual void close(stats::Outcome& outcome) = 0;

  virtual bool virtual_time() const = 0;
  /// Number of events that the simulation has processed so far, as a measure of its speed; 0 in real time.
  virtual std::uint64_t events() const { return 0; }
  /// Returns the numbers of frames exchanged between the network and the host, and of frames lost between the
  /// network and its stations. Call after close().
  virtual lab::Edge network_edge(const stats::Outcome& outcome) const = 0;
  /// Returns further packet balances that must hold in this driver's run. Call after close().
  virtual std::vector<lab::Balance> balances() const { return {}; }
  /// Messages that tell the user whether the run kept up with its schedule. Call after close().
  virtual std::vector<std::string> remarks(const stats::Outcome&) const { return {}; }

  /// Returns the statistics so far of the times that messages took from stage to stage; null if these times
  /// are not recorded. The result is valid while the driver exists.
  virtual const latency::StageFigures* stages() { return nullptr; }
  /// Returns how each worker has spent its time since traffic began; null in virtual time.
  virtual const std::vector<dataplane::CpuTimes>* cpu_times() const { return nullptr; }

  /// Serves clients briefly. Call it regularly during long work on the control thread.
  virtual void serve() {}
  /// Shows the result on the live page.
  virtual void conclude(const std::string& /*verdict*/, const std::string& /*text*/) {}
  /// Keeps serving the live page until a signal arrives.
  virtual void hold_page() {}

  /// Sessions with remote receivers, and the DPDK runtime; null in virtual time.
  virtual const endpoints::Targets* targets() const { return nullptr; }
  virtual runtime::DpdkRuntime* dpdk() { return nullptr; }
};

}  // namespace softfeb::experiment

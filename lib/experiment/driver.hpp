// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "lab/conservation.hpp"
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

/// An experiment from its configuration to its result. Start reading at run_experiment.hpp, the pipeline;
/// phases.hpp is the order of a run; a Driver carries it out in real time (real_driver.hpp) or in virtual
/// time (virtual_driver.hpp). This folder may include every other library; phases and virtual time need no
/// DPDK.
namespace softfeb::experiment {

/// Counters of all endpoints at one moment: boards, then receivers, in the order of the configuration.
struct Counters {
  std::vector<engine::EndpointSnapshot> endpoints;
  std::optional<fabric::NetworkSnapshot> network;  ///< none without switches in this process
};

/// Runs boards and receivers, in one kind of time. Constructed, it has its plans and endpoints. Then: open(),
/// begin(), pass() as often as needed, stop_traffic(), flush() if needed, settle(), close(). All times are on
/// the driver's clock.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual const endpoints::Plans& plans() const = 0;
  virtual const endpoints::Payloads& payloads() const = 0;
  /// The caller may use them before open() and after close().
  virtual endpoints::Endpoints& endpoints() = 0;

  using Say = std::function<void(const std::string&)>;
  /// Opens what serves clients while the run goes on, and tells the user of it through `say`, which must live
  /// as long as the driver. Returns the observers that it brings along. Throws SocketError, PeerError.
  virtual std::vector<stats::Observer*> open(const Say& say) = 0;

  virtual Time now() const = 0;
  /// Starts traffic, and returns when it begins. pass() gives `observers` their samples from then on; it must
  /// outlive the run.
  virtual Time begin(stats::Observers& observers) = 0;

  enum class Until : std::uint8_t { kTime, kFinished };
  enum class Passed : std::uint8_t {
    kTime,      ///< the time is over
    kFinished,  ///< no board has anything left to send or to complete
    kStopped,   ///< more than the allowed number of signals asked to stop
  };
  /// Lets time pass until `end` or, with kFinished, until all boards are finished, or until more than
  /// `stop_requests` requests to stop have come.
  virtual Passed pass(Time end, Until until, int stop_requests) = 0;
  /// Requests to stop so far.
  virtual int stop_requests() const = 0;
  /// No board has anything left to send or to complete.
  virtual bool finished() const = 0;

  /// Counters of the endpoints alone, boards first.
  virtual std::vector<engine::EndpointSnapshot> endpoint_counters() = 0;
  virtual Counters counters() = 0;
  /// Indexed like RunConfig::changes: 1 if the change is in force on all its queue pairs.
  virtual std::vector<std::uint8_t> changes_made() const = 0;

  virtual void stop_traffic() = 0;
  /// Completes outstanding requests with an error.
  virtual void flush() = 0;
  /// Waits for packets that are still under way to the receivers.
  virtual void settle() = 0;
  /// Ends what serves clients, and adds to the outcome what only the driver knows.
  virtual void close(stats::Outcome& outcome) = 0;

  virtual bool virtual_time() const = 0;
  /// Steps of virtual time so far, the measure of simulation speed; 0 in real time.
  virtual std::uint64_t events() const { return 0; }
  /// Frames that pass between the network and anything but its stations. After close().
  virtual lab::Edge network_edge(const stats::Outcome& outcome) const = 0;
  /// Further balances that must hold. After close().
  virtual std::vector<lab::Balance> balances() const { return {}; }
  /// Remarks on how well the run kept up, for the user. After close().
  virtual std::vector<std::string> remarks(const stats::Outcome&) const { return {}; }

  /// Serves clients for a moment, while something else keeps the caller busy.
  virtual void serve() {}
  /// Shows the result to those who look at the live page.
  virtual void conclude(const std::string& /*verdict*/, const std::string& /*text*/) {}
  /// Keeps serving the live page until a signal comes.
  virtual void hold_page() {}

  /// Sessions with remote receivers, and the DPDK runtime; null in virtual time.
  virtual const endpoints::Targets* targets() const { return nullptr; }
  virtual runtime::DpdkRuntime* dpdk() { return nullptr; }
};

}  // namespace softfeb::experiment

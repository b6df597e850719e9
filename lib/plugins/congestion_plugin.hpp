// SPDX-License-Identifier: BSD-3-Clause
// Interface for congestion control plug-ins of softfeb, version 2. This is the only header that a plug-in
// needs. It is installed as <softfeb/congestion_plugin.hpp>. The tutorial is doc/congestion.md.
//
//     class Mine final : public softfeb_plugin::Control { … };
//     SOFTFEB_CONGESTION_PLUGIN(Mine, {.name = "mine", .summary = "…", …})
//
// Compile it with C++20 and the compiler family that built softfeb:
//     g++ -std=c++20 -O2 -fPIC -shared mine.cpp -o mine.so
// and write `congestion: {plugin: ./mine.so}` in a configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>

namespace softfeb_plugin {

/// Incremented with every change that makes old plug-ins unusable. softfeb refuses plug-ins with another
/// version.
inline constexpr std::uint32_t kVersion = 2;

/// Picoseconds since the start of the run's clock.
using Time = std::uint64_t;
inline constexpr Time kNever = UINT64_MAX;
inline constexpr Time kMicrosecond = 1'000'000, kMillisecond = 1'000 * kMicrosecond;

/// A rate or a window with this value is unlimited.
inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// A credit of kNoCredit means that there is no limit. A priority of kNoPriority means that the packet keeps
/// the queue pair's own DSCP.
inline constexpr std::uint64_t kNoCredit = UINT64_MAX;
inline constexpr std::uint8_t kNoPriority = UINT8_MAX;

/// Bits that select which functions of a control softfeb calls. A function whose bit is not set costs
/// nothing. The last four bits require kAcks, and a control object for each queue pair.
enum Events : std::uint32_t {
  kAcks = 1U << 0,        ///< calls ack(); needs reliable queue pairs (RC)
  kNaks = 1U << 1,        ///< calls nak()
  kCnps = 1U << 2,        ///< calls cnp()
  kSends = 1U << 3,       ///< calls sent()
  kTimer = 1U << 4,       ///< calls timer() at the time that timer_at() returns
  kPosts = 1U << 5,       ///< calls posted()
  kCredit = 1U << 6,      ///< calls credit() before packets leave
  kPriorities = 1U << 7,  ///< calls priority() for each packet
  kRanks = 1U << 8,       ///< calls rank(); the board serves queue pairs with the lowest rank first
};

/// An acknowledgement of packets that were not acknowledged before. Bytes are counted from BTH through pad.
struct Ack {
  Time rtt = 0;  ///< round-trip time of the acknowledged packet; 0 means that there is no valid sample
  std::uint64_t bytes = 0;
  std::uint32_t packets = 0;
  std::uint64_t acked = 0;  ///< number of packets acknowledged so far
  std::uint64_t sent = 0;   ///< number of packets sent so far
  Time remote_delay = 0;    ///< time for which the receiver held the packet; 0 if unknown
  /// Identifies the path: XOR of the identifiers of the switches that `hops` counts.
  std::uint16_t path = 0;
  /// Number of switches on the path that incremented the packet's hop count; 0 if unknown.
  std::uint8_t hops = 0;
  std::uint8_t header_size = 0;          ///< size of `header` in bytes
  const std::uint8_t* header = nullptr;  ///< the plug-in's own header fields, as the receiver returned them
};

/// Reason why packets will be sent again.
enum class Nak : std::uint8_t { kSequence, kReceiverNotReady, kTimeout };

/// Controls one queue pair, or several queue pairs that share the control (configuration key `scope`).
/// softfeb calls the functions of a control from one thread only, in order of time. No function may allocate
/// memory, wait, or make a system call, because each call delays packets. If a function other than counters()
/// throws an exception, softfeb stops the queue pairs of the control and reports the exception's message.
class Control {
 public:
  virtual ~Control() = default;

  virtual void start(Time /*now*/) {}
  /// Called when a packet of `bytes` bytes left at `now`.
  virtual void sent(std::uint32_t /*bytes*/, Time /*now*/) {}
  virtual void ack(const Ack& /*ack*/, Time /*now*/) {}
  virtual void nak(Nak /*nak*/, Time /*now*/) {}
  virtual void cnp(Time /*now*/) {}
  virtual void timer(Time /*now*/) {}
  /// Time at which to call timer(); kNever means: do not call it.
  virtual Time timer_at() const { return kNever; }

  /// Rate in bytes per second, at least 1. Packets leave evenly spaced.
  virtual double rate() const { return kUnlimited; }
  /// Number of bytes that may be in flight. Must be at least the size of a packet of the path MTU.
  virtual double window() const { return kUnlimited; }

  /// Called when the queue pair's next message, of `length` payload bytes, was posted. `order` is the
  /// position of the message in the order in which the board's messages were posted.
  virtual void posted(std::uint32_t /*length*/, std::uint64_t /*order*/, Time /*now*/) {}
  /// Packets with numbers below the returned value may leave; `packet` is the number of the next packet.
  /// Packets are numbered from 0 across messages. The value must never decrease. If no packet is in flight
  /// and no timer is set, no event would ever raise the value; it must then be above `packet`.
  virtual std::uint64_t credit(std::uint64_t /*packet*/) const { return kNoCredit; }
  /// Level of packet number `packet`, which leaves now: 0 (lowest) to 7, sent as DSCP 8 · level. Also called
  /// when a packet is sent again.
  virtual std::uint8_t priority(std::uint64_t /*packet*/) { return kNoPriority; }
  /// Rank of the queue pair among the queue pairs of its board that are ready to send. `packet` is the number
  /// of its next packet.
  virtual std::uint64_t rank(std::uint64_t /*packet*/) const { return 0; }

  /// Sets new values of the parameters, in the order of the description. The values apply from `now` on.
  virtual void parameters(const double* values, Time now) = 0;

  /// Writes the plug-in's own header fields of a request, at most `room` (56) bytes, and returns the number
  /// of bytes written. Called only if the description has a `header_profile`, and the board has
  /// `cc_header: on`.
  virtual std::size_t write_header(std::uint8_t* /*out*/, std::size_t /*room*/, Time /*now*/) { return 0; }

  /// Writes the values of the counters, in the order of the description, for telemetry.
  virtual void counters(double* /*out*/) const {}

 protected:
  Control() = default;
  Control(const Control&) = default;
  Control& operator=(const Control&) = default;
};

/// Unit of a parameter, which determines its notation in a configuration.
enum class Unit : std::uint8_t {
  kReal,    ///< a number
  kCount,   ///< a whole number
  kSwitch,  ///< true or false, as 1 or 0
  kRate,    ///< bytes per second; written like 10Gb/s
  kTime,    ///< picoseconds; written like 50us
  kSize,    ///< bytes; written like 16KiB
};

struct Parameter {
  const char* name;  ///< configuration key: lower-case letters, digits and underscores
  Unit unit;
  double lowest;
  double highest;
  double initial;    ///< default value
  const char* text;  ///< meaning of the parameter, in one line
};

/// A number that telemetry shows.
struct Counter {
  const char* name;  ///< lower-case letters, digits and underscores
  const char* text;
};

/// Facts about the path of a queue pair.
struct Path {
  double line_rate;    ///< rate of the board's link, in bytes per second on the wire
  std::uint32_t pmtu;  ///< path MTU, bytes
};

inline constexpr std::size_t kMostParameters = 64, kMostCounters = 8;

/// A list of parameters or counters. Stores copies in an array, so that it needs no allocation.
template <typename T, std::size_t Most>
struct List {
  T items[Most]{};
  std::size_t count = 0;

  constexpr List() = default;
  constexpr List(std::initializer_list<T> list) {
    for (const T& item : list) items[count++] = item;  // does not compile if there are too many elements
  }
};

/// The description of a plug-in, which SOFTFEB_CONGESTION_PLUGIN initializes.
struct Description {
  const char* name;     ///< lower-case letters, digits and underscores
  const char* summary;  ///< description in one line
  std::uint32_t events = 0;
  /// Bytes between two packets that request an acknowledgement; 0 if every packet requests one. Used only
  /// with kAcks.
  std::uint32_t ack_spacing = 0;
  /// 0xf0 to 0xff if the plug-in has header fields of its own, otherwise 0.
  std::uint8_t header_profile = 0;
  List<Parameter, kMostParameters> parameters{};
  List<Counter, kMostCounters> counters{};
};

/// The object that softfeb looks up in a plug-in, as the symbol `softfeb_congestion_plugin`.
struct Plugin {
  std::uint32_t version;
  /// Must be sizeof(Description). Serves to detect a compiler that uses a different layout.
  std::uint32_t description_size;
  Description description;
  std::size_t control_size;
  std::size_t control_alignment;
  /// Constructs a control at `place`. `values` contains the values of the parameters.
  Control* (*make)(void* place, const double* values, const Path& path);
};

template <class C>
constexpr Plugin plugin_of(const Description& description) {
  return {kVersion,
          sizeof(Description),
          description,
          sizeof(C),
          alignof(C),
          [](void* place, const double* values, const Path& path) -> Control* {
            return new (place) C(values, path);
          }};
}

}  // namespace softfeb_plugin

/// Defines the plug-in. `Class` is derived from softfeb_plugin::Control and has a constructor
/// (const double* values, const softfeb_plugin::Path& path). The remaining arguments are the initializer of a
/// Description.
#define SOFTFEB_CONGESTION_PLUGIN(Class, ...)                                                            \
  extern "C" [[gnu::visibility("default")]] constexpr softfeb_plugin::Plugin softfeb_congestion_plugin = \
      softfeb_plugin::plugin_of<Class>(softfeb_plugin::Description __VA_ARGS__);

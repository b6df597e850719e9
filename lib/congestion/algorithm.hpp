// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::congestion {

/// Unit of a parameter, which determines its notation in a configuration. kClocks and kWord are for the
/// parameters of DCQCN (dcqcn/fields.hpp) only.
enum class Unit : std::uint8_t {
  kReal,    ///< a number without a unit
  kCount,   ///< a whole number
  kSwitch,  ///< 0 or 1
  kRate,    ///< bytes per second
  kTime,    ///< picoseconds
  kSize,    ///< bytes
  kClocks,  ///< clocks of 6.4 ns
  kWord,    ///< index into Field::words, the list of allowed words
};

/// A parameter of an algorithm. Its values are numbers in the unit `unit`. If `unit` is not kReal, they are
/// whole numbers.
struct Parameter {
  std::string_view name;  ///< configuration key
  Unit unit = Unit::kReal;
  double lowest = 0;
  double highest = 0;
  std::string_view text;  ///< meaning, in one line
};

/// Values of an algorithm's parameters, in the order of Algorithm::parameters().
using ParameterValues = std::vector<double>;

/// Properties of a queue pair's path that determine default values.
struct PathFacts {
  std::uint64_t line_rate = 1'250'000'000;  ///< rate of the board's link, in bytes per second on the wire
  std::uint32_t pmtu = 4096;                ///< bytes
  std::uint32_t overhead = 82;              ///< bytes of a packet on the wire, without its payload
  /// Number of messages that the send queue can hold (posted and not yet acknowledged).
  std::uint32_t messages = 18;
};

/// Requirements of an algorithm, as a combination of the bits below.
using Needs = std::uint8_t;
inline constexpr Needs kNeedsAcks = 1U << 0;        ///< requires a reliable queue pair (RC)
inline constexpr Needs kNeedsIntRecords = 1U << 1;  ///< requires switches that write INT records
inline constexpr Needs kNeedsGrants = 1U << 2;      ///< requires a receiver that sends grants
/// Requires a CongestionControl object for each queue pair. Queue pairs cannot share an object, so a
/// configuration must set `scope` to `qp`.
inline constexpr Needs kNeedsOwnQp = 1U << 3;

/// Result of a change of parameters.
enum class Change : std::uint8_t {
  kMade,
  kNone,     ///< the parameters already had these values
  kRefused,  ///< the CongestionControl object is of a different algorithm
};

/// A congestion control algorithm that a configuration can name: describes its parameters and makes its
/// CongestionControl objects. Immutable; all threads may share one Algorithm object.
class Algorithm {
 public:
  /// A value that contradicts the value of another parameter. `text` is the end of the error message, after
  /// "`name` is VALUE, ".
  struct Conflict {
    std::size_t parameter;  ///< index in parameters()
    std::string text;       ///< e.g. "above `t_high`"
    std::string fix;        ///< e.g. "write at most 500us"
  };

  virtual ~Algorithm() = default;

  /// Returns the name of the algorithm in configurations and results.
  virtual std::string_view name() const = 0;
  /// One-line description for help texts and tables.
  virtual std::string_view summary() const = 0;
  virtual std::span<const Parameter> parameters() const = 0;
  virtual ParameterValues defaults(const PathFacts& path) const = 0;
  /// Returns a conflict between values that are within their bounds, if there is one.
  virtual std::optional<Conflict> conflict(std::span<const double> values) const = 0;

  /// Returns the hooks and needs of every object that make() returns.
  virtual Hooks hooks() const = 0;
  virtual Needs needs() const = 0;
  /// Profile of the congestion control header in the queue pair's requests, if the board sends such headers:
  /// 1 for delay, 2 for INT records, 0xf0…0xff for user-defined fields, 0 for none.
  virtual std::uint8_t header_profile() const { return 0; }
  /// True if change() can change parameters. False if sender and receiver must have the same parameters.
  virtual bool changeable() const { return true; }
  /// Size in bytes of a CongestionControl object of this algorithm.
  virtual std::size_t bytes(const PathFacts& path) const = 0;
  /// Constructs a CongestionControl object at `place`, where bytes(path) bytes, aligned to a cache line, must
  /// be available. The values must be within their bounds and must not conflict.
  virtual CongestionControl* make(void* place, std::span<const double> values,
                                  const PathFacts& path) const = 0;
  /// Sets the parameters of `control` to `values`, from `now` on.
  virtual Change change(CongestionControl& control, std::span<const double> values, Time now) const = 0;

 protected:
  Algorithm() = default;
  Algorithm(const Algorithm&) = default;
  Algorithm& operator=(const Algorithm&) = default;
};

/// Algorithms of this library, in the same order as in the documentation: timely, patched_timely, swift,
/// hpcc, homa.
std::span<const Algorithm* const> algorithms();
/// Returns the algorithm of this library with this name; null if there is none.
const Algorithm* find_algorithm(std::string_view name);

/// An algorithm with values for its parameters.
struct AlgorithmSettings {
  const Algorithm* algorithm = nullptr;  ///< not null; must outlive every object that it makes
  ParameterValues values;
  PathFacts path;
};

}  // namespace softfeb::congestion

// SPDX-License-Identifier: BSD-3-Clause
// Helpers to describe an algorithm of this library: a table of its parameters, and an Algorithm that is based
// on this table. Private to lib/congestion.
#pragma once

#include "congestion/algorithm.hpp"

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::congestion {

inline constexpr double kHighestRate = 125e9;                       // 1 Tb/s
inline constexpr auto kHighestTime = static_cast<double>(kSecond);  // longer than any RTT or timer
// Minimum, in ps, of time parameters that must not be 0, for example because they are divisors.
inline constexpr auto kLeastTime = 1.0;
inline constexpr double kHighestCount = 1'000'000;
inline constexpr double kHighestSize = 1U << 30;

/// A parameter, and how to read and write it in the algorithm's struct.
template <class P>
struct Field : Parameter {
  double (*get)(const P&) = nullptr;
  void (*set)(P&, double) = nullptr;
};

template <auto Member>
struct Access;

template <class P, class V, V P::*Member>
struct Access<Member> {
  using Struct = P;
  static double get(const P& p) { return static_cast<double>(p.*Member); }
  static void set(P& p, double value) { p.*Member = static_cast<V>(value); }
};

template <auto Member>
constexpr auto field(const Parameter& parameter) {
  using A = Access<Member>;
  return Field<typename A::Struct>{parameter, A::get, A::set};
}

template <auto Member>
constexpr auto rate(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kRate, lowest, kHighestRate, text});
}
template <auto Member>
constexpr auto time(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kTime, lowest, kHighestTime, text});
}
template <auto Member>
constexpr auto count(std::string_view name, double lowest, double highest, std::string_view text) {
  return field<Member>({name, Unit::kCount, lowest, highest, text});
}
template <auto Member>
constexpr auto real(std::string_view name, double lowest, double highest, std::string_view text) {
  return field<Member>({name, Unit::kReal, lowest, highest, text});
}
template <auto Member>
constexpr auto size(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kSize, lowest, kHighestSize, text});
}

/// Two parameters: the value of `low` must not exceed the value of `high`.
struct Ordered {
  std::string_view low;
  std::string_view high;
  bool strictly = false;  ///< if true, the two must not be equal either
};
/// An algorithm whose CongestionControl objects are of class `Control`, with parameters `P`.
template <class Control, class P>
class BuiltIn final : public Algorithm {
 public:
  struct Facts {
    std::string_view name;
    std::string_view summary;
    std::span<const Field<P>> fields;
    std::span<const Ordered> order;
    void (*set_defaults)(P&, const PathFacts&);
    Needs needs;
    std::uint8_t profile = 0;
    P initial{};
  };

  explicit BuiltIn(const Facts& facts)
      : facts_(facts), parameters_(facts.fields.begin(), facts.fields.end()), hooks_(Control().hooks()) {}

  std::string_view name() const override { return facts_.name; }
  std::string_view summary() const override { return facts_.summary; }
  std::span<const Parameter> parameters() const override { return parameters_; }
  Hooks hooks() const override { return hooks_; }
  Needs needs() const override { return facts_.needs; }
  std::uint8_t header_profile() const override { return facts_.profile; }
  std::size_t bytes(const PathFacts&) const override { return sizeof(Control); }

  ParameterValues defaults(const PathFacts& path) const override {
    P p = facts_.initial;
    facts_.set_defaults(p, path);
    ParameterValues values;
    for (const auto& f : facts_.fields) values.push_back(f.get(p));
    return values;
  }
  std::optional<Conflict> conflict(std::span<const double> values) const override {
    for (const Ordered& o : facts_.order) {
      const std::size_t low = index(o.low), high = index(o.high);
      if (values[low] < values[high] || (values[low] == values[high] && !o.strictly)) continue;
      const std::string other = '`' + std::string(o.high) + '`';
      return Conflict{low, (o.strictly ? "not below " : "above ") + other,
                      "write a smaller `" + std::string(o.low) + "` or a larger " + other};
    }
    return std::nullopt;
  }
  CongestionControl* make(void* place, std::span<const double> values, const PathFacts&) const override {
    return new (place) Control(parameters_of(values));
  }
  Change change(CongestionControl& control, std::span<const double> values, Time now) const override {
    auto* const c = dynamic_cast<Control*>(&control);
    if (c == nullptr) return Change::kRefused;
    const P p = parameters_of(values);
    if (c->parameters() == p) return Change::kNone;
    c->set_parameters(p, now);
    return Change::kMade;
  }

 private:
  std::size_t index(std::string_view name) const {
    std::size_t i = 0;
    while (parameters_[i].name != name) ++i;
    return i;
  }
  P parameters_of(std::span<const double> values) const {
    P p = facts_.initial;
    for (std::size_t i = 0; i < facts_.fields.size(); ++i) facts_.fields[i].set(p, values[i]);
    return p;
  }

  Facts facts_;
  std::vector<Parameter> parameters_;
  Hooks hooks_;
};

}  // namespace softfeb::congestion

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/congestion_control.hpp"
#include "congestion/rate_pacer.hpp"
#include "plugins/congestion_plugin.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace softfeb::plugins {

/// Data that all controls of one plug-in share.
struct PluginFacts {
  const softfeb_plugin::Plugin* plugin = nullptr;
  /// Names of the counters, as in the plug-in's description.
  const congestion::Parameter* counters = nullptr;
  /// Stores a message until the process ends, and returns it. May be called by any thread.
  std::function<const char*(const std::string&)> keep;
};

/// Adapts a plug-in's control to the engine's interface. Paces packets at the plug-in's rate. Hides the
/// plug-in's exceptions and invalid results from the engine: after the first exception or invalid result,
/// failed() is true and no more packets leave. Exceptions of counters() are ignored.
class alignas(64) PluginControl final : public congestion::CongestionControl {
 public:
  /// Constructs the plug-in's control in the memory after this object. Both together occupy
  /// control_bytes(plugin) bytes.
  PluginControl(const PluginFacts& facts, std::span<const double> values, const softfeb_plugin::Path& path);
  PluginControl(const PluginControl&) = delete;
  PluginControl& operator=(const PluginControl&) = delete;
  ~PluginControl() override;

  /// Size in bytes of a PluginControl with the plug-in's control after it.
  static std::size_t control_bytes(const softfeb_plugin::Plugin& plugin);
  static congestion::Hooks hooks_of(const softfeb_plugin::Plugin& plugin);

  std::uint32_t ack_spacing() const override { return facts_->plugin->description.ack_spacing; }
  std::size_t memory() const override { return control_bytes(*facts_->plugin); }
  congestion::CongestionState state(Time now) const override;
  std::size_t write_header(std::span<std::uint8_t> out, Time now) override;

  const softfeb_plugin::Plugin* plugin() const { return facts_->plugin; }
  void set_parameters(std::span<const double> values, Time now);

 private:
  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_start(Time now) override;
  void on_sent(std::uint32_t bytes, Time now) override;
  void on_ack(const congestion::Ack& ack, Time now) override;
  void on_nak(congestion::Nak nak, Time now) override;
  void on_cnp(Time now) override;
  Time timer_at() const override { return timer_; }
  void on_timer(Time now) override;
  std::uint64_t find_window() const override { return window_; }
  void on_posted(std::uint32_t length, std::uint64_t order, Time now) override;
  std::uint64_t find_credit(std::uint64_t packet) const override;
  std::uint8_t choose_priority(std::uint64_t packet) override;
  std::uint64_t find_rank(std::uint64_t packet) const override;

  template <typename Call>
  void guarded(const char* what, Call&& call);
  void adopt_answers(Time now);
  /// Used by const functions that call the plug-in. These functions do not change any visible state, except
  /// that an invalid answer from the plug-in makes the control fail.
  PluginControl& self() const { return const_cast<PluginControl&>(*this); }
  void fail(const std::string& message);

  const PluginFacts* facts_;
  softfeb_plugin::Control* control_ = nullptr;
  congestion::RatePacer pacer_;
  bool paced_ = false;
  std::uint32_t packet_;  ///< size of a full packet, in bytes from BTH through pad
  std::uint64_t window_ = kNoWindow;
  Time timer_ = kNever;
  Time rtt_ = 0;             ///< last RTT sample
  std::uint64_t acked_ = 0;  ///< number of packets acknowledged
  const char* failure_ = nullptr;
};

}  // namespace softfeb::plugins

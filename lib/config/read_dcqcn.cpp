// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"

namespace softfeb::config {
namespace {

/// Parses a number of firmware clocks, or a time, which is rounded up to whole clocks.
auto clocks(std::uint64_t highest) {
  return [highest](const std::string& text) -> Parsed<std::uint64_t> {
    std::uint64_t n = 0;
    if (text.find_first_not_of("0123456789") == std::string::npos) {
      const auto number = parse_integer(text, 0, UINT64_MAX);
      if (!number.value) return {number.message, number.fix};
      n = *number.value;
    } else {
      const auto time = parse_time(text);
      if (!time.value) return {time.message, time.fix};
      n = (*time.value + kFirmwareClock - 1) / kFirmwareClock;
    }
    if (n > highest) {
      return {text + " exceeds the register's range",
              "write at most " + std::to_string(highest) + " clocks of 6.4 ns"};
    }
    return n;
  };
}

/// Reads a key that also has a vendor's name as alias.
template <class T, class Parse>
void read_named(Section& s, const char* key, const char* alias, T& out, Parse parse) {
  const bool given = s.read(key, out, parse);
  if (s.read(alias, out, parse) && given) {
    s.reading().problem(s.find(alias)->where, std::string("is an alias of `") + key + '`',
                        "remove one of the two");
  }
}

void read_bucket(Section& s, dcqcn::BucketConfig& bucket) {
  s.read("bucket", bucket.size, [](const std::string& text) -> Parsed<std::uint64_t> {
    auto size = parse_size(text);
    if (size.value && (*size.value < 4160 || *size.value > (1U << 30))) {
      return {text + ": the bucket must hold one packet and be at most 1GiB", "write 5KiB to 1GiB"};
    }
    return size;
  });
  s.read("bucket_start", bucket.start_full, choices::kBucketStart);
}

/// Parses a rate for one of the firmware's 32-bit registers.
Parsed<std::uint64_t> register_bandwidth(const std::string& text) {
  auto rate = parse_bandwidth(text);
  if (rate.value && *rate.value > UINT32_MAX)
    return {text + " exceeds the register's range", "write at most 34Gb/s"};
  return rate;
}

void read_firmware(Section& s, dcqcn::FirmwareParameters& p) {
  s.read("alpha_g", p.alpha_g, integer(0, 1023));
  s.read("dec_gain", p.dec_gain, integer(0, 15));
  s.read("time_stage_threshold", p.time_stage_threshold, integer(0, 255));
  s.read("clamp_tgt_rate", p.clamp_tgt_rate, parse_bool);
  s.read("dcqcn_bypass", p.dcqcn_bypass, parse_bool);
  s.read("rate_dec_interval", p.rate_dec_interval, clocks(0xffff));
  s.read("alpha_upd_interval", p.alpha_upd_interval, clocks(0xffff));
  s.read("rate_inc_interval", p.rate_inc_interval, clocks(0xffff'ffff));
  s.read("rai", p.rai, register_bandwidth);
  s.read("rhai", p.rhai, register_bandwidth);
  s.read("rmin", p.rmin, register_bandwidth);
}

void read_build(Section& s, dcqcn::FirmwareSettings& f) {
  std::uint64_t width = 32;
  s.read("width", width, [](const std::string& text) -> Parsed<std::uint64_t> {
    if (text == "32" || text == "64") return std::uint64_t{text == "32" ? 32U : 64U};
    return {text + " is not a register width", "write 32 (like the firmware) or 64"};
  });
  f.build.wrap32 = width == 32;
  if (width == 64) f.bucket.arithmetic = dcqcn::BucketArithmetic::kExact;
  if (s.read("line_rate", f.build.line_rate, parse_bandwidth) && f.build.wrap32 &&
      f.build.line_rate > UINT32_MAX) {
    s.reading().problem(s.find("line_rate")->where, "exceeds the firmware's 32-bit registers (34 Gb/s)",
                        "write `width: 64`, or a lower rate");
  }
}

void read_paper(Section& s, dcqcn::PaperParameters& p) {
  read_named(s, "line_rate", "rpg_max_rate", p.line_rate, parse_bandwidth);
  read_named(s, "min_rate", "rpg_min_rate", p.min_rate, parse_bandwidth);
  read_named(s, "one_minus_g", "dce_tcp_g", p.one_minus_g, integer(0, 1024));
  read_named(s, "initial_alpha", "initial_alpha_value", p.initial_alpha, integer(0, 1024));
  s.read("alpha_update", p.alpha_update, choices::kAlphaUpdate);
  read_named(s, "alpha_interval", "dce_tcp_rtt", p.alpha_interval, parse_time);
  read_named(s, "increase_timer", "rpg_time_reset", p.increase_timer, parse_time);
  read_named(s, "byte_counter", "rpg_byte_reset", p.byte_counter, parse_size);
  read_named(s, "fast_recovery_steps", "rpg_threshold", p.fast_recovery_steps, integer(0, 255));
  read_named(s, "additive_step", "rpg_ai_rate", p.additive_step, parse_bandwidth);
  read_named(s, "hyper_step", "rpg_hai_rate", p.hyper_step, parse_bandwidth);
  read_named(s, "decrease_interval", "rate_reduce_monitor_period", p.decrease_interval, parse_time);
  read_named(s, "gd", "rpg_gd", p.gd, integer(0, 20));
  read_named(s, "min_decrease_factor", "rpg_min_dec_fac", p.min_decrease_factor, integer(0, 100));
  read_named(s, "clamp_target_rate", "clamp_tgt_rate", p.clamp_target_rate, parse_bool);
  read_named(s, "clamp_target_rate_after_timer", "clamp_tgt_rate_after_time_inc",
             p.clamp_target_rate_after_timer, parse_bool);
  read_named(s, "rate_on_first_cnp", "rate_to_set_on_first_cnp", p.rate_on_first_cnp, parse_bandwidth);
}

/// Checks that the minimum rate after a cut does not exceed the line rate. Either may be a default.
void check_least(Section& s, const char* name, const char* alias, std::uint64_t least,
                 std::uint64_t line_rate) {
  if (least <= line_rate) return;
  const Node* node = nullptr;
  for (const char* key : {name, alias, "line_rate", "rpg_max_rate"})
    node = node != nullptr ? node : s.find(key);
  const std::string line = format_bandwidth(line_rate);
  s.reading().problem(node->where,
                      "a cut would raise the rate: `" + std::string(name) + "` is " +
                          format_bandwidth(least) + ", above the line rate " + line,
                      "write `" + std::string(name) + "` of at most " + line + ", or a higher `line_rate`");
}

void check_rates(Section& s, const DcqcnConfig& d) {
  if (d.algorithm == DcqcnConfig::Algorithm::kFirmware)
    check_least(s, "rmin", "rmin", d.firmware.parameters.rmin, d.firmware.build.line_rate);
  if (d.algorithm == DcqcnConfig::Algorithm::kPaper) {
    check_least(s, "min_rate", "rpg_min_rate", d.paper.parameters.min_rate, d.paper.parameters.line_rate);
  }
}

/// off | firmware | paper | connectx
void choose(DcqcnConfig& d, choices::DcqcnName name) {
  d.algorithm = name == choices::DcqcnName::kOff        ? DcqcnConfig::Algorithm::kOff
                : name == choices::DcqcnName::kFirmware ? DcqcnConfig::Algorithm::kFirmware
                                                        : DcqcnConfig::Algorithm::kPaper;
  if (name == choices::DcqcnName::kConnectX) {
    d.paper.parameters = dcqcn::connectx_parameters(d.paper.parameters.line_rate);
  }
}

}  // namespace

std::optional<DcqcnConfig> read_dcqcn(Section& parent) {
  const Node* node = parent.find("dcqcn");
  if (node == nullptr) return std::nullopt;
  DcqcnConfig d;
  d.where = node->where;
  choices::DcqcnName name = choices::DcqcnName::kFirmware;
  if (node->kind != Node::Kind::kMap) {
    if (parent.scalar(*node, name, choices::kDcqcn)) choose(d, name);
    return d;
  }
  Section s(parent.reading(), *node, parent.pattern("dcqcn"));
  s.require("algorithm", name, choices::kDcqcn, "firmware");
  choose(d, name);
  s.read("scope", d.scope, choices::kDcqcnScope);
  if (d.algorithm == DcqcnConfig::Algorithm::kFirmware) {
    read_bucket(s, d.firmware.bucket);
    read_build(s, d.firmware);
  } else if (d.algorithm == DcqcnConfig::Algorithm::kPaper) {
    read_bucket(s, d.paper.bucket);
  }
  read_dcqcn_parameters(s, d);
  check_rates(s, d);
  s.close();
  return d;
}

void read_dcqcn_parameters(Section& s, DcqcnConfig& d) {
  if (d.algorithm == DcqcnConfig::Algorithm::kFirmware) read_firmware(s, d.firmware.parameters);
  if (d.algorithm == DcqcnConfig::Algorithm::kPaper) read_paper(s, d.paper.parameters);
}

}  // namespace softfeb::config

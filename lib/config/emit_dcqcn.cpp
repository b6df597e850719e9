// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

void emit_bucket(Json& json, const dcqcn::BucketConfig& bucket) {
  json["bucket"] = format_size(bucket.size);
  json["bucket_start"] = choices::kBucketStart.name(bucket.start_full);
}

void emit_firmware(Json& json, const dcqcn::FirmwareSettings& f) {
  const dcqcn::FirmwareParameters& p = f.parameters;
  emit_bucket(json, f.bucket);
  json["line_rate"] = format_bandwidth(f.build.line_rate);
  json["width"] = f.build.wrap32 ? 32 : 64;
  json["alpha_g"] = p.alpha_g;
  json["dec_gain"] = p.dec_gain;
  json["time_stage_threshold"] = p.time_stage_threshold;
  json["clamp_tgt_rate"] = p.clamp_tgt_rate;
  json["dcqcn_bypass"] = p.dcqcn_bypass;
  json["rate_dec_interval"] = p.rate_dec_interval;
  json["alpha_upd_interval"] = p.alpha_upd_interval;
  json["rate_inc_interval"] = p.rate_inc_interval;
  json["rai"] = format_bandwidth(p.rai);
  json["rhai"] = format_bandwidth(p.rhai);
  json["rmin"] = format_bandwidth(p.rmin);
}

void emit_paper(Json& json, const dcqcn::PaperSettings& profile) {
  const dcqcn::PaperParameters& p = profile.parameters;
  emit_bucket(json, profile.bucket);
  json["line_rate"] = format_bandwidth(p.line_rate);
  json["min_rate"] = format_bandwidth(p.min_rate);
  json["one_minus_g"] = p.one_minus_g;
  json["initial_alpha"] = p.initial_alpha;
  json["alpha_update"] = choices::kAlphaUpdate.name(p.alpha_update);
  json["alpha_interval"] = format_time(p.alpha_interval);
  json["increase_timer"] = format_time(p.increase_timer);
  json["byte_counter"] = format_size(p.byte_counter);
  json["fast_recovery_steps"] = p.fast_recovery_steps;
  json["additive_step"] = format_bandwidth(p.additive_step);
  json["hyper_step"] = format_bandwidth(p.hyper_step);
  json["decrease_interval"] = format_time(p.decrease_interval);
  json["gd"] = p.gd;
  json["min_decrease_factor"] = p.min_decrease_factor;
  json["clamp_target_rate"] = p.clamp_target_rate;
  json["clamp_target_rate_after_timer"] = p.clamp_target_rate_after_timer;
  if (p.rate_on_first_cnp != 0) json["rate_on_first_cnp"] = format_bandwidth(p.rate_on_first_cnp);
}

}  // namespace

Json emit_dcqcn(const DcqcnConfig& d) {
  if (d.algorithm == DcqcnConfig::Algorithm::kOff) return "off";
  const bool firmware = d.algorithm == DcqcnConfig::Algorithm::kFirmware;
  Json json;
  json["algorithm"] = firmware ? "firmware" : "paper";
  json["scope"] = choices::kDcqcnScope.name(d.scope);
  if (firmware) {
    emit_firmware(json, d.firmware);
  } else {
    emit_paper(json, d.paper);
  }
  return json;
}

}  // namespace softfeb::config
